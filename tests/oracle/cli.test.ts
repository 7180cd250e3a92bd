import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { runCli } from '../../src/cli/shell/cli.js';
import { type Outcome, ours, theirs } from '../support/cli-outcome.js';
import { type Server, startRedis, startSorrel, stopAllServers } from '../support/fleet/index.js';
import { RawClient } from './support/index.js';
import { whenRedisIsInstalled } from './support/pair.js';

/** The same parameters and input to redis-cli and to `sorrel cli`, on the same redis-server. */

let server: Server;
let folder: string;
before(async () => {
  if (whenRedisIsInstalled.skip !== false) return;
  folder = mkdtempSync(join(tmpdir(), 'sorrel-cli-'));
  server = await startRedis(['--enable-debug-command', 'yes', '--repl-diskless-sync-delay', '0']);
  const client = await RawClient.connect(server.port);
  for (const command of DATA) await client.call(command);
  client.close();
});
after(async () => {
  await stopAllServers();
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

const DATA: readonly (readonly (string | Buffer)[])[] = [
  ['SET', 's', Buffer.from('a b"c\n\x01\xff\\\t\x07', 'latin1')],
  ['SET', Buffer.from([0x61, 0, 0xff]), 'binary key'],
  ['RPUSH', 'l', ...'abcdefghijk'],
  ['HSET', 'h', 'f', 'v', 'f 2', 'v"2'],
  ['SADD', 'st', 'x'],
  ['ZADD', 'z', '1.5', 'a', '2', 'b'],
  ['XADD', 'x', '1-1', 'field', 'value'],
];

/** Numbers of connections differ. */
function withoutIds({ stdout, ...rest }: Outcome): Outcome {
  return { ...rest, stdout: stdout.replace(/(\bid\W+(?:\(integer\) )?)\d+/g, '$1N') };
}

async function same(parameters: readonly string[], input = ''): Promise<void> {
  const all = ['-p', String(server.port), ...parameters];
  const theirOutcome = withoutIds(await theirs(all, input));
  const ourOutcome = withoutIds(await ours(all, input));
  const label = `${parameters.join(' ')} < ${JSON.stringify(input).slice(0, 60)}`;
  assert.deepEqual(ourOutcome.stdout.split('\n'), theirOutcome.stdout.split('\n'), label);
  assert.deepEqual(ourOutcome, theirOutcome, label);
}

const REPLIES = [
  ...['string', 'integer', 'double', 'null', 'array', 'set', 'map', 'push', 'verbatim', 'true', 'false'].map(
    (type) => `debug protocol ${type}`,
  ),
  'get s',
  'get none',
  'hgetall h',
  'hgetall none',
  'lrange l 0 -1',
  'lrange l 5 4',
  'smembers st',
  'smembers none',
  'zrange z 0 -1 withscores',
  'xrange x - +',
  'command info get set xgroup',
  'command docs get',
  'foo bar',
  'lpush s a',
  'eval "return {1,{2,{3,{}}},\'x\',false}" 0',
  'eval "return redis.error_reply(\'MY err\')" 0',
  'eval "redis.setresp(3) return {map={a={1,{map={k={1,2,3}}}}}}" 0',
  "eval \"redis.setresp(3) return {{map={['a']={map={x=1}}}},{set={}},{map={}},{double=1e300},true,{err='x'}}\" 0",
  'eval "redis.setresp(3) return {map={[1]={set={m=true}},}}" 0',
  'config get maxmem*',
  'client info wrong',
  'latency doctor',
  'memory doctor',
  'cluster nodes',
  'config help',
  'mget s none h',
  'multi',
  'set q 1',
  'get q',
  'exec',
  'multi',
  'select 2',
  'discard',
  'exec',
  'ping "two words"',
  'echo ""',
];

for (const mode of ['--raw', '--no-raw', '--csv', '--json', '--quoted-json']) {
  for (const protocol of ['-2', '-3']) {
    test(
      `cli prints every kind of reply as redis-cli does: ${mode} ${protocol}`,
      whenRedisIsInstalled,
      async () => {
        await same([mode, protocol], `${REPLIES.join('\n')}\n`);
      },
    );
  }
}

test('cli understands lines of a session as redis-cli does', whenRedisIsInstalled, async () => {
  const lines = [
    '2 get q',
    '0 get q',
    '-1 get q',
    'x get q',
    '"unbalanced',
    '',
    '   ',
    "set 'single \\' quoted' \"\\x41\\n\"",
    "get 'single \\' quoted'",
    'get a b',
    'select 3',
    'dbsize',
    ':set hints',
    ':foo',
    ':set foo',
    'help get',
    'help @string',
    'help config',
    'help nothing',
    'hello 3',
    'hgetall h',
    'hello 2',
    'connect 127.0.0.1 1',
    'get q',
    `connect 127.0.0.1 ${server.port}`,
    'get q',
    'quit',
    'never run',
  ];
  await same([], lines.join('\n'));
  await same(['--no-raw'], `${lines.slice(0, 14).join('\n')}\nhello 3\nhgetall h\nfoo`);
});

test('cli takes the options of redis-cli', whenRedisIsInstalled, async () => {
  const script = join(folder, 'script.lua');
  writeFileSync(script, 'return {KEYS[1], ARGV[1], #KEYS, #ARGV}');
  const port = String(server.port);
  const cases: (readonly [readonly string[], string?])[] = [
    [['-e', 'foo']],
    [['-e'], 'ping\nfoo\n'],
    [['--csv', '-e', 'foo']],
    [['-n', '99', 'get', 's']],
    [['-n', '3', 'dbsize']],
    [['-p', '1', 'get', 's']],
    [['-p', '1'], 'get a\nget b'],
    [['-s', join(folder, 'none'), 'get', 's']],
    [['-a', 'wrong', 'get', 's']],
    [['--user', 'bar', '--pass', 'wrong', '--no-auth-warning', 'get', 's']],
    [['--user', 'bar', 'ping']],
    [['--foo']],
    [['-p']],
    [['-r', '3', 'ping']],
    [['-r', 'foo', 'incr', 'n1']],
    [['-r', '2', '-i', '0.001', '-d', '|', '-D', '<END>', 'lrange', 'l', '0', '-1']],
    [['-x', 'set', 'x1'], 'value\n\xff'],
    [['get', 'x1']],
    [['-X', 'tag', 'set', 'tag', 'x'], 'key'],
    [['-X', 'tag', 'set', 'x', 'y'], 'value'],
    [['-x', '-X', 'tag', 'set', 'x', 'tag'], 'value'],
    [['--quoted-input', 'get', '"a\\x00\\xff"']],
    [['--quoted-input', 'get', '"a']],
    [['--scan', '--quoted-pattern', '"a']],
    [['--no-raw', '--scan', '--pattern', 'a*']],
    [['--no-raw', '--scan', '--quoted-pattern', '"a\\x00*"']],
    [['--bigkeys']],
    [['--memkeys']],
    [['--hotkeys']],
    [['-u', `redis://127.0.0.1:${port}/3`, 'dbsize']],
    [['-u', `redis://foo:b%61r@127.0.0.1:${port}/3`, 'dbsize']],
    [['-u', 'foo://x', 'dbsize']],
    [['--show-pushes', 'foo', 'ping']],
    [['--eval', '/nonexistent', 'a']],
    [['--eval', script, 'a', ',', 'b']],
    [['--eval', script, 'a', 'b']],
    [['--no-raw', '--eval', script]],
    [['--pipe'], '*1\r\n$4\r\nPING\r\nget s\r\n'],
    [['--pipe'], 'PING\r\nFOO\r\nlpush s a\r\nget s'],
    [['--pipe'], ''],
    [['-p', '1', '--pipe'], 'PING\r\n'],
    [['-p', '1', '--bigkeys']],
    [['quit']],
    [['']],
    [['help', 'get']],
    [['monitor', 'foo']],
    [['--no-raw', 'cluster', 'nodes']],
    [['--csv', 'latency', 'doctor']],
    [['subscribe']],
    [['shutdown', 'foo']],
  ];
  for (const [parameters, input] of cases) await same(parameters, input);
});

test(
  'cli sends large input as fast as the server reads, and leaves no listeners',
  whenRedisIsInstalled,
  async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warn);
    const command = `*3\r\n$3\r\nset\r\n$1\r\ns\r\n$1000000\r\n${'x'.repeat(1_000_000)}\r\n`;
    await same(['--pipe'], command.repeat(100));
    await new Promise(setImmediate);
    process.off('warning', warn);
    assert.deepEqual(warnings, []);
  },
);

