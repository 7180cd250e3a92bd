import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Bytes } from '../bytes/bytes.js';
import { ManualClock } from '../bytes/clock.js';
import { Engine } from '../engine/engine.js';
import type { Timers } from '../engine/timers.js';
import { RespWriter } from '../resp/resp-writer.js';
import { Persistence } from './persistence.js';

/** Timers whose work runs only when the test calls `next`. */
class ManualTimers implements Timers {
  readonly #soon: (() => void)[] = [];
  /** The last delayed work. */
  delayed: (() => void) | undefined;

  after(_ms: number, work: () => void): () => void {
    this.delayed = work;
    return () => {
      if (this.delayed === work) this.delayed = undefined;
    };
  }

  soon(work: () => void): () => void {
    this.#soon.push(work);
    return () => void this.#soon.splice(this.#soon.indexOf(work), 1);
  }

  /** Runs the next piece of work; returns false if there is none. */
  next(): boolean {
    const work = this.#soon.shift();
    work?.();
    return work !== undefined;
  }
}

/** An engine that keeps its data in a folder. */
class Kept {
  readonly timers = new ManualTimers();
  readonly clock = new ManualClock();
  readonly engine = new Engine({ timers: this.timers, clock: this.clock });
  readonly persistence: Persistence;
  readonly log: string[] = [];
  readonly #session = this.engine.openSession({ send() {}, close() {}, pending: 0, resume() {} });
  readonly #writer = new RespWriter();

  constructor(folder: string) {
    this.engine.settings.configure('dir', folder);
    this.engine.settings.configure('enable-debug-command', 'yes');
    this.engine.attach({ host: { log: (_, message) => void this.log.push(message) } });
    this.persistence = new Persistence(this.engine);
  }

