import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { seededRandom } from '../../src/bytes/random.js';
import { type AofEngine, digestAfterCrash, nextRound, openAof, temporaryFolder } from './support/aof.js';
import { RandomCommands, SWEEPING } from './support/random-commands.js';

const FORMATS = [
  { name: 'RDB', settings: { 'aof-use-rdb-preamble': 'yes' } },
  { name: 'commands', settings: { 'aof-use-rdb-preamble': 'no', 'aof-timestamp-enabled': 'yes' } },
];

/** Waits for a rewrite to end, and calls `between` in every iteration of the event loop until then. */
async function rewritten({ persistence }: AofEngine, between: () => void | Promise<void>): Promise<void> {
  while (persistence.aof.rewriting.isActive) {
    await between();
    await nextRound();
  }
}

for (const { name, settings } of FORMATS) {
  for (let round = 0; round < 4; round++) {
    test(`all changes are restored after a restart, with a base of ${name} (${round})`, async (t) => {
      const folder = temporaryFolder(t);
      const random = seededRandom(round);
      const commands = new RandomCommands(random);
      const opened = await openAof(folder, settings);
      const { engine } = opened;
      commands.fill(engine);
      for (let i = 0; i < 300; i++) commands.run(engine);
      engine.run('BGREWRITEAOF');
      await rewritten(opened, () => void commands.run(engine));
      engine.run('MULTI');
      for (let i = 0; i < 20; i++) commands.run(engine);
      engine.run('EXEC');
      for (const words of SWEEPING) {
        engine.run(...words);
        for (let i = 0; i < 50; i++) commands.run(engine);
      }
      const { digest } = engine;
      await opened[Symbol.asyncDispose]();
      await using again = await openAof(folder, settings, engine.clock.now());
      assert.equal(again.engine.digest, digest);
    });
  }

  test(`a crash at any moment of a rewrite to ${name} loses no write`, async (t) => {
    const folder = temporaryFolder(t);
    const commands = new RandomCommands(seededRandom(5));
    await using opened = await openAof(folder, settings);
    const { engine } = opened;
    commands.fill(engine);
    let moments = 0;
    const crash = async (): Promise<void> => {
      commands.run(engine);
      opened.flush();
      const { digest } = engine;
      assert.equal(await digestAfterCrash(folder, settings, engine.clock.now()), digest, `moment ${moments}`);
      moments++;
    };
    // A fast machine may finish a rewrite in one or two iterations: then another one follows.
    for (let rewrites = 0; rewrites < 20 && moments <= 2; rewrites++) {
      engine.run('BGREWRITEAOF');
      await rewritten(opened, crash);
    }
    await crash();
    assert.ok(moments > 2, 'the rewrites ended before any command ran');
    assert.ok(opened.persistence.aof.rewriting.isLastOk);
  });
}

test('files and manifest have the names and format of Redis 7', async (t) => {
  const folder = temporaryFolder(t);
  await using opened = await openAof(folder);
  const manifest = (): string => readFileSync(join(folder, 'appendonlydir/appendonly.aof.manifest'), 'utf8');
  assert.equal(
    manifest(),
    'file appendonly.aof.1.base.rdb seq 1 type b\nfile appendonly.aof.1.incr.aof seq 1 type i\n',
  );
  opened.engine.run('SET', 'key', 'value');
  opened.engine.run('BGREWRITEAOF');
  assert.equal(
    manifest(),
    'file appendonly.aof.1.base.rdb seq 1 type b\nfile appendonly.aof.1.incr.aof seq 1 type i\n' +
      'file appendonly.aof.2.incr.aof seq 2 type i\n',
  );
  await rewritten(opened, () => {});
  assert.equal(
    manifest(),
    'file appendonly.aof.2.base.rdb seq 2 type b\nfile appendonly.aof.2.incr.aof seq 2 type i\n',
  );
  await opened.persistence.close();
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('temp-')),
    [],
  );
});

