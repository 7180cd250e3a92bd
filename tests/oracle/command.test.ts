import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  bytesOf,
  type ConnectionPair,
  compareCases,
  compareLive,
  generated,
  itemsOf,
  type LivePair,
  type Protocol,
  printable,
  type Reply,
} from './support/index.js';

/**
 * The replies of COMMAND about each command of Sorrel must equal those of Redis byte for byte. The order of commands, and of the
 * subcommands of a container, depends on Redis's hash table and differs from start to start.
 */

const PROTOCOLS: readonly Protocol[] = [2, 3];

const textOf = (reply: Reply): string => bytesOf(reply).toString('latin1');

/** The full names of all commands of Sorrel, including subcommands. */
async function registered({ servers }: LivePair, { sorrel }: ConnectionPair): Promise<string[]> {
  const names = itemsOf(await sorrel.call('COMMAND LIST')).map(textOf);
  assert.ok(names.includes('command|list'), `${servers.sorrel.port} lists its commands`);
  return names;
}

/** The fields of a map by name, for the map replies of both protocols. */
function fieldsOf(map: Reply): Map<string, Reply> {
  if (map.type === 'map') return new Map(map.entries.map(([name, value]) => [textOf(name), value]));
  const items = itemsOf(map);
  const fields = new Map<string, Reply>();
  for (let i = 0; i + 1 < items.length; i += 2) fields.set(textOf(items[i]!), items[i + 1]!);
  return fields;
}

const sameBytes = (a: Reply, b: Reply | undefined): boolean => b !== undefined && a.raw.equals(b.raw);

/** Equal except for the order of subcommands. */
function sameInfo(sorrel: Reply, redis: Reply): boolean {
  const [mine, theirs] = [itemsOf(sorrel), itemsOf(redis)];
  if (!mine.slice(0, 9).every((item, i) => sameBytes(item, theirs[i]))) return false;
  const [subcommands, expected] = [mine[9]!, theirs[9]!];
  if (subcommands.type !== expected.type) return false;
  if (itemsOf(subcommands).length !== itemsOf(expected).length) return false;
  return itemsOf(subcommands).every((mine) => itemsOf(expected).some((theirs) => sameBytes(mine, theirs)));
}

function sameDocs(sorrel: Reply, redis: Reply): boolean {
  const [mine, theirs] = [fieldsOf(sorrel), fieldsOf(redis)];
  if ([...mine.keys()].join() !== [...theirs.keys()].join()) return false;
  return [...mine].every(([name, value]) => {
    if (name !== 'subcommands') return sameBytes(value, theirs.get(name));
    const expected = fieldsOf(theirs.get(name)!);
    return [...fieldsOf(value)].every(([subcommand, docs]) => sameBytes(docs, expected.get(subcommand)));
  });
}

