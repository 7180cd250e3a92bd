import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SOURCE_OPTIONS, sourceProgram } from '../../scripts/transpiled.mjs';
import { seededRandom } from '../../src/bytes/random.js';
import { CommandFormat } from '../../src/persistence/aof/command-format.js';
import { Snapshot } from '../../src/persistence/snapshot/snapshot.js';
import { digestAfterCrash, lastIncrement, nextRound, openAof, temporaryFolder } from './support/aof.js';
import { TestEngine } from './support/engine.js';
import { RandomCommands } from './support/random-commands.js';

const MANIFEST = 'appendonlydir/appendonly.aof.manifest';
const MAIN = sourceProgram(new URL('../../src/cli/main.ts', import.meta.url));

function checkAof(...parameters: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [...SOURCE_OPTIONS, MAIN, 'check-aof', ...parameters], {
    encoding: 'utf8',
    input: 'y\n',
  });
}

/** A folder whose last file holds these commands; and for each command, the file's size and the digest after it. */
async function recorded(
  t: TestContext,
  lines: readonly string[],
): Promise<{ folder: string; states: { size: number; digest: string }[] }> {
  const folder = temporaryFolder(t);
  await using opened = await openAof(folder);
  const states = [{ size: 0, digest: opened.engine.digest }];
  for (const line of lines) {
    opened.engine.run(...line.split(' '));
    opened.flush();
    states.push({ size: statSync(lastIncrement(folder)).size, digest: opened.engine.digest });
  }
  return { folder, states };
}

const LINES = ['SET a 1', 'RPUSH list x y z', 'MULTI', 'INCR a', 'SELECT 1', 'SET b 2', 'EXEC', 'SET c 3'];

test('a file truncated anywhere loads up to the last complete command or transaction, and is truncated there', async (t) => {
  const { folder, states } = await recorded(t, LINES);
  const last = lastIncrement(folder);
  const bytes = readFileSync(last);
  for (let length = bytes.length; length >= 0; length -= 3) {
    writeFileSync(last, bytes.subarray(0, length));
    const state = states.filter((each) => each.size <= length).at(-1);
    await using opened = await openAof(folder);
    assert.equal(opened.engine.digest, state?.digest, `cut off at ${length}`);
    // A SELECT at the end, with no command after it, may stay.
    assert.ok(statSync(last).size <= length);
    opened.engine.run('SET', 'after', 'x');
    opened.flush();
    const { digest } = opened.engine;
    const later = await digestAfterCrash(folder, {}, opened.engine.clock.now());
    assert.equal(later, digest, `cut off at ${length}, then continued`);
  }
});

test('with aof-load-truncated no, a truncated file is refused and left unchanged', async (t) => {
  const { folder } = await recorded(t, ['SET a 1', 'SET b 2']);
  const last = lastIncrement(folder);
  const size = statSync(last).size - 5;
  truncateSync(last, size);
  await assert.rejects(
    openAof(folder, { 'aof-load-truncated': 'no' }),
    /Unexpected end of file reading .*1\.incr\.aof, byte 50: the file ends in/,
  );
  assert.equal(statSync(last).size, size);
});

test('only the last file may end in the middle of a command', async (t) => {
  const { folder } = await recorded(t, ['SET a 1', 'SET b 2']);
  const first = lastIncrement(folder);
  writeFileSync(join(folder, 'appendonlydir/appendonly.aof.2.incr.aof'), '');
  writeFileSync(join(folder, MANIFEST), 'file appendonly.aof.2.incr.aof seq 2 type i\n', { flag: 'a' });
  truncateSync(first, statSync(first).size - 5);
  await assert.rejects(openAof(folder), /1\.incr\.aof, byte 50: .*not the last one/);
});

test('a damaged file is refused with its name and the position', async (t) => {
  const { folder } = await recorded(t, ['SET a 1', 'SET b 2', 'SET c 3']);
  const last = lastIncrement(folder);
  const bytes = readFileSync(last);
  bytes[50] = 'x'.charCodeAt(0);
  writeFileSync(last, bytes);
  await assert.rejects(
    openAof(folder),
    /Bad file format reading .*appendonly\.aof\.1\.incr\.aof, byte 50: expected '\*', got 'x'/,
  );
  writeFileSync(last, bytes.toString('latin1').replace('x3', '*3').replace('SET', 'SIT'));
  await assert.rejects(
    openAof(folder),
    /Unknown command 'SIT' reading the append only file .*, byte 23: there/,
  );
});