test('commands are recorded with SELECT, and with MULTI around transactions', async (t) => {
  const folder = temporaryFolder(t);
  await using opened = await openAof(folder);
  const { engine } = opened;
  for (const line of ['SET a 1', 'MULTI', 'INCR a', 'SELECT 2', 'SET b 2', 'EXEC', 'GET b', 'PUBLISH c m']) {
    engine.run(...line.split(' '));
  }
  opened.flush();
  const words = readFileSync(join(folder, 'appendonlydir/appendonly.aof.1.incr.aof'), 'latin1')
    .split('\r\n')
    .filter((line) => line !== '' && !/^[*$]/.test(line));
  assert.equal(words.join(' '), 'SELECT 0 SET a 1 MULTI INCR a SELECT 2 SET b 2 EXEC');
});

test('a key that expired while no server ran is restored from the file', async (t) => {
  const folder = temporaryFolder(t);
  {
    await using opened = await openAof(folder);
    opened.engine.run('SET', 'counter', 5, 'PX', 100);
    opened.engine.run('INCR', 'counter');
    opened.engine.run('PERSIST', 'counter');
    opened.engine.run('SET', 'short', 1, 'PX', 100);
    opened.engine.run('INCR', 'short');
  }
  await using again = await openAof(folder, {}, 1_800_000_000_000);
  assert.equal(again.engine.run('GET', 'counter'), '$1\r\n6\r\n');
  assert.equal(again.engine.run('GET', 'short'), '$-1\r\n');
});

for (const { name, settings } of FORMATS) {
  test(`functions are restored, from recorded commands and from a base of ${name}`, async (t) => {
    const folder = temporaryFolder(t);
    const library = (word: string): string =>
      `#!lua name=${word}\nredis.register_function('${word}', function() return '${word}' end)`;
    {
      await using opened = await openAof(folder, settings);
      opened.engine.run('FUNCTION', 'LOAD', library('first'));
      opened.engine.run('BGREWRITEAOF');
      await rewritten(opened, () => {});
      opened.engine.run('FUNCTION', 'LOAD', library('second'));
    }
    await using again = await openAof(folder, settings);
    assert.equal(again.engine.run('FCALL', 'first', 0), '$5\r\nfirst\r\n');
    assert.equal(again.engine.run('FCALL', 'second', 0), '$6\r\nsecond\r\n');
  });
}

test('a script is recorded as its commands, in one transaction', async (t) => {
  const folder = temporaryFolder(t);
  await using opened = await openAof(folder);
  opened.engine.run('EVAL', "for i = 1, 3 do redis.call('RPUSH', 'list', i) end", 0);
  opened.flush();
  const words = readFileSync(join(folder, 'appendonlydir/appendonly.aof.1.incr.aof'), 'latin1')
    .split('\r\n')
    .filter((line) => line !== '' && !/^[*$]/.test(line));
  assert.equal(words.join(' '), 'SELECT 0 MULTI RPUSH list 1 RPUSH list 2 RPUSH list 3 EXEC');
});

test('appendonly can be switched on and off while the server runs', async (t) => {
  const folder = temporaryFolder(t);
  const off = { appendonly: 'no' };
  await using opened = await openAof(folder, off);
  const { engine } = opened;
  const commands = new RandomCommands(seededRandom(3));
  commands.fill(engine);
  assert.equal(engine.run('CONFIG', 'SET', 'appendonly', 'yes'), '+OK\r\n');
  await rewritten(opened, () => void commands.run(engine));
  for (let i = 0; i < 50; i++) commands.run(engine);
  opened.flush();
  const { digest } = engine;
  assert.equal(await digestAfterCrash(folder, {}, engine.clock.now()), digest);
  assert.equal(engine.run('CONFIG', 'SET', 'appendonly', 'no'), '+OK\r\n');
  commands.run(engine);
  assert.match(engine.run('INFO', 'persistence'), /aof_enabled:0/);
  assert.equal(await digestAfterCrash(folder, {}, engine.clock.now()), digest);
});