test('cli transfers the same dump as redis-cli', whenRedisIsInstalled, async () => {
  for (const option of ['--rdb', '--functions-rdb']) {
    const [a, b] = [join(folder, 'a.rdb'), join(folder, 'b.rdb')];
    const port = ['-p', String(server.port)];
    const redis = await theirs([...port, option, a], '');
    const sorrel = await ours([...port, option, b], '');
    assert.deepEqual(sorrel, { ...redis, stderr: redis.stderr.replace(a, b) });
    // The bytes differ in the time and the memory used: fields of a fixed width.
    assert.equal(readFileSync(b).length, readFileSync(a).length);
  }
  await same(['--rdb', join(folder, 'missing', 'x')]);
});

test('cli debugs scripts as redis-cli does, on both servers', whenRedisIsInstalled, async () => {
  const sorrel = await startSorrel();
  const script = join(folder, 'debugged.lua');
  const broken = join(folder, 'broken.lua');
  writeFileSync(
    script,
    "local a = KEYS[1]\nredis.call('set', a, ARGV[1])\nlocal b = redis.call('get', a)\nreturn {b, 1}\n",
  );
  writeFileSync(broken, 'return +');
  const parameters = ['--eval', script, 'debugged', ',', 'x y'];
  const cases: readonly [parameters: readonly string[], input: string][] = [
    [
      ['--ldb-sync-mode', ...parameters],
      'help\nb 3\nc\np\ne "a" .. \'b\'\nr get debugged\n\nnosuch "x\nc\nget debugged\nquit\n',
    ],
    [['--ldb-sync-mode', ...parameters], 's\nrestart\nc\nrestart\na\n'],
    [['--ldb-sync-mode', '--eval', broken], ''],
    [['--ldb', '--eval', '/nonexistent'], ''],
    [['--ldb', ...parameters], 's\ns\ns\nc\nget debugged\n'],
  ];
  for (const [words, input] of cases) {
    // One after the other: redis-server has the state of one session only.
    const outcomes: Outcome[] = [];
    for (const { port } of [server, sorrel]) {
      for (const run of [theirs, ours])
        outcomes.push(await run(['-p', String(port), ...words], input, 'xterm'));
    }
    const [expected, ...others] = outcomes.map(({ stdout, ...rest }) => ({
      ...rest,
      stdout: stdout.replaceAll(String(sorrel.port), String(server.port)).split('\n'),
    }));
    for (const other of others) assert.deepEqual(other, expected, `${words.join(' ')} < ${input}`);
  }
});