for (const protocol of PROTOCOLS) {
  compareLive(`COMMAND INFO of every command (RESP${protocol})`, async (pair) => {
    const connection = await pair.connect(protocol);
    const sameOnlyInfo = (sorrel: Reply, redis: Reply): boolean =>
      sameInfo(itemsOf(sorrel)[0]!, itemsOf(redis)[0]!);
    for (const name of await registered(pair, connection)) {
      await pair.sendBoth(['COMMAND', 'INFO', name], { on: connection, equal: sameOnlyInfo });
    }
  });

  compareLive(`COMMAND DOCS of every command (RESP${protocol})`, async (pair) => {
    const connection = await pair.connect(protocol);
    for (const name of await registered(pair, connection)) {
      const equal = (sorrel: Reply, redis: Reply): boolean => {
        const [mine, theirs] = [fieldsOf(sorrel).get(name), fieldsOf(redis).get(name)];
        return mine !== undefined && theirs !== undefined && sameDocs(mine, theirs);
      };
      await pair.sendBoth(['COMMAND', 'DOCS', name], { on: connection, equal });
    }
  });

  compareLive(`COMMAND, INFO and DOCS of all at once (RESP${protocol})`, async (pair) => {
    const { redis, sorrel } = await pair.connect(protocol);
    const topLevel = (await registered(pair, { redis, sorrel })).filter((name) => !name.includes('|'));
    for (const command of ['COMMAND', 'COMMAND INFO']) {
      const mine = itemsOf(await sorrel.call(command));
      const theirs = new Map(
        itemsOf(await redis.call(command)).map((info) => [textOf(itemsOf(info)[0]!), info]),
      );
      assert.deepEqual(
        mine.map((info) => textOf(itemsOf(info)[0]!)),
        topLevel,
      );
      for (const info of mine) {
        const expected = theirs.get(textOf(itemsOf(info)[0]!));
        assert.ok(expected !== undefined && sameInfo(info, expected), printable(info.raw));
      }
    }
    const mine = fieldsOf(await sorrel.call('COMMAND DOCS'));
    const theirs = fieldsOf(await redis.call('COMMAND DOCS'));
    assert.deepEqual([...mine.keys()], topLevel);
    for (const [name, docs] of mine) assert.ok(sameDocs(docs, theirs.get(name)!), name);
    const count = await sorrel.call('COMMAND COUNT');
    assert.equal(count.raw.toString(), (await redis.call('COMMAND COUNT')).raw.toString());
  });

  compareLive(`COMMAND LIST and its filters (RESP${protocol})`, async (pair) => {
    const connection = await pair.connect(protocol);
    const namesOf = (reply: Reply): string => itemsOf(reply).map(textOf).sort().join();
    const equal = (sorrel: Reply, redis: Reply): boolean =>
      sorrel.type === redis.type && namesOf(sorrel) === namesOf(redis);
    const filters = [
      ...CATEGORIES.map((category) => ['ACLCAT', category]),
      ...PATTERNS.map((pattern) => ['PATTERN', pattern]),
      ['aclcat', 'HASH'],
      ['module', 'anything'],
    ];
    await pair.sendBoth('COMMAND LIST', { on: connection, equal });
    for (const filter of filters) {
      await pair.sendBoth(['COMMAND', 'LIST', 'FILTERBY', ...filter], { on: connection, equal });
    }
  });

  compareLive(`COMMAND GETKEYS of typical command lines (RESP${protocol})`, async (pair) => {
    const connection = await pair.connect(protocol);
    for (const line of KEY_LINES) {
      await pair.sendBoth(`COMMAND GETKEYS ${line}`, { on: connection });
      await pair.sendBoth(`COMMAND GETKEYSANDFLAGS ${line}`, { on: connection });
    }
  });
}

const CATEGORIES = [
  ...[
    'keyspace',
    'read',
    'write',
    'set',
    'sortedset',
    'list',
    'hash',
    'string',
    'bitmap',
    'hyperloglog',
    'geo',
  ],
  ...['stream', 'pubsub', 'admin', 'fast', 'slow', 'blocking', 'dangerous', 'connection', 'transaction'],
  ...['scripting', 'nosuch', '@string', ''],
];

const PATTERNS = ['*', 'get*', 'GET*', 'COMMAND|*', '*e[tx]*', '?et', 'nosuch*', ''];

