import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { seededDraw } from '../../../tests/support/seeded-draw.js';
import { type EmbeddedStore, ManualClock, open } from '../../store/index.js';
import { type ViewAnalytics, type ViewAnalyticsOptions, viewAnalytics } from './index.js';

const MINUTE = 60_000;
/** A moment at which a period of five minutes begins. */
const START = 1_700_000_100_000 - (1_700_000_100_000 % (5 * MINUTE));

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
  readonly views: ViewAnalytics;
}

async function bench(options: ViewAnalyticsOptions = {}): Promise<Bench> {
  const clock = new ManualClock(START);
  const store = await open('memory:', { clock });
  const views = viewAnalytics(store, 'shop', options);
  return { clock, store, views, [Symbol.asyncDispose]: () => store.close() };
}

describe('A ranking by views', () => {
  it('counts, and ranks the most viewed item first', async () => {
    await using on = await bench();
    await on.views.record('lamp');
    await on.views.record({ book: 2, vase: 1 });
    await on.views.record('book');
    assert.deepEqual(await on.views.top(10), [
      { item: 'book', views: 3 },
      { item: 'vase', views: 1 },
      { item: 'lamp', views: 1 },
    ]);
    assert.deepEqual(await on.views.top(1), [{ item: 'book', views: 3 }]);
    assert.deepEqual(await on.views.of('book'), { views: 3, rank: 1 });
    assert.deepEqual(
      [await on.views.rank('lamp'), await on.views.rank('vase')],
      [2, 2],
      'equal views, equal rank',
    );
    assert.equal(await on.views.rank('unknown'), undefined);
  });

  it('halves all counts at the end of each period, without touching them', async () => {
    await using on = await bench();
    await on.views.record({ old: 8 });
    on.clock.advance(5 * MINUTE - 1);
    assert.equal((await on.views.of('old'))?.views, 8);
    on.clock.advance(1);
    assert.equal((await on.views.of('old'))?.views, 4);
    await on.views.record({ new: 3 });
    assert.equal(await on.store.send('ZSCORE', 'views:{shop}:views', 'old'), '8');
    on.clock.advance(5 * MINUTE);
    await on.views.record({ new: 1 });
    assert.deepEqual(await on.views.top(2), [
      { item: 'new', views: 2.5 },
      { item: 'old', views: 2 },
    ]);
  });

  it('keeps the most viewed items, not the least viewed ones', async () => {
    await using on = await bench({ max: 3 });
    await on.views.record({ a: 1, b: 5, c: 3, d: 4, e: 2 });
    assert.equal(await on.views.size(), 5, 'until the period ends');
    on.clock.advance(5 * MINUTE);
    await on.views.record('b');
    assert.deepEqual(
      (await on.views.top(10)).map(({ item }) => item),
      ['b', 'd', 'c'],
    );
  });

  it('lets new items rise, and is bounded all the same', async () => {
    await using on = await bench({ max: 10 });
    await on.views.record(Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`old ${i}`, 100])));
    for (let i = 0; i < 101; i++) await on.views.record('new');
    assert.equal(await on.views.rank('new'), 1);
    for (let i = 0; i < 100; i++) await on.views.record(`visitor ${i}`);
    assert.ok((await on.views.size()) <= 20);
    assert.equal(await on.views.rank('new'), 1);
  });

  it('goes on for years', async () => {
    await using on = await bench();
    for (let i = 0; i < 2_000; i++) {
      await on.views.record({ often: 4, seldom: 1 });
      on.clock.advance(5 * MINUTE);
      if (i % 3 === 0) await on.views.record({ third: 4 });
    }
    const [first, second] = await on.views.top(3);
    assert.deepEqual([first?.item, second?.item], ['often', 'third']);
    assert.ok(Math.abs((first?.views ?? 0) - 4) < 1e-9, 'four halved once, twice …');
    on.clock.advance(2_000 * 5 * MINUTE);
    assert.deepEqual(await on.views.top(3), [], 'nothing is left of what was not viewed for a week');
    assert.deepEqual(await on.store.send('KEYS', '*'), []);
  });

  it('has exact ranks while its scores move to another base, step by step', async () => {
    await using on = await bench({ halfLife: 1_000 });
    const draw = seededDraw(7);
    const table = new Map<string, number>();
    const count = async (items: number): Promise<void> => {
      const counts: Record<string, number> = {};
      for (let i = 0; i < items; i++) counts[`item ${Math.floor(draw() * 400)}`] = 1 + Math.floor(draw() * 3);
      await on.views.record(counts);
      for (const [item, views] of Object.entries(counts)) table.set(item, (table.get(item) ?? 0) + views);
    };
    const halve = (): void => {
      on.clock.advance(1_000);
      for (const [item, views] of table) table.set(item, views / 2);
    };
    for (let period = 0; period < 895; period++) {
      await on.views.record('always');
      table.set('always', (table.get('always') ?? 0) + 1);
      halve();
    }
    const moving = new Set<string>();
    for (let call = 0; call < 60; call++) {
      await count(call < 20 ? 60 : 8);
      if (call % 3 === 0) halve();
      const base = (await on.store.send('HMGET', 'views:{shop}:meta', 'next')) as (string | null)[];
      moving.add(base[0] === null ? 'not moving' : 'moving');
      const sorted = [...table.values()].sort((a, b) => b - a);
      const top = await on.views.top(50);
      assert.deepEqual(
        top.map(({ views }) => views),
        sorted.slice(0, 50),
      );
      for (let i = 0; i < 10; i++) {
        const item = `item ${Math.floor(draw() * 400)}`;
        const views = table.get(item);
        const better = sorted.filter((other) => other > (views ?? 0)).length;
        assert.deepEqual(
          await on.views.of(item),
          views === undefined ? undefined : { views, rank: better + 1 },
        );
      }
    }
    assert.equal(moving.size, 2, 'it moved in several steps');
    assert.equal(await on.store.send('HEXISTS', 'views:{shop}:meta', 'next'), 0, 'and is done');
  });

  it('is the same as a table whose counts are halved', async () => {
    const item = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const step = fc.oneof(
      fc.record({ item, views: fc.integer({ min: 1, max: 9 }) }),
      fc.record({ ms: fc.constantFrom(5 * MINUTE, MINUTE, 1) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        await using on = await bench();
        const table = new Map<string, number>();
        let period = Math.floor(on.clock.now() / (5 * MINUTE));
        for (const step of steps) {
          if ('item' in step) {
            await on.views.record({ [step.item]: step.views });
            table.set(step.item, (table.get(step.item) ?? 0) + step.views);
          } else {
            on.clock.advance(step.ms);
            const now = Math.floor(on.clock.now() / (5 * MINUTE));
            for (; period < now; period++) for (const [key, views] of table) table.set(key, views / 2);
          }
        }
        const sorted = [...table].sort(([a, m], [b, n]) => n - m || (a < b ? 1 : -1));
        assert.deepEqual(
          await on.views.top(10),
          sorted.map(([item, views]) => ({ item, views })),
        );
        for (const [item, views] of table) {
          const better = sorted.filter(([, other]) => other > views).length;
          assert.deepEqual(await on.views.of(item), { views, rank: better + 1 });
        }
      }),
      { numRuns: Number(process.env['SORREL_RUNS'] ?? 1) * 40 },
    );
  });
});
