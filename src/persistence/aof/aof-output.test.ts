import assert from 'node:assert/strict';
import fs, { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Effects } from '../../keyspace/effects.js';
import { AofOutput } from './aof-output.js';

/** An output to a file, with a clock that the test moves and background syncs that the test ends. */
class Bench {
  now = 1000;
  isJobActive = false;
  failure: string | undefined;
  readonly log: string[] = [];
  readonly measured: string[] = [];
  readonly path: string;
  readonly output: AofOutput;
  readonly #syncs: ((error: NodeJS.ErrnoException | null) => void)[] = [];

  constructor(t: TestContext) {
    const folder = mkdtempSync(join(tmpdir(), 'sorrel-output-'));
    this.path = join(folder, 'file.aof');
    const original = fs.fdatasync;
    fs.fdatasync = ((_fd: number, done: (error: NodeJS.ErrnoException | null) => void) => {
      this.#syncs.push(done);
    }) as typeof fs.fdatasync;
    syncBuiltinESMExports();
    t.after(() => {
      fs.fdatasync = original;
      syncBuiltinESMExports();
      this.output.discard();
      rmSync(folder, { recursive: true });
    });
    this.output = new AofOutput({
      now: () => Math.floor(this.now),
      milliseconds: () => this.now * 1000,
      log: (_level, message) => void this.log.push(message),
      fail: (reason) => {
        throw new Error(reason);
      },
      statusChanged: (reason) => {
        this.failure = reason;
      },
      isJobActive: () => this.isJobActive,
      latency: {
        start: () => 0,
        since: () => 7,
        note: (ms, ...names) => void this.measured.push(`${names.join(' ')} ${ms}`),
      },
    });
    this.output.switchTo(openSync(this.path, 'a'));
  }

  get syncs(): number {
    return this.#syncs.length;
  }

  endSync(error: NodeJS.ErrnoException | null = null): void {
    this.#syncs.shift()?.(error);
  }

  /** Appends one command and ends the turn. */
  write(): void {
    const effects = new Effects();
    effects.subscribe({ batch: (commands, independent) => this.output.append(commands, independent) });
    effects.rewrite({ index: 0 } as never, 'INCR', 'n');
    effects.flush();
    this.output.flush();
  }

  get commands(): number {
    return readFileSync(this.path, 'latin1').split('INCR').length - 1;
  }
}

test('with everysec, the file is synced once a second, in the background', (t) => {
  const bench = new Bench(t);
  bench.write();
  assert.equal(bench.syncs, 0);
  bench.now++;
  bench.output.flush();
  assert.equal(bench.syncs, 1, 'also without further writes');
  bench.endSync();
  bench.now++;
  bench.output.flush();
  assert.equal(bench.syncs, 0, 'not when everything is synced');
});

test('with everysec, a write waits for a running sync, but no longer than a second', (t) => {
  const bench = new Bench(t);
  bench.now++;
  bench.write();
  assert.deepEqual([bench.syncs, bench.commands], [1, 1]);
  bench.now += 0.5;
  bench.write();
  bench.now += 0.75;
  bench.output.flush();
  assert.equal(bench.commands, 1);
  bench.now += 0.25;
  bench.output.flush();
  assert.equal(bench.commands, 2);
  assert.equal(bench.output.delayedSyncs, 1);
  assert.match(bench.log.join(), /Asynchronous AOF fsync is taking too long/);
  bench.write();
  bench.endSync();
  bench.output.flush();
  assert.equal(bench.commands, 3, 'the sync has ended, so writes need not wait');
  assert.equal(bench.output.delayedSyncs, 1);
});

test('a failed background sync stops writes until a sync succeeds', (t) => {
  const bench = new Bench(t);
  bench.now++;
  bench.write();
  bench.endSync(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }));
  assert.equal(bench.failure, 'Input/output error');
  bench.now++;
  bench.output.flush();
  bench.endSync();
  assert.equal(bench.failure, undefined);
});

test('with no-appendfsync-on-rewrite, the file is not synced while a snapshot is written', (t) => {
  const bench = new Bench(t);
  bench.output.yieldsToJobs = true;
  bench.isJobActive = true;
  bench.now++;
  bench.write();
  assert.deepEqual([bench.syncs, bench.commands], [0, 1]);
  bench.isJobActive = false;
  bench.output.flush();
  assert.equal(bench.syncs, 1);
});

test('with no, the operating system decides when to write to disk', (t) => {
  const bench = new Bench(t);
  bench.output.policy = 'no';
  bench.now++;
  bench.write();
  assert.deepEqual([bench.syncs, bench.commands], [0, 1]);
});

test('writes and syncs that clients wait for are measured, by what else uses the disk', (t) => {
  const bench = new Bench(t);
  bench.write();
  bench.isJobActive = true;
  bench.write();
  bench.output.policy = 'always';
  bench.write();
  assert.deepEqual(bench.measured, [
    'aof-write-alone aof-write 7',
    'aof-write-active-child aof-write 7',
    'aof-write-active-child aof-write 7',
    'aof-fsync-always 7',
  ]);
});