test('--replica prints the commands of the master', whenRedisIsInstalled, async () => {
  const client = await RawClient.connect(server.port);
  // The master sends commands only when the replica is online.
  const writing = setInterval(() => void client.call(['SET', 'key', 'value']), 20);
  const shown = { 1: '', 2: '' };
  let killed: Promise<unknown> | undefined;
  const code = await runCli(
    ['-p', String(server.port), '--replica'],
    { help: '', version: '' },
    {
      environment: {},
      input: Readable.from([]),
      isOutputTerminal: false,
      write: (fd, bytes) => {
        shown[fd] += bytes.toString();
        if (shown[1].includes('"SET","key","value"\n')) {
          killed ??= client.call(['CLIENT', 'KILL', 'TYPE', 'replica']);
        }
      },
    },
  );
  clearInterval(writing);
  // Its reply comes after those of all writes. The cli may have ended before it.
  await killed;
  client.close();
  assert.equal(code, 1);
  assert.deepEqual(shown[2].replaceAll(/\d+ bytes/g, 'N bytes').split('\n'), [
    'sending REPLCONF capa eof',
    'sending REPLCONF rdb-filter-only ',
    'SYNC with master, discarding bytes of bulk transfer until EOF marker...',
    'SYNC done after N bytes. Logging commands from master.',
    'sending REPLCONF ACK 0',
    'Error: Server closed the connection',
    '',
  ]);
});