test('switching on, off and on again at once leaves one complete file', async (t) => {
  const folder = temporaryFolder(t);
  await using opened = await openAof(folder, { appendonly: 'no' });
  const { engine } = opened;
  new RandomCommands(seededRandom(4)).fill(engine);
  for (const value of ['yes', 'no', 'yes']) engine.run('CONFIG', 'SET', 'appendonly', value);
  await rewritten(opened, () => void engine.run('INCR', 'n'));
  engine.run('INCR', 'n');
  opened.flush();
  assert.equal(await digestAfterCrash(folder, {}, engine.clock.now()), engine.digest);
});

test('no file name is used twice, because the removal of the old file may still be pending', async (t) => {
  const folder = temporaryFolder(t);
  await using opened = await openAof(folder);
  const { engine } = opened;
  const files = (): string[] => opened.persistence.aof.folder.parts.map(({ name }) => name);
  assert.deepEqual(files(), ['appendonly.aof.1.base.rdb', 'appendonly.aof.1.incr.aof']);
  engine.run('CONFIG', 'SET', 'appendonly', 'no');
  engine.run('BGREWRITEAOF');
  await rewritten(opened, () => {});
  assert.deepEqual(files(), ['appendonly.aof.2.base.rdb']);
  engine.run('CONFIG', 'SET', 'appendonly', 'yes');
  await rewritten(opened, () => {});
  assert.deepEqual(files(), ['appendonly.aof.3.base.rdb', 'appendonly.aof.2.incr.aof']);
});

test('a rewrite starts automatically when the file has grown enough', async (t) => {
  const folder = temporaryFolder(t);
  await using opened = await openAof(folder, { 'auto-aof-rewrite-min-size': '10000' });
  const { engine } = opened;
  for (let i = 0; i < 500; i++) engine.run('SET', 'key', 'x'.repeat(100));
  opened.flush();
  engine.engine.background.tick();
  assert.ok(opened.persistence.aof.rewriting.isActive);
  await rewritten(opened, () => {});
  assert.ok(opened.persistence.aof.currentSize < 1000);
  engine.engine.background.tick();
  assert.ok(!opened.persistence.aof.rewriting.isActive);
});

test('bases and increments are numbered on their own, also while replaced files are kept', async (t) => {
  const folder = temporaryFolder(t);
  await using opened = await openAof(folder, { 'aof-disable-auto-gc': 'yes' });
  const { engine, persistence } = opened;
  const rewrite = async (): Promise<void> => {
    engine.run('BGREWRITEAOF');
    await rewritten(opened, () => {});
  };
  for (let i = 0; i < 3; i++) {
    engine.run('CONFIG', 'SET', 'appendonly', 'no');
    await rewrite();
  }
  engine.run('CONFIG', 'SET', 'appendonly', 'yes');
  await rewritten(opened, () => {});
  await rewrite();
  await rewrite();
  assert.deepEqual(
    persistence.aof.folder.manifest.increments.map(({ seq }) => seq),
    [4],
  );
});

test('a rewrite and a save never run at the same time', async (t) => {
  const folder = temporaryFolder(t);
  await using opened = await openAof(folder);
  const { engine, persistence } = opened;
  new RandomCommands(seededRandom(6)).fill(engine);
  assert.equal(engine.run('BGSAVE'), '+Background saving started\r\n');
  assert.equal(engine.run('BGREWRITEAOF'), '+Background append only file rewriting scheduled\r\n');
  assert.match(engine.run('INFO', 'persistence'), /aof_rewrite_scheduled:1/);
  while (persistence.rdb.job !== undefined) await nextRound();
  engine.engine.background.tick();
  assert.ok(persistence.aof.rewriting.isActive);
  assert.equal(
    engine.run('BGREWRITEAOF'),
    '-ERR Background append only file rewriting already in progress\r\n',
  );
  assert.match(engine.run('BGSAVE'), /^-ERR Another child process is active \(AOF\?\)/);
  assert.equal(engine.run('BGSAVE', 'SCHEDULE'), '+Background saving scheduled\r\n');
  await rewritten(opened, () => {});
  engine.run('MULTI');
  engine.run('BGREWRITEAOF');
  assert.equal(engine.run('EXEC'), '*1\r\n+Background append only file rewriting scheduled\r\n');
});

