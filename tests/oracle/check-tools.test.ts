import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { checkAof } from '../../src/persistence/aof/check-aof.js';
import { checkRdb } from '../../src/persistence/rdb-check.js';
import { startRedis, stopAllServers } from '../support/fleet/index.js';
import { RawClient } from './support/index.js';
import { whenRedisIsInstalled } from './support/pair.js';

/** The same files to redis-check-rdb, redis-check-aof and ours; the files come from a redis-server. */

let folder: string;
let dump: Buffer;
/** The folder of a multi-part append-only file. */
let appendOnly: string;
let increment: string;

before(async () => {
  if (whenRedisIsInstalled.skip !== false) return;
  folder = mkdtempSync(join(tmpdir(), 'sorrel-check-'));
  const dir = join(folder, 'redis');
  mkdirSync(dir);
  const options = [
    '--dir',
    dir,
    '--appendonly',
    'yes',
    '--aof-timestamp-enabled',
    'yes',
    '--rdbcompression',
    'no',
  ];
  const server = await startRedis(options);
  const client = await RawClient.connect(server.port);
  for (const command of DATA) await client.call(command);
  await client.call(['SAVE']);
  await client.call(['BGREWRITEAOF']);
  for (let busy = true; busy; ) {
    const info = JSON.stringify(await client.call(['INFO', 'persistence']), (_, value) =>
      typeof value === 'object' && value?.type === 'Buffer' ? Buffer.from(value.data).toString() : value,
    );
    busy = !info.includes('aof_rewrite_in_progress:0') || !info.includes('aof_rewrite_scheduled:0');
  }
  await client.call(['SET', 'a', '1']);
  await client.call(['MULTI']);
  await client.call(['SET', 'b', '2']);
  await client.call(['EXEC']);
  client.close();
  await stopAllServers();
  dump = readFileSync(join(dir, 'dump.rdb'));
  appendOnly = join(dir, 'appendonlydir');
  increment = readdirSync(appendOnly).find((name) => name.endsWith('.incr.aof')) as string;
});
after(async () => {
  await stopAllServers();
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

const DATA = [
  ['SET', 'string', 'value'],
  ['SET', 'expiring', 'value', 'EX', '10000'],
  ['RPUSH', 'list', 'a', 'b', 'c'],
  ['SADD', 'set', 'a', 'b'],
  ['SADD', 'integers', '1', '2'],
  ['ZADD', 'zset', '1', 'a'],
  ['HSET', 'hash', 'field', 'value'],
  ['XADD', 'stream', '1-1', 'field', 'value'],
  ['SELECT', '3'],
  ['SET', 'other', 'value'],
];

function redisCheckRdb(path: string): { readonly lines: string[]; readonly code: number | null } {
  const { stdout, status } = spawnSync('redis-check-rdb', [path], { encoding: 'latin1' });
  // Inside of streams, Redis names its own source for a file that ends too early.
  const lines = stdout
    .split('\n')
    .filter((line) => line !== '' && !line.includes('Terminating server after rdb file reading failure'))
    .map((line) => line.replace(/Internal error in RDB reading .*/, 'Unexpected EOF reading RDB file'));
  return { lines, code: status };
}

function ourCheckRdb(path: string): { readonly lines: string[]; readonly code: number } {
  const lines: string[] = [];
  const { isSound } = checkRdb(path, path, (line) => lines.push(line));
  return { lines, code: isSound ? 0 : 1 };
}

test(
  'check-rdb prints what redis-check-rdb prints, for sound and damaged files',
  whenRedisIsInstalled,
  () => {
    const path = join(folder, 'x.rdb');
    const changed = (at: number, ...bytes: number[]): Buffer => {
      const copy = Buffer.from(dump);
      copy.set(bytes, at < 0 ? copy.length + at : at);
      return copy;
    };
    const files: [string, Buffer][] = [
      ['sound', dump],
      ['wrong checksum', changed(-3, 0x55)],
      ['no checksum', changed(-8, 0, 0, 0, 0, 0, 0, 0, 0)],
      ['wrong magic', changed(0, 0x41)],
      ['newer version', Buffer.concat([Buffer.from('REDIS0099'), dump.subarray(9)])],
      ['empty', Buffer.alloc(0)],
      ['a part of the header', dump.subarray(0, 4)],
      ['bytes behind the end', Buffer.concat([dump, Buffer.from('xxxxx')])],
      ['unknown type', changed(dump.indexOf('string') - 2, 0xee)],
    ];
    for (let length = 10; length < dump.length; length += 7) {
      files.push([`the first ${length} bytes`, dump.subarray(0, length)]);
    }
    for (const [label, bytes] of files) {
      writeFileSync(path, bytes);
      assert.deepEqual(ourCheckRdb(path), redisCheckRdb(path), label);
    }
  },
);

interface AofOutcome {
  readonly out: string;
  readonly code: number | null;
  readonly files: readonly string[];
}

function contents(place: string): string[] {
  return readdirSync(place).map((name) => `${name} ${readFileSync(join(place, name), 'latin1')}`);
}

/** Both tools work on their own copy of the files. */
function compareAof(
  label: string,
  make: (place: string) => string,
  options: readonly string[] = [],
  answer = 'y',
): void {
  const run = (tool: (path: string) => Omit<AofOutcome, 'files'>): AofOutcome => {
    const place = join(folder, 'place');
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place);
    const outcome = tool(make(place));
    // Of a line that ends too early, Redis shows a byte that it did not read.
    const out = outcome.out.replace(/(got: 00)[0-9a-f]{2}/, '$1');
    return { ...outcome, out, files: contents(place) };
  };
  const theirs = run((path) => {
    const { stdout, stderr, status } = spawnSync('redis-check-aof', [...options, path], {
      encoding: 'latin1',
      input: `${answer}\n`,
    });
    return { out: stdout + stderr, code: status };
  });
  const ours = run((path) => {
    let out = '';
    const { isSound } = checkAof(path, {
      fixes: options[0] === '--fix',
      truncateTo: options[0] === '--truncate-to-timestamp' ? Number(options[1]) : undefined,
      say: (text) => {
        out += text;
      },
      confirm: (question) => {
        out += question;
        return answer === 'y';
      },
      onProgress: () => {},
    });
    return { out: out.replace('re-run sorrel check-aof', 're-run redis-check-aof'), code: isSound ? 0 : 1 };
  });
  assert.deepEqual(ours, theirs, `${label} ${options.join(' ')}`);
}

const single = (bytes: Buffer | string) => (place: string) => {
  const path = join(place, 'x.aof');
  writeFileSync(path, bytes, 'latin1');
  return path;
};

test('check-aof prints what redis-check-aof prints, and truncates the same', whenRedisIsInstalled, () => {
  const sound = readFileSync(join(appendOnly, increment), 'latin1');
  const base = readFileSync(join(appendOnly, increment.replace('incr.aof', 'base.rdb')), 'latin1');
  const files: Record<string, string> = {
    sound,
    empty: '',
    'with a preamble': base + sound,
    'with a damaged preamble': `${base.slice(0, -3)}xyz${sound}`,
    'EXEC alone': '*1\r\n$4\r\nEXEC\r\n',
    'MULTI twice': '*1\r\n$5\r\nMULTI\r\n*1\r\n$5\r\nMULTI\r\n',
    'no EXEC': '*1\r\n$4\r\nPING\r\n*1\r\n$5\r\nMULTI\r\n*1\r\n$4\r\nPING\r\n',
    'negative length': '*1\r\n$-5\r\nMULTI\r\n',
    'huge length': '*1\r\n$99999999999999999999\r\nPING\r\n',
    'no arguments': '*0\r\n*1\r\n$4\r\nPING\r\n',
    'no line end': '*1\r\n$4\r\nPINGxx',
    'cut in a length': '*1\r\n$4',
    'line feed alone': '*1\r\n$4\nPING\r\n',
    'not a number': '*x\r\n$4\r\nPING\r\n',
    'not a string': '*2\r\n$4\r\nECHO\r\nX1\r\na\r\n',
    'not a command': '*1\r\n$4\r\nPING\r\nhello\r\n',
    annotations: '#TS:5\r\n*1\r\n$4\r\nPING\r\n#foo\r\n*1\r\n$4\r\nPING\r\n#TS:9\r\n*1\r\n$4\r\nPING\r\n',
  };
  for (let length = 1; length < sound.length; length += 23)
    files[`the first ${length} bytes`] = sound.slice(0, length);
  for (const [label, text] of Object.entries(files)) {
    compareAof(label, single(text));
    if (!/^the first/.test(label)) compareAof(label, single(text), ['--fix']);
  }
  const cut = files['no EXEC'] as string;
  compareAof('not confirmed', single(cut), ['--fix'], 'n');
  for (const seconds of ['1', '5', '8', '9', '99']) {
    compareAof('annotations', single(files['annotations'] as string), ['--truncate-to-timestamp', seconds]);
  }
  compareAof('missing', (place) => join(place, 'none.aof'));
});

test('check-aof checks all files of a manifest as redis-check-aof does', whenRedisIsInstalled, () => {
  const manifest = readdirSync(appendOnly).find((name) => name.endsWith('.manifest')) as string;
  const multi =
    (change: (place: string) => void = () => {}) =>
    (place: string) => {
      cpSync(appendOnly, place, { recursive: true });
      change(place);
      return join(place, manifest);
    };
  const base = increment.replace('incr.aof', 'base.rdb');
  const append = (name: string, text: string) => (place: string) =>
    writeFileSync(join(place, name), text, { flag: 'a' });
  for (const options of [
    [],
    ['--fix'],
    ['--truncate-to-timestamp', '99999999999'],
    ['--truncate-to-timestamp', '1'],
  ]) {
    compareAof('sound', multi(), options);
    compareAof('cut', multi(append(increment, '*1\r\n$4')), options);
  }
  const begin = (text: string) => (place: string) =>
    writeFileSync(join(place, increment), text + readFileSync(join(place, increment), 'latin1'), 'latin1');
  const ping = '*1\r\n$4\r\nPING\r\n';
  const notTheLast = (text: string) => (place: string) => {
    begin(text)(place);
    append('appendonly.aof.3.incr.aof', ping)(place);
    append(manifest, 'file appendonly.aof.3.incr.aof seq 3 type i\n')(place);
  };
  for (const seconds of ['1', '5', '99999999999']) {
    compareAof('annotation first', multi(begin('#TS:5\r\n')), ['--truncate-to-timestamp', seconds]);
    compareAof('annotation second', multi(begin(`${ping}#TS:5\r\n`)), ['--truncate-to-timestamp', seconds]);
    compareAof('not the last', multi(notTheLast(`${ping}#TS:5\r\n${ping}`)), [
      '--truncate-to-timestamp',
      seconds,
    ]);
  }
  compareAof('damaged base', multi(append(base, 'junk')), ['--fix']);
  compareAof(
    'missing increment',
    multi((place) => rmSync(join(place, increment))),
  );
  compareAof(
    'empty increment',
    multi((place) => writeFileSync(join(place, increment), '')),
  );
  compareAof(
    'no manifest',
    multi((place) => writeFileSync(join(place, manifest), 'foo\n')),
  );
  assert.equal(basename(manifest), 'appendonly.aof.manifest');
});
