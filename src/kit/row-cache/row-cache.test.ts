import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type EmbeddedStore, ManualClock, open } from '../../store/index.js';
import { type RowCache, type RowWorker, type RowWorkerOptions, rowCache } from './index.js';

interface Row {
  readonly id: string;
  readonly version: number;
}

class Bench {
  readonly loads: string[] = [];
  readonly errors: string[] = [];
  readonly workers: RowWorker[] = [];
  version = 0;
  failure: string | undefined;
  gone: string | undefined;
  held: Promise<void> | undefined;

  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
  readonly rows: RowCache<Row>;

  constructor(clock: ManualClock, store: EmbeddedStore) {
    this.clock = clock;
    this.store = store;
    this.rows = rowCache<Row>(store, 'stock');
  }

  work(options: RowWorkerOptions = {}): RowWorker {
    const load = async (id: string): Promise<Row | undefined> => {
      this.loads.push(id);
      const row = { id, version: this.version };
      await this.held;
      if (this.failure === id) throw new Error('the database is down');
      return this.gone === id ? undefined : row;
    };
    const onError = (error: unknown, row: string | undefined): void => {
      this.errors.push(`${row}: ${(error as Error).message}`);
    };
    const worker = this.rows.work(load, { onError, ...options });
    this.workers.push(worker);
    return worker;
  }

  /** Lets time pass, and the loads so far be forgotten. */
  async run(ms: number): Promise<string[]> {
    await this.clock.run(ms);
    return this.loads.splice(0).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop({ within: 0 })));
    await this.store.close();
  }
}

async function bench(): Promise<Bench> {
  const clock = new ManualClock(1_700_000_000_000);
  const store = await open('memory:', { clock });
  return new Bench(clock, store);
}