test('an append-only file enabled in a transaction has each of its commands once', async (t) => {
  const folder = temporaryFolder(t);
  const opened = await openAof(folder, { appendonly: 'no' });
  const { engine, persistence } = opened;
  engine.run('MULTI');
  engine.run('INCR', 'n');
  engine.run('CONFIG', 'SET', 'appendonly', 'yes');
  engine.run('RPUSH', 'list', 'a');
  assert.equal(engine.run('EXEC'), '*3\r\n:1\r\n+OK\r\n:1\r\n');
  assert.match(engine.run('INFO', 'persistence'), /aof_rewrite_scheduled:1/);
  engine.engine.background.tick();
  assert.ok(persistence.aof.rewriting.isActive);
  await rewritten(opened, () => {});
  engine.run('INCR', 'n');
  const { digest } = engine;
  await opened[Symbol.asyncDispose]();
  await using again = await openAof(folder, {}, engine.clock.now());
  assert.equal(again.engine.run('GET', 'n'), '$1\r\n2\r\n');
  assert.equal(again.engine.digest, digest);
});

test('DEBUG LOADAOF loads the recorded data, and records nothing', async (t) => {
  const folder = temporaryFolder(t);
  await using opened = await openAof(folder, { 'enable-debug-command': 'yes' });
  const { engine } = opened;
  new RandomCommands(seededRandom(8)).fill(engine);
  const { digest } = engine;
  opened.flush();
  const size = opened.persistence.aof.currentSize;
  assert.equal(engine.run('DEBUG', 'LOADAOF'), '+OK\r\n');
  opened.flush();
  assert.equal(engine.digest, digest);
  assert.equal(opened.persistence.aof.currentSize, size);
});

test('data that exceeds limits lowered later is still loaded', async (t) => {
  const folder = temporaryFolder(t);
  const opened = await openAof(folder, { 'stream-node-max-entries': '10' });
  const { engine } = opened;
  for (let i = 0; i < 100; i++) engine.run('XADD', 'stream', '*', 'n', String(i));
  engine.run('XADD', 'stream', 'MAXLEN', '~', '55', 'LIMIT', '30', '*', 'n', '100');
  engine.run('XTRIM', 'stream', 'MAXLEN', '~', '20', 'LIMIT', '10');
  engine.run('SETRANGE', 'string', '2000000', 'x');
  engine.run('SETBIT', 'bits', '16000000', '1');
  const { digest } = engine;
  await opened[Symbol.asyncDispose]();
  const later = { 'stream-node-max-entries': '1', 'proto-max-bulk-len': '1mb' };
  await using again = await openAof(folder, later, engine.clock.now());
  assert.equal(again.engine.run('XLEN', 'stream'), ':61\r\n');
  assert.equal(again.engine.digest, digest);
});

for (const appendfsync of ['always', 'everysec', 'no'])
  test(`with ${appendfsync}, no reply is sent before its write is in the file`, async (t) => {
    const folder = temporaryFolder(t);
    await using opened = await openAof(folder, { appendfsync });
    const { engine } = opened.engine;
    let released = 0;
    engine.attach({ repliesReleased: () => released++ });
    opened.engine.run('GET', 'key');
    assert.equal(engine.holdsReplies, false);
    opened.engine.run('SET', 'key', 'value');
    opened.engine.run('SET', 'other', 'value');
    assert.equal(engine.holdsReplies, true);
    await nextRound();
    assert.equal(engine.holdsReplies, false);
    assert.equal(released, 1, 'one write serves all commands of a turn');
    assert.equal(opened.persistence.aof.output.bufferLength, 0);
  });