const KEY_LINES = [
  ...['get k', 'GET k', 'get', 'get a b', 'mget a b c', 'mset a 1 b 2', 'mset a 1 b', 'msetnx a 1'],
  ...['set k v', 'set k v GET', 'set k get', 'set k v EX get', 'set k v GETX'],
  ...['copy a b', 'rename a b', 'lmove a b LEFT LEFT', 'blmove a b LEFT LEFT 0', 'rpoplpush a b'],
  ...['bitop NOT d a', 'bitop NOT d', 'bitop AND d a b', 'sunionstore d a b', 'sinterstore d', 'smove a b m'],
  ...['blpop a 0', 'blpop a b c 0', 'brpoplpush a b 0', 'bzpopmin a b 0', 'zrangestore a b 0 -1'],
  ...['lmpop 2 a b LEFT', 'lmpop 0 a LEFT', 'lmpop x a LEFT', 'blmpop 0 2 a b LEFT', 'lmpop 1x a LEFT'],
  ...['zunionstore d 2 a b', 'zunionstore d 2x a b', 'zunionstore d 0 a', 'zunionstore d 5 a b'],
  ...[
    'zinter 1 a',
    'zintercard 2 a b',
    'sintercard 2 a b',
    'zmpop 1 a MIN',
    'bzmpop 0 1 a MIN',
    'zdiff 3 a b',
  ],
  ...['sort k', 'sort k STORE d', 'sort k BY store GET store', 'sort k STORE a STORE b', 'sort k STORE'],
  ...['sort k LIMIT 0 store STORE b', 'sort_ro k BY x', 'touch a b', 'watch a b', 'object ENCODING k'],
  ...['object nosuch k', 'object HELP', 'memory USAGE k', 'bitfield k', 'bitfield k GET u8 0'],
  ...['bitfield k GET u8 0 SET u8 0 1', 'bitfield k OVERFLOW WRAP', 'bitfield k nosuch', 'bitfield k GET u8'],
  ...[
    'eval s 0',
    'eval s 1 a',
    'eval s 3 a b',
    'eval s 1x a',
    'eval s -1 a',
    'fcall f 2 a b c',
    'evalsha s 1 a',
  ],
  ...['eval s 4294967297 a', 'eval s 2147483648 a', 'eval s 99999999999999999999 a', 'eval s " 1" a'],
  ...['georadius k 1 2 3 km', 'georadius k 1 2 3 km STORE d', 'georadius k 1 2 3 km STORE d STOREDIST e'],
  ...['georadius k 1 2 3 km STORE', 'georadius k 1 2 3 STORE d', 'georadiusbymember k m 3 km STOREDIST d'],
  ...[
    'migrate h p k 0 1',
    'migrate h p "" 0 1 KEYS a b',
    'migrate h p k 0 1 KEYS a b',
    'migrate h p "" 0 1 KEYS',
  ],
  ...['migrate h p "" 0 1 AUTH keys KEYS a', 'migrate h p "" 0 1 AUTH2 keys keys KEYS a', 'restore k 0 v'],
  ...['migrate h p "" 0 1 AUTH keys KEYS', 'xread STREAMS a b 0 0', 'xread STREAMS a b 0', 'xread STREAMS a'],
  ...['xread BLOCK streams STREAMS a 0', 'xreadgroup GROUP g streams STREAMS a 0', 'xadd k * f v'],
  ...[
    'xreadgroup STREAMS a b 0 0 STREAMS x',
    'xgroup CREATE k g 0',
    'xinfo STREAM k',
    'pfmerge d',
    'pfmerge d a',
  ],
  ...[
    'ping x',
    'publish c m',
    'ssubscribe c',
    'spublish c m',
    'config GET x',
    'config nosuch',
    'command COUNT',
  ],
];

compareCases('COMMAND with invalid arguments', [
  'COMMAND NOSUCH',
  'COMMAND COUNT x',
  'COMMAND HELP',
  'COMMAND HELP x',
  'COMMAND INFO nosuch',
  'COMMAND INFO nosuch get| |get get|x command|nosuch command|info|x',
  ['COMMAND', 'INFO', ''],
  'COMMAND INFO COMMAND|COUNT',
  'COMMAND DOCS nosuch',
  'COMMAND DOCS nosuch COMMAND|COUNT GET get',
  'COMMAND LIST x',
  'COMMAND LIST FILTERBY',
  'COMMAND LIST FILTERBY PATTERN',
  'COMMAND LIST FILTERBY NOSUCH x',
  'COMMAND LIST FILTERBY PATTERN a b',
  'COMMAND LIST FILTERBY PATTERN a FILTERBY PATTERN b',
  'COMMAND GETKEYS',
  'COMMAND GETKEYS nosuch k',
  'COMMAND GETKEYS command|count',
  'COMMAND GETKEYS command nosuch',
  'COMMAND GETKEYS command count',
  'COMMAND GETKEYSANDFLAGS',
]);

const word = fc.constantFrom(
  ...[
    'a',
    'b',
    '',
    'store',
    'STORE',
    'get',
    'GET',
    'set',
    'incrby',
    'overflow',
    'limit',
    'by',
    '0',
    '1',
    '2',
    '3',
  ],
  ...[
    '-1',
    '1x',
    ' 2',
    '+1',
    '01',
    '4294967297',
    '2147483648',
    '99999999999999999999',
    '-99999999999999999999',
  ],
);

generated(
  'the keys of random command lines',
  fc
    .tuple(
      fc.constantFrom('sort', 'set', 'bitfield', 'zunionstore', 'zinter', 'lmpop', 'blmpop', 'mset', 'bitop'),
      fc.array(word, { maxLength: 9 }),
    )
    .map(([name, words]) => ['COMMAND', 'GETKEYSANDFLAGS', name, ...words]),
);