  run(line: string): string {
    const args = line.split(' ').map((word) => Bytes.of(word));
    this.engine.beginTurn();
    this.engine.execute(this.#session, args, args.length, this.#writer);
    this.engine.endTurn();
    const reply = this.#writer.buffer.latin1Slice(0, this.#writer.length);
    this.#writer.reset();
    return reply;
  }

  /** Runs the waiting work until the background save is finished. */
  async finishSaving(): Promise<void> {
    while (this.persistence.rdb.job !== undefined) {
      this.timers.next();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

function folderOf(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-persistence-'));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('another engine loads the data that was saved', async (context) => {
  const folder = folderOf(context);
  const first = new Kept(folder);
  first.run('SET key value');
  first.run('HSET hash field value');
  assert.equal(first.run('SAVE'), '+OK\r\n');
  const second = new Kept(folder);
  await second.persistence.load();
  assert.equal(second.run('GET key'), '$5\r\nvalue\r\n');
  assert.equal(second.run('HGET hash field'), '$5\r\nvalue\r\n');
  assert.match(second.run('INFO persistence'), /rdb_last_load_keys_loaded:2\r\n/);
  assert.match(second.run('INFO persistence'), /rdb_changes_since_last_save:0\r\n/);
});

test('without a file an engine starts empty', async (context) => {
  const kept = new Kept(folderOf(context));
  await kept.persistence.load();
  assert.equal(kept.run('DBSIZE'), ':0\r\n');
});

test('during loading, commands that need the data are refused and INFO reports the progress', async (context) => {
  const folder = folderOf(context);
  const first = new Kept(folder);
  first.run('DEBUG POPULATE 50000');
  first.run('SAVE');
  const second = new Kept(folder);
  const loaded = second.persistence.load();
  let slices = 0;
  while (second.engine.isLoading) {
    assert.equal(second.run('GET key:1'), '-LOADING Redis is loading the dataset in memory\r\n');
    assert.match(second.run('INFO persistence'), /^loading:1\r$/m);
    assert.match(second.run('INFO persistence'), /^loading_total_bytes:[1-9]\d*\r$/m);
    assert.match(second.run('LASTSAVE'), /^:\d+\r\n$/);
    second.clock.advance(2000);
    second.timers.next();
    await new Promise((resolve) => setImmediate(resolve));
    slices++;
  }
  await loaded;
  assert.ok(slices > 0);
  const logged = second.log.filter((line) =>
    /^Loading: \d+\.\d\d% of \d+\.\d MB, about \d+ seconds/.test(line),
  );
  assert.equal(logged.length, slices - 1, 'no progress is logged after the last slice');
  assert.equal(second.run('GET key:1'), '$7\r\nvalue:1\r\n');
  assert.doesNotMatch(second.run('INFO persistence'), /loading_total_bytes/);
});

test('a background save holds the data of the moment it began, and later changes are counted', async (context) => {
  const folder = folderOf(context);
  const kept = new Kept(folder);
  kept.run('SET key before');
  assert.equal(kept.run('BGSAVE'), '+Background saving started\r\n');
  assert.equal(kept.run('BGSAVE'), '-ERR Background save already in progress\r\n');
  assert.equal(kept.run('BGSAVE SCHEDULE'), '-ERR Background save already in progress\r\n');
  assert.equal(kept.run('SAVE'), '-ERR Background save already in progress\r\n');
  kept.run('SET key after');
  kept.clock.advance(3000);
  assert.match(kept.run('INFO persistence'), /rdb_current_bgsave_time_sec:3\r\n/);
  await kept.finishSaving();
  const info = kept.run('INFO persistence');
  assert.match(info, /rdb_changes_since_last_save:1\r\nrdb_bgsave_in_progress:0\r\n/);
  assert.match(info, /rdb_last_bgsave_status:ok\r\nrdb_last_bgsave_time_sec:3\r\n/);
  assert.deepEqual(readdirSync(folder), ['dump.rdb']);
  assert.equal(kept.run('DEBUG RELOAD NOSAVE'), '+OK\r\n');
  assert.equal(kept.run('GET key'), '$6\r\nbefore\r\n');
});

test('BGSAVE in a transaction starts after the transaction', async (context) => {
  const kept = new Kept(folderOf(context));
  kept.run('MULTI');
  kept.run('BGSAVE');
  assert.equal(kept.run('EXEC'), '*1\r\n+Background saving scheduled\r\n');
  kept.engine.background.tick();
  assert.ok(kept.persistence.rdb.job !== undefined);
  await kept.finishSaving();
});

test('a save rule triggers after enough changes and enough time', async (context) => {
  const kept = new Kept(folderOf(context));
  kept.engine.settings.set([['save', '10 2']]);
  kept.run('SET a 1');
  kept.clock.advance(11_000);
  kept.engine.background.tick();
  assert.equal(kept.persistence.rdb.job, undefined);
  kept.run('SET b 2');
  kept.engine.background.tick();
  assert.ok(kept.log.includes('2 changes in 10 seconds. Saving...'));
  await kept.finishSaving();
  kept.run('MSET a 3 b 4');
  kept.engine.background.tick();
  assert.equal(kept.persistence.rdb.job, undefined);
});

test('a failed save is retried after five seconds, and writes are refused until it succeeds', async (context) => {
  const folder = folderOf(context);
  const kept = new Kept(folder);
  kept.engine.settings.set([['save', '1 1']]);
  kept.engine.settings.configure('dir', join(folder, 'none'));
  kept.run('SET a 1');
  kept.clock.advance(2000);
  kept.engine.background.tick();
  await kept.finishSaving();
  assert.match(kept.run('SET a 2'), /^-MISCONF /);
  assert.match(kept.run('PING'), /^-MISCONF /);
  assert.equal(kept.run('GET a'), '$1\r\n1\r\n');
  kept.engine.settings.configure('dir', folder);
  kept.clock.advance(5000);
  kept.engine.background.tick();
  assert.equal(kept.persistence.rdb.job, undefined);
  kept.clock.advance(1000);
  kept.engine.background.tick();
  await kept.finishSaving();
  assert.equal(kept.run('SET a 2'), '+OK\r\n');
});

test('DEBUG RELOAD keeps keys with NOFLUSH and replaces them from the file with MERGE', (context) => {
  const kept = new Kept(folderOf(context));
  kept.run('SET a saved');
  kept.run('SAVE');
  kept.run('SET a changed');
  kept.run('SET b new');
  assert.match(kept.run('DEBUG RELOAD NOSAVE NOFLUSH'), /^-ERR Error trying to load the RDB dump/);
  assert.equal(kept.run('DEBUG RELOAD NOSAVE NOFLUSH MERGE'), '+OK\r\n');
  assert.equal(kept.run('GET a'), '$5\r\nsaved\r\n');
  assert.equal(kept.run('GET b'), '$3\r\nnew\r\n');
});

test('before exit a background save is aborted, and the data is saved if there are save rules', async (context) => {
  const folder = folderOf(context);
  const kept = new Kept(folder);
  kept.run('SET a 1');
  kept.run('BGSAVE');
  assert.ok(kept.persistence.beforeExit({ save: undefined, force: false }));
  await kept.persistence.close();
  assert.deepEqual(readdirSync(folder), ['dump.rdb']);
  const again = new Kept(folder);
  await again.persistence.load();
  assert.equal(again.run('GET a'), '$1\r\n1\r\n');
  again.engine.settings.set([['save', '']]);
  again.run('SET a 2');
  assert.ok(again.persistence.beforeExit({ save: undefined, force: false }));
  assert.equal(again.persistence.rdb.changes, 1);
  again.engine.settings.configure('dir', join(folder, 'none'));
  assert.equal(again.persistence.beforeExit({ save: true, force: false }), false);
  assert.equal(again.persistence.beforeExit({ save: true, force: true }), true);
});

test('a damaged file is reported with the position of the damage', async (context) => {
  const folder = folderOf(context);
  writeFileSync(join(folder, 'dump.rdb'), 'REDIS0010\xfe\x00\xc8', 'latin1');
  await assert.rejects(new Kept(folder).persistence.load(), /^DamagedFile: byte 12: 200 is neither/);
});

test('dbfilename must not contain a path', (context) => {
  const kept = new Kept(folderOf(context));
  assert.throws(() => kept.engine.settings.configure('dbfilename', 'a/b'), /./);
});

test('a save slowed down by rdb-key-save-delay is aborted by FLUSHALL, or continues after the delay', async (context) => {
  const kept = new Kept(folderOf(context));
  kept.run('CONFIG SET rdb-key-save-delay 1000');
  kept.run('SET key value');
  kept.run('BGSAVE');
  assert.equal(kept.timers.next(), false);
  kept.run('FLUSHALL');
  await kept.finishSaving();
  assert.match(kept.run('INFO persistence'), /rdb_last_bgsave_status:ok\r\n/);
  kept.run('SET key value');
  kept.run('BGSAVE');
  kept.timers.delayed?.();
  await kept.finishSaving();
  assert.match(kept.run('INFO persistence'), /rdb_last_bgsave_status:ok\r\n/);
  assert.match(kept.run('INFO stats'), /total_forks:2\r\n/);
  kept.run('CONFIG RESETSTAT');
  assert.match(kept.run('INFO stats'), /total_forks:0\r\n/);
  assert.match(kept.run('INFO persistence'), /rdb_saves:0\r\n/);
});

test('a save slowed down by rdb-key-save-delay continues at once when the delay is removed', async (context) => {
  const kept = new Kept(folderOf(context));
  kept.run('CONFIG SET rdb-key-save-delay 10000000');
  kept.run('SET key value');
  kept.run('BGSAVE');
  kept.timers.delayed?.();
  assert.equal(kept.timers.next(), false);
  kept.run('CONFIG SET rdb-key-save-delay 0');
  kept.timers.delayed?.();
  await kept.finishSaving();
  assert.match(kept.run('INFO persistence'), /rdb_last_bgsave_status:ok\r\n/);
});

test('a save slowed down by rdb-key-save-delay writes key by key, and INFO counts what commands changed meanwhile', async (context) => {
  const kept = new Kept(folderOf(context));
  kept.run('CONFIG SET rdb-key-save-delay 20000');
  kept.run('DEBUG POPULATE 40');
  kept.run('BGSAVE');
  assert.match(kept.run('INFO persistence'), /current_save_keys_processed:0\r\n/);
  kept.timers.delayed?.();
  assert.equal(kept.timers.next(), true);
  const info = kept.run('INFO persistence');
  assert.match(info, /current_cow_size:0\r\n/);
  assert.match(info, /current_save_keys_processed:[1-9]\r\ncurrent_save_keys_total:40\r\n/);
  for (let i = 0; i < 40; i++) kept.run(`APPEND key:${i} more`);
  assert.match(kept.run('INFO persistence'), /current_cow_size:[1-9]\d*\r\n/);
  kept.run('CONFIG SET rdb-key-save-delay 0');
  kept.timers.delayed?.();
  await kept.finishSaving();
  assert.match(kept.run('INFO persistence'), /rdb_last_cow_size:[1-9]\d*\r\n/);
});

for (const file of ['a dump', 'an append-only file']) {
  test(`loading ${file} slowed down by key-load-delay goes on key by key, and at once when the delay is removed`, async (context) => {
    const folder = folderOf(context);
    const first = new Kept(folder);
    const second = new Kept(folder);
    if (file === 'an append-only file') {
      for (const { engine } of [first, second]) engine.settings.configure('appendonly', 'yes');
    }
    await first.persistence.load();
    for (const key of ['a', 'b', 'c']) first.run(`SET ${key} value`);
    if (file === 'a dump') first.run('SAVE');
    await first.persistence.close();
    second.run('CONFIG SET key-load-delay 1000000');
    const loaded = second.persistence.load();
    const size = (): number => second.engine.database(0).size;
    const until = async (keys: number): Promise<void> => {
      while (size() < keys) {
        second.timers.delayed?.();
        second.timers.next();
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await until(1);
    assert.equal(size(), 1);
    assert.equal(second.engine.isLoading, true);
    second.timers.delayed?.();
    assert.equal(second.timers.next(), false);
    await until(2);
    assert.equal(size(), 2);
    second.run('CONFIG SET key-load-delay 0');
    second.timers.delayed?.();
    while (second.engine.isLoading) {
      second.timers.next();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await loaded;
    assert.equal(size(), 3);
  });
}

test('DEBUG RELOAD NOFLUSH refuses functions that already exist, MERGE replaces them', (context) => {
  const kept = new Kept(folderOf(context));
  kept.run('FUNCTION LOAD #!lua\tname=kept\nredis.register_function("f",\tfunction()\treturn\t1\tend)');
  assert.match(kept.run('DEBUG RELOAD NOFLUSH'), /^-ERR Error trying to load the RDB/);
  assert.equal(kept.run('DEBUG RELOAD NOFLUSH MERGE'), '+OK\r\n');
  assert.match(kept.run('FUNCTION LIST'), /kept/);
});

test('DEBUG RELOAD removes functions that are not in the file', (context) => {
  const kept = new Kept(folderOf(context));
  kept.run('FUNCTION LOAD #!lua\tname=kept\nredis.register_function("f",\tfunction()\treturn\t1\tend)');
  assert.match(kept.run('FUNCTION LIST'), /kept/);
  kept.run('SAVE');
  kept.run('FUNCTION LOAD #!lua\tname=gone\nredis.register_function("g",\tfunction()\treturn\t2\tend)');
  assert.match(kept.run('FUNCTION LIST'), /gone/);
  assert.equal(kept.run('DEBUG RELOAD NOSAVE'), '+OK\r\n');
  assert.match(kept.run('FUNCTION LIST'), /kept/);
  assert.doesNotMatch(kept.run('FUNCTION LIST'), /gone/);
});

test('DEBUG RELOAD during a background save: both succeed', async (context) => {
  const folder = folderOf(context);
  const kept = new Kept(folder);
  for (let i = 0; i < 5000; i++) kept.run(`SET key:${i} ${'x'.repeat(100)}`);
  kept.run('BGSAVE');
  kept.timers.next();
  kept.run('SET later 1');
  assert.equal(kept.run('DEBUG RELOAD'), '+OK\r\n');
  assert.equal(kept.run('DBSIZE'), ':5001\r\n');
  await kept.finishSaving();
  assert.equal(kept.persistence.rdb.isLastSaveOk, true);
  assert.deepEqual(readdirSync(folder), ['dump.rdb']);
  assert.equal(kept.run('DEBUG RELOAD NOSAVE'), '+OK\r\n');
  assert.equal(kept.run('DBSIZE'), ':5000\r\n');
});

test('temporary files of ended processes are removed, and nothing else', async (context) => {
  const folder = folderOf(context);
  const ended = spawnSync(process.execPath, ['--version']).pid;
  const stale = [`temp-${ended}.rdb`, `temp-${ended}-3.rdb`, `temp-rewriteaof-${ended}.aof`];
  const others = [`temp-${process.ppid}.rdb`, `temp-rewriteaof-bg-${process.ppid}-1.aof`, 'temp-notes.rdb'];
  for (const name of [...stale, `temp-${process.pid}.rdb`, ...others]) writeFileSync(join(folder, name), 'x');
  await new Kept(folder).persistence.load();
  assert.deepEqual(readdirSync(folder).sort(), others.sort());
});

test('a save that the server itself aborts is no failure: writes go on', async (context) => {
  const kept = new Kept(folderOf(context));
  kept.run('CONFIG SET rdb-key-save-delay 1000000');
  kept.run('CONFIG SET save "900 1"');
  kept.run('SET key value');
  kept.run('BGSAVE');
  await kept.persistence.rdb.abort();
  assert.match(
    kept.run('INFO persistence'),
    /rdb_bgsave_in_progress:0\r\n(?:.*\r\n)*rdb_last_bgsave_status:ok\r\n/,
  );
  assert.match(kept.run('SET key other'), /OK/);
});
