import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type EmbeddedStore,
  ManualClock,
  open,
  type ScriptDefinition,
  type Store,
} from '../../store/index.js';
import { type Statistics, type StatisticsOptions, type Summary, statistics, summarize } from './index.js';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
  readonly stats: Statistics;
}

async function bench(options: StatisticsOptions = {}): Promise<Bench> {
  const clock = new ManualClock(START);
  const store = await open('memory:', { clock });
  return { clock, store, stats: statistics(store, options), [Symbol.asyncDispose]: () => store.close() };
}

/** Mean and deviation in two passes, with the mean subtracted first: exact but for the last digits. */
function exactly(values: readonly number[]): {
  mean: number;
  deviation: number;
  atRank(rank: number): number;
} {
  const first = values[0] as number;
  const mean = first + values.reduce((sum, value) => sum + (value - first), 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const sorted = [...values].sort((a, b) => a - b);
  return {
    mean,
    deviation: values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1)),
    atRank: (rank) => sorted[rank - 1] as number,
  };
}

function assertNear(actual: number, expected: number, tolerance: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what} is ${actual}, not ${expected}`);
}

function assertSums(summary: Summary, values: readonly number[]): void {
  const { mean, deviation, atRank } = exactly(values);
  const size = Math.max(...values.map(Math.abs));
  const spread = Math.max(...values) - Math.min(...values);
  assert.equal(summary.count, values.length);
  assert.equal(summary.min, Math.min(...values));
  assert.equal(summary.max, Math.max(...values));
  assertNear(summary.mean, mean, 1e-13 * size, 'the mean');
  assertNear(summary.sum, mean * values.length, 1e-13 * size * values.length, 'the sum');
  assertNear(summary.deviation, deviation, 1e-9 * spread + 1e-13 * size, 'the deviation');
  for (const percent of [0, 1, 25, 50, 75, 90, 99, 99.9, 100]) {
    const expected = atRank(Math.max(1, Math.ceil((percent / 100) * values.length)));
    // A little more than 1 %, for values at the very end of a bucket.
    assertNear(
      summary.percentile(percent),
      expected,
      0.010001 * Math.abs(expected) + 1e-9,
      `percentile ${percent}`,
    );
  }
}

describe('Statistics', () => {
  it('run the example of their documentation', async () => {
    await using on = await bench();
    await on.stats.recordAll('upload', 'bytes', [100, 200, 600]);
    const summary = await on.stats.read('upload', 'bytes');
    assert.deepEqual(
      [summary?.count, summary?.mean, summary?.min, summary?.max, summary?.sum],
      [3, 300, 100, 600, 900],
    );
    assert.equal(await on.stats.read('upload', 'other'), undefined);
  });

  it('are equal to an exact computation, whatever is recorded in whatever portions', async () => {
    await using on = await bench();
    let round = 0;
    const value = fc.oneof(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.double({ min: 1e8, max: 1e8 + 1, noNaN: true }),
      fc.double({ min: 1e-6, max: 1e-3, noNaN: true }),
      fc.constantFrom(0, 1, 1, 100_000_000.1),
    );
    const portions = fc.array(fc.array(value, { maxLength: 12 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(portions, async (parts) => {
        const all = parts.flat();
        const context = `round ${round++}`;
        const clients = [on.stats, statistics(on.store)];
        await Promise.all(parts.map((part, i) => clients[i % 2]!.recordAll(context, 'x', part)));
        const summary = await on.stats.read(context, 'x');
        if (all.length === 0) assert.equal(summary, undefined);
        else assertSums(summary as Summary, all);
        const merged = parts
          .flatMap((part) => summarize(part) ?? [])
          .reduce<Summary | undefined>((one, other) => one?.merge(other) ?? other, undefined);
        if (merged !== undefined) assertSums(merged, all);
      }),
      { numRuns: 100 },
    );
  });

  it('have no deviation for equal values, where sums of squares cancel each other out', async () => {
    await using on = await bench();
    const values = [100_000_000.1, 100_000_000.1, 100_000_000.1];
    for (const value of values) await on.stats.record('x', 'y', value);
    assert.equal((await on.stats.read('x', 'y'))?.deviation, 0);
    // From count, sum and sum of squares:
    const sum = values.reduce((total, value) => total + value, 0);
    const squares = values.reduce((total, value) => total + value * value, 0);
    const cancelled = Math.sqrt(Math.abs(squares - sum ** 2 / 3) / 2);
    assert.ok(cancelled > 1, `${cancelled}`);
  });

  it('begin anew every hour of UTC, and keep the hour before', async () => {
    await using on = await bench();
    on.clock.advance(HOUR - 1);
    await on.stats.record('x', 'y', 1);
    on.clock.advance(1);
    assert.equal(await on.stats.read('x', 'y'), undefined, 'also if nothing is recorded in the new hour');
    assert.equal((await on.stats.read('x', 'y', { ago: 1 }))?.mean, 1);
    await on.stats.record('x', 'y', 5);
    const current = await on.stats.read('x', 'y');
    const before = await on.stats.read('x', 'y', { ago: 1 });
    assert.deepEqual(
      [current?.mean, current?.from, current?.to],
      [5, new Date(START + HOUR), new Date(START + 2 * HOUR)],
    );
    assert.deepEqual([before?.mean, before?.from], [1, new Date(START)]);
    const both = before?.merge(current as Summary);
    assert.deepEqual(
      [both?.count, both?.mean, both?.from, both?.to],
      [2, 3, new Date(START), new Date(START + 2 * HOUR)],
    );
    on.clock.advance(HOUR + 1);
    assert.equal(await on.stats.read('x', 'y', { ago: 2 }), undefined, 'the hour before that has expired');
    on.clock.advance(2 * HOUR);
    assert.deepEqual(await on.store.send('KEYS', '*'), []);
  });

  it('keep contexts and types apart, however they are named', async () => {
    await using on = await bench();
    const pairs = [
      ['a', 'b'],
      ['a:b', 'c'],
      ['a}:b', 'c'],
      ['{a', 'b'],
      ['a', 'b 1'],
      ['ü', '数'],
    ] as const;
    for (const [i, [context, type]] of pairs.entries()) await on.stats.record(context, type, i);
    for (const [i, [context, type]] of pairs.entries()) {
      assert.deepEqual((await on.stats.read(context, type))?.sum, i, `${context} ${type}`);
    }
    await assert.rejects(on.stats.record('a', 'b}:c', 1), {
      code: 'OPTION',
      message: /a type must consist of/,
    });
  });

  it('refuse values that are no numbers, and record none of a list with one', async () => {
    await using on = await bench();
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1e101, '1', undefined]) {
      await assert.rejects(on.stats.recordAll('x', 'y', [1, value as number]), { code: 'OPTION' });
    }
    assert.equal(await on.stats.read('x', 'y'), undefined);
    assert.throws(() => summarize([1])?.percentile(101), { code: 'OPTION' });
    assert.throws(() => summarize([1])?.merge({} as Summary), { code: 'OPTION' });
    assert.equal(summarize([]), undefined);
  });
});

describe('A timed call', () => {
  const slow = (on: Bench, ms: number) => async (): Promise<string> => {
    on.clock.advance(ms);
    return 'done';
  };

  it('returns what the work returns, and records how long it took, also if it fails', async () => {
    await using on = await bench();
    assert.equal(await on.stats.timed('page', slow(on, 20)), 'done');
    const failing = on.stats.timed('page', async () => {
      on.clock.advance(40);
      throw new Error('on purpose');
    });
    await assert.rejects(failing, /on purpose/);
    await on.stats.flush();
    const summary = await on.stats.read('page', 'duration');
    assert.deepEqual([summary?.count, summary?.mean], [2, 30]);
  });

  it('puts its context among the slowest of the hour, which are limited', async () => {
    await using on = await bench({ slowest: 3 });
    for (const [page, ms] of [
      ['a', 10],
      ['b', 50],
      ['c', 30],
      ['d', 20],
      ['b', 10],
      ['a', 500],
    ] as const) {
      await on.stats.timed(page, slow(on, ms));
      await on.stats.flush();
    }
    assert.deepEqual(await on.stats.slowest(), [
      { context: 'a', mean: 255, count: 2 },
      { context: 'c', mean: 30, count: 1 },
      { context: 'b', mean: 30, count: 2 },
    ]);
    assert.equal((await on.stats.slowest({ limit: 1 })).length, 1);
    on.clock.advance(HOUR);
    assert.deepEqual(await on.stats.slowest(), [], 'a page that was slow yesterday is not slow forever');
    assert.equal((await on.stats.slowest({ ago: 1 })).length, 3);
    assert.deepEqual(await on.stats.slowest({ type: 'other' }), []);
  });

  it('is not ranked by an older mean that arrives late', async () => {
    await using on = await bench();
    await on.stats.timed('page', slow(on, 10));
    await on.stats.flush();
    const period = START / HOUR;
    await on.store.send('HSET', `stats-slowest:{duration}:counts:${period}`, 'page', 5);
    await on.stats.timed('page', slow(on, 1_000));
    await on.stats.flush();
    assert.equal(
      (await on.stats.slowest())[0]?.mean,
      10,
      'the mean of five values is newer than that of two',
    );
  });

  it('neither waits nor fails if it cannot be recorded', async () => {
    const errors: unknown[] = [];
    await using store = await open();
    const broken = new Proxy(store as Store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== 'script') return typeof value === 'function' ? value.bind(target) : value;
        return (_: ScriptDefinition) => async () => {
          throw new Error('the server is away');
        };
      },
    });
    const stats = statistics(broken, { onError: (error) => errors.push(error) });
    assert.equal(await stats.timed('page', () => 5), 5);
    await stats.flush();
    assert.match(String(errors), /the server is away/);
    await assert.rejects(stats.record('page', 'x', 1), /the server is away/);
  });
});

describe('Values that are recorded while a request is under way', () => {
  it('share the next request', async () => {
    await using on = await bench();
    const writes = Array.from({ length: 1_000 }, (_, i) => on.stats.record('x', 'y', i));
    await Promise.all(writes);
    const info = (await on.store.send('INFO', 'commandstats')) as string;
    assert.equal(Number(/cmdstat_hmget:calls=(\d+)/.exec(info)?.[1]), 2);
    assert.equal((await on.stats.read('x', 'y'))?.count, 1_000);
  });
});