describe('A row cache', () => {
  it('loads a row at once, and then by its schedule', async () => {
    await using on = await bench();
    on.work();
    assert.equal(await on.rows.schedule('a', 5_000), false);
    assert.deepEqual(await on.run(1), ['a']);
    assert.deepEqual(await on.rows.get('a'), { id: 'a', version: 0 });
    on.version = 1;
    assert.deepEqual(await on.run(4_990), []);
    assert.equal((await on.rows.get('a'))?.version, 0);
    assert.deepEqual(await on.run(20), ['a']);
    assert.equal((await on.rows.get('a'))?.version, 1);
    assert.equal((await on.run(50_000)).length, 10);
    assert.equal(await on.rows.schedule('a', 1_000), true);
    assert.equal(await on.rows.interval('a'), 1_000);
    await on.run(1);
    assert.equal((await on.run(10_000)).length, 10);
  });

  it('forgets a row whose interval is 0 or less', async () => {
    await using on = await bench();
    on.work();
    await on.rows.schedule('a', 1_000);
    await on.rows.schedule('b', 1_000);
    await on.run(10);
    assert.equal(await on.rows.schedule('a', 0), true);
    assert.equal(await on.rows.get('a'), undefined);
    assert.equal(await on.rows.unschedule('a'), false);
    assert.equal(await on.rows.schedule('b', -5), true);
    assert.deepEqual(await on.run(100_000), []);
    assert.deepEqual(await on.store.send('KEYS', '*'), []);
  });

  it('does not bring back a row that was removed while it was loaded', async () => {
    await using on = await bench();
    on.work();
    let letGo = (): void => {};
    on.held = new Promise((resolve) => {
      letGo = resolve;
    });
    await on.rows.schedule('a', 1_000);
    assert.deepEqual(await on.run(10), ['a']);
    await on.rows.unschedule('a');
    await on.run(70_000);
    letGo();
    await on.run(10);
    assert.equal(await on.rows.get('a'), undefined);
    await on.run(70_000);
    assert.deepEqual(await on.store.send('KEYS', '*'), []);
  });

  it('loads a row once, however many workers there are', async () => {
    await using on = await bench();
    for (let i = 0; i < 5; i++) on.work({ concurrency: 2 });
    const ids = Array.from({ length: 30 }, (_, i) => `row ${String(i).padStart(2, '0')}`);
    for (const id of ids) await on.rows.schedule(id, 10_000);
    assert.deepEqual(await on.run(5_000), ids);
    assert.deepEqual(await on.run(10_000), ids);
    const [first, unknown] = await on.rows.getMany(['row 00', 'unknown']);
    assert.deepEqual([first?.id, unknown], ['row 00', undefined]);
    assert.equal(await on.rows.size(), 30);
  });

  it('gives the row of a worker that has died to another, whose value stays', async () => {
    await using on = await bench();
    let letGo = (): void => {};
    on.held = new Promise((resolve) => {
      letGo = resolve;
    });
    const dead = on.work({ lease: 2_000 });
    await on.rows.schedule('a', 60_000);
    assert.deepEqual(await on.run(10), ['a']);
    // It no longer renews its lease, as if it had been paused.
    await on.store.send('HSET', 'rows:{stock}:claims', 'r:a', 'none');
    await on.run(700);
    on.held = undefined;
    on.version = 1;
    on.work({ lease: 2_000 });
    assert.deepEqual(await on.run(2_000), ['a']);
    assert.equal((await on.rows.get('a'))?.version, 1);
    letGo();
    await on.run(10);
    assert.equal((await on.rows.get('a'))?.version, 1, 'the late value is not stored');
    await dead.stop();
  });

  it('may take longer than its lease to load a row', async () => {
    await using on = await bench();
    let letGo = (): void => {};
    on.held = new Promise((resolve) => {
      letGo = resolve;
    });
    on.work({ lease: 1_000 });
    on.work({ lease: 1_000 });
    await on.rows.schedule('a', 60_000);
    assert.deepEqual(await on.run(20_000), ['a']);
    letGo();
    await on.run(10);
    assert.equal((await on.rows.get('a'))?.version, 0);
  });

  it('loads a row again that was scheduled while it was loaded', async () => {
    await using on = await bench();
    let letGo = (): void => {};
    on.held = new Promise((resolve) => {
      letGo = resolve;
    });
    on.work();
    await on.rows.schedule('a', 60_000);
    await on.run(10);
    on.version = 1;
    assert.equal(await on.rows.refresh('a'), true);
    assert.equal(await on.rows.refresh('unknown'), false);
    letGo();
    await on.run(10);
    assert.equal((await on.rows.get('a'))?.version, 1);
  });

  it('keeps the old value if a row cannot be loaded, and tries again soon', async () => {
    await using on = await bench();
    on.work({ retry: 500 });
    await on.rows.schedule('a', 10_000);
    await on.run(10);
    on.failure = 'a';
    await on.run(11_000);
    assert.deepEqual(new Set(on.errors), new Set(['a: the database is down']));
    assert.ok(on.errors.length >= 2);
    assert.equal((await on.rows.get('a'))?.version, 0);
    on.failure = undefined;
    on.version = 1;
    await on.run(500);
    assert.equal((await on.rows.get('a'))?.version, 1);
  });

  it('forgets a row that is gone', async () => {
    await using on = await bench();
    on.work();
    await on.rows.schedule('a', 1_000);
    await on.run(10);
    on.gone = 'a';
    await on.run(1_000);
    assert.equal(await on.rows.get('a'), undefined);
    assert.equal(await on.rows.size(), 0);
  });

  it('does not keep rows that are never refreshed', async () => {
    await using on = await bench();
    const worker = on.work();
    await on.rows.schedule('a', 1_000);
    await on.run(10);
    await worker.stop();
    await on.clock.run(3_601_000);
    assert.equal(await on.rows.get('a'), undefined);
  });

  it('asks the store only when a row is due', async () => {
    await using on = await bench();
    on.work();
    await on.rows.schedule('a', 10_000);
    await on.run(10);
    const commands = async (): Promise<number> => {
      const info = (await on.store.send('INFO', 'commandstats')) as string;
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(info)?.[1]);
    };
    const before = await commands();
    assert.ok(before > 0);
    await on.run(9_900);
    assert.equal(await commands(), before);
  });
});
