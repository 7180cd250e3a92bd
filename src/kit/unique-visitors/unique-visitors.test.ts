import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ManualClock, open } from '../../store/index.js';
import { uniqueVisitors } from './index.js';

const DAY = 86_400_000;

describe('Unique visitors', () => {
  it('run the example of their documentation', async () => {
    await using store = await open();
    const visitors = uniqueVisitors(store, 'shop');
    assert.equal(await visitors.visit('f47ac10b-58cc-4372-a567-0e02b2c3d479'), true);
    assert.equal(await visitors.visit('f47ac10b-58cc-4372-a567-0e02b2c3d479'), false);
    assert.equal(await visitors.count(), 1);
  });

  it('are counted as sets by day would count them, by several processes and over midnight', async () => {
    const visitor = fc.oneof(
      fc.nat({ max: 30 }).map((n) => `session ${n}`),
      fc.bigInt({ min: 2n ** 62n, max: 2n ** 62n + 9n }),
    );
    const step = fc.record({
      visitor,
      process: fc.nat({ max: 1 }),
      later: fc.constantFrom(0, 0, 0, 7_000_000),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 5 }),
        async (steps, shardSize) => {
          const clock = new ManualClock(20_000 * DAY);
          await using store = await open('memory:', { clock });
          const processes = [0, 1].map(() => uniqueVisitors(store, 'v', { shardSize, expected: 3 }));
          const model = new Map<number, Set<string>>();
          for (const { visitor, process, later } of steps) {
            clock.advance(later);
            const day = Math.floor(clock.now() / DAY);
            const known = model.get(day) ?? new Set();
            model.set(day, known);
            const isNew = !known.has(String(visitor));
            known.add(String(visitor));
            assert.equal(await processes[process]?.visit(visitor), isNew);
          }
          const days = [...model].map(([day, { size }]) => ({ day: new Date(day * DAY), visitors: size }));
          assert.deepEqual(await processes[0]?.days(), days);
        },
      ),
      { numRuns: Number(process.env['SORREL_RUNS'] ?? 1) * 40 },
    );
  });

  it('of a quiet day leave at least one shard for the next', async () => {
    const clock = new ManualClock(20_000 * DAY);
    await using store = await open('memory:', { clock });
    const visitors = uniqueVisitors(store, 'quiet');
    await visitors.visit('only one');
    clock.advance(DAY);
    for (let i = 0; i < 85; i++) await visitors.visit(`visitor ${i}`);
    assert.equal(await visitors.count(), 85);
    clock.advance(DAY);
    await visitors.visit('later');
    assert.deepEqual(
      (await store.hgetall('unique-visitors:{quiet}:days')) as object,
      // The first day expects a million, then one and a half, then 128.
      { 20000: '3907', 20001: '1', 20002: '1' },
    );
  });

  it('carry the number of the last day that had visitors to the next', async () => {
    const clock = new ManualClock(20_000 * DAY);
    await using store = await open('memory:', { clock });
    const visitors = uniqueVisitors(store, 'busy', { expected: 1, shardSize: 10 });
    for (let i = 0; i < 100; i++) await visitors.visit(`${i} visitor`);
    clock.advance(3 * DAY);
    await uniqueVisitors(store, 'busy', { shardSize: 10 }).visit('first');
    assert.equal(await store.hget('unique-visitors:{busy}:days', '20003'), '15');
  });

  it('are counted by the day of the server, whatever the clock of the process is', async () => {
    const clock = new ManualClock(20_000 * DAY);
    await using store = await open('memory:', { clock });
    const now = store.time.now;
    Object.assign(store.time, { now: () => now() + 500 * DAY });
    const visitors = uniqueVisitors(store, 'skewed');
    await visitors.visit('a');
    assert.deepEqual(await visitors.days(), [{ day: new Date(20_000 * DAY), visitors: 1 }]);
  });

  it('of digests that agree in 60 bits are two', async () => {
    await using store = await open();
    const visitors = uniqueVisitors(store, 'close');
    // The first fifteen digits are the same, and so would be their numbers as doubles.
    await visitors.visit('12345678-1234-5678-9abc-000000000000');
    await visitors.visit('12345678-1234-5678-9abc-111111111111');
    await visitors.visit(2n ** 53n);
    await visitors.visit(String(2n ** 53n + 1n));
    assert.equal(await visitors.count(), 4);
  });

  it('are forgotten after `keepDays`', async () => {
    const clock = new ManualClock(20_000 * DAY);
    await using store = await open('memory:', { clock });
    const visitors = uniqueVisitors(store, 'kept', { keepDays: 2 });
    for (let day = 0; day < 6; day++) {
      await visitors.visit('daily');
      assert.equal((await visitors.days()).length, Math.min(3, day + 1));
      clock.advance(DAY);
    }
    await clock.run(3 * DAY);
    assert.equal(await store.dbsize(), 0);
  });

  it('are estimated in 12 KB with `approximate`, also over several days', async () => {
    const clock = new ManualClock(20_000 * DAY);
    await using store = await open('memory:', { clock });
    const visitors = uniqueVisitors(store, 'many', { approximate: true, keepDays: 1 });
    for (let i = 0; i < 3_000; i++) await visitors.visit(`visitor ${i}`);
    clock.advance(DAY);
    for (let i = 2_000; i < 4_000; i++) await visitors.visit(`visitor ${i}`);
    const near = (count: number, expected: number): void =>
      assert.ok(Math.abs(count / expected - 1) < 0.03, `${count} of ${expected}`);
    near(await visitors.count(), 2_000);
    near(await visitors.count(new Date(20_000 * DAY)), 3_000);
    near(await visitors.countTogether([new Date(20_000 * DAY), new Date(20_001 * DAY)]), 4_000);
    assert.deepEqual(
      (await visitors.days()).map(({ day }) => day.getTime() / DAY),
      [20_000, 20_001],
    );
    assert.ok(Number(await store.memoryUsage('unique-visitors:{many}:estimate:20001')) < 20_000);
    await clock.run(2 * DAY + 1);
    assert.equal(await store.dbsize(), 0);
  });

  it('refuse what is no visitor and no day', async () => {
    await using store = await open();
    const visitors = uniqueVisitors(store, 'x');
    await assert.rejects(visitors.visit(1.5), { code: 'OPTION' });
    await assert.rejects(visitors.visit(''), { code: 'OPTION' });
    await assert.rejects(visitors.count('today' as never), { code: 'OPTION' });
    await assert.rejects(visitors.countTogether([new Date()]), { code: 'OPTION', message: /approximate/ });
  });
});