test('a missing file of the manifest, and an invalid manifest, are refused', async (t) => {
  const { folder } = await recorded(t, ['SET a 1']);
  const path = join(folder, MANIFEST);
  const good = readFileSync(path, 'utf8');
  writeFileSync(path, `${good}file appendonly.aof.7.incr.aof seq 7 type i\n`);
  await assert.rejects(openAof(folder), /7\.incr\.aof cannot be read: No such file or directory/);
  const bad: [string, RegExp][] = [
    ['', /Found an empty AOF manifest/],
    [`${good}${good}`, /line 3 .*duplicate base/],
    ['file a.incr.aof seq 2 type i\nfile b.incr.aof seq 2 type i\n', /line 2 .*non-monotonic/],
    ['file ../a seq 1 type b\n', /line 1 .*can't be a path/],
    ['file a seq 1 type x\n', /line 1 .*Unknown AOF file type/],
    ['file a type b\n', /line 1 .*Invalid AOF manifest file format/],
    [`file ${'a'.repeat(1100)} seq 1 type b\n`, /line 1 .*contains too long line/],
    ['file a seq 1 type b', /line 1 .*contains too long line/],
  ];
  for (const [text, reason] of bad) {
    writeFileSync(path, text);
    await assert.rejects(openAof(folder), reason);
  }
  writeFileSync(path, `# a comment\n${good.replace('type b', 'type b later 1')}`);
  await (await openAof(folder))[Symbol.asyncDispose]();
});

test('an append-only file of Redis 6 is moved into the folder', async (t) => {
  const { folder } = await recorded(t, ['SET a 1', 'SET b 2']);
  const upgraded = temporaryFolder(t);
  cpSync(lastIncrement(folder), join(upgraded, 'appendonly.aof'));
  await using opened = await openAof(upgraded);
  assert.equal(opened.engine.run('MGET', 'a', 'b'), '*2\r\n$1\r\n1\r\n$1\r\n2\r\n');
  assert.equal(
    readFileSync(join(upgraded, MANIFEST), 'utf8'),
    'file appendonly.aof seq 1 type b\nfile appendonly.aof.1.incr.aof seq 1 type i\n',
  );
  opened.engine.run('BGREWRITEAOF');
  while (opened.persistence.aof.rewriting.isActive) await nextRound();
  assert.equal(
    readFileSync(join(upgraded, MANIFEST), 'utf8'),
    'file appendonly.aof.2.base.rdb seq 2 type b\nfile appendonly.aof.2.incr.aof seq 2 type i\n',
  );
});

test('an upgrade that was interrupted before the file was moved is completed', async (t) => {
  const { folder } = await recorded(t, ['SET a 1']);
  const upgraded = temporaryFolder(t);
  renameSync(lastIncrement(folder), join(upgraded, 'appendonly.aof'));
  mkdirSync(join(upgraded, 'appendonlydir'));
  writeFileSync(join(upgraded, MANIFEST), 'file appendonly.aof seq 1 type b\n');
  await using opened = await openAof(upgraded);
  assert.equal(opened.engine.run('GET', 'a'), '$1\r\n1\r\n');
});

test('values written in parts are loaded from a base of commands', async (t) => {
  const engine = new TestEngine();
  const random = seededRandom(12);
  const commands = new RandomCommands(random);
  commands.fill(engine);
  const before = engine.digest;
  const chunks: Buffer[] = [];
  const snapshot = new Snapshot(engine.engine.keyspace, new CommandFormat(engine.engine.keyspace, {}), {
    hasChecksum: false,
    onChunk: (chunk) => chunks.push(chunk),
    limits: { collection: 2000, string: 20_000 },
  });
  while (!snapshot.step(0)) for (let n = random.integer(8); n > 0; n--) commands.run(engine);
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'appendonlydir'));
  writeFileSync(join(folder, 'appendonlydir/appendonly.aof.1.base.aof'), Buffer.concat(chunks));
  writeFileSync(join(folder, MANIFEST), 'file appendonly.aof.1.base.aof seq 1 type b\n');
  await using opened = await openAof(folder, {}, 1_700_000_000_000);
  assert.equal(opened.engine.digest, before);
});

test('check-aof reports no damage in a valid file and prints its SHA-256', async (t) => {
  const { folder } = await recorded(t, LINES);
  const { status, stdout } = checkAof(join(folder, MANIFEST));
  assert.equal(status, 0);
  assert.match(stdout, /^BASE AOF appendonly\.aof\.1\.base\.rdb is valid$/m);
  assert.match(stdout, /^\[info\] appendonly\.aof\.1\.incr\.aof: .* 9 commands, SHA-256 [0-9a-f]{64}$/m);
});

test('check-aof reports the first invalid byte, and truncates there only with --fix', async (t) => {
  const { folder, states } = await recorded(t, LINES);
  const last = lastIncrement(folder);
  const { size } = statSync(last);
  truncateSync(last, size - 4);
  const found = checkAof(join(folder, MANIFEST));
  assert.equal(found.status, 1);
  const sound = states[7]?.size as number;
  assert.match(found.stdout, new RegExp(`size=${size - 4}, ok_up_to=${sound}, .*diff=${size - 4 - sound}\n`));
  assert.equal(statSync(last).size, size - 4);
  assert.equal(checkAof('--fix', join(folder, MANIFEST)).status, 0);
  assert.equal(statSync(last).size, sound);
  assert.equal(checkAof(last).status, 0);
});

test('check-aof truncates a file to a timestamp', async (t) => {
  const folder = temporaryFolder(t);
  {
    await using opened = await openAof(folder, { 'aof-timestamp-enabled': 'yes' });
    for (let i = 0; i < 5; i++) {
      opened.engine.run('INCR', 'n');
      opened.engine.clock.advance(1000);
    }
  }
  const last = lastIncrement(folder);
  const { size } = statSync(last);
  const refused = checkAof('--truncate-to-timestamp', '1600000000', last);
  assert.equal(refused.status, 1);
  assert.match(refused.stdout, /has nothing before timestamp 1600000000, aborting/);
  assert.equal(statSync(last).size, size);
  assert.equal(checkAof('--truncate-to-timestamp', '1700000002', join(folder, MANIFEST)).status, 0);
  await using again = await openAof(folder);
  assert.equal(again.engine.run('GET', 'n'), '$1\r\n3\r\n');
});
