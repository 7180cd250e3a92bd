import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type EmbeddedStore, ManualClock, open } from '../../store/index.js';
import { counters, sparkline } from './index.js';

const START = Date.UTC(2026, 0, 1);

async function bench(): Promise<{ clock: ManualClock; store: EmbeddedStore } & AsyncDisposable> {
  const clock = new ManualClock(START);
  const store = await open('memory:', { clock });
  return { clock, store, [Symbol.asyncDispose]: () => store.close() };
}

async function callsOf(store: EmbeddedStore, command: string): Promise<number> {
  const stats = (await store.send('INFO', 'commandstats')) as string;
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
}

describe('Counters', () => {
  it('count in slices of every precision, aligned to UTC', async () => {
    await using on = await bench();
    const hits = counters(on.store);
    on.clock.advance(59_000);
    await hits.count('home');
    on.clock.advance(1_000);
    await hits.count('home', 4);
    const { samples, total } = await hits.series('home', { precision: 60_000 });
    assert.equal(samples.length, 120);
    assert.equal(total, 5);
    assert.deepEqual(samples.slice(-2), [
      { at: new Date(START), count: 1 },
      { at: new Date(START + 60_000), count: 4 },
    ]);
    const days = await hits.series('home', { precision: 86_400_000 });
    assert.deepEqual(days.samples.at(-1), { at: new Date(START), count: 5 });
    assert.equal((await hits.series('other')).total, 0);
  });

  it('answer a range with the finest precision that reaches back far enough', async () => {
    await using on = await bench();
    const hits = counters(on.store);
    await hits.count('home', 7);
    on.clock.advance(3_600_000);
    await hits.count('home', 1);
    const ago = (ms: number): Date => new Date(on.clock.now() - ms);
    const precisionFrom = async (ms: number) => (await hits.series('home', { from: ago(ms) })).precision;
    assert.equal(await precisionFrom(0), 1_000);
    assert.equal(await precisionFrom(119_000), 1_000);
    assert.equal(await precisionFrom(120_000), 5_000);
    assert.equal(await precisionFrom(7_140_000), 60_000);
    assert.equal(await precisionFrom(7_200_000), 300_000);
    assert.equal(await precisionFrom(1e12), 86_400_000, 'as far as the coarsest reaches');
    const old = await hits.series('home', { from: new Date(START), to: new Date(START + 60_000) });
    assert.deepEqual([old.precision, old.samples.length, old.total], [60_000, 2, 7]);
    const none = await hits.series('home', { from: new Date(START), to: new Date(START - 1) });
    assert.deepEqual([none.samples, none.total], [[], 0]);
  });

  it('are equal to a plain list of all events, whatever the history', async () => {
    const precisions = [10, 30, 100];
    const step = fc.record({
      pause: fc.oneof(fc.nat(25), fc.nat(400)),
      count: fc.integer({ min: -3, max: 9 }),
      read: fc.constantFrom(...precisions),
      from: fc.integer({ min: -50, max: 700 }),
      length: fc.nat(500),
    });
    const history = fc.array(step, { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 1, max: 20 }), async (steps, samples) => {
        await using on = await bench();
        const counter = counters(on.store, { precisions, samples });
        const events: { at: number; count: number }[] = [];
        for (const { pause, count, read, from, length } of steps) {
          on.clock.advance(pause);
          const now = on.clock.now();
          await counter.count('x', count);
          events.push({ at: now, count });
          const range = { from: new Date(now - from), to: new Date(now - from + length) };
          const { samples: found } = await counter.series('x', { precision: read, ...range });
          const sliceOf = (at: number): number => Math.floor(at / read);
          const expected: { at: Date; count: number }[] = [];
          const first = Math.max(sliceOf(now) - samples + 1, sliceOf(range.from.getTime()));
          for (let slice = first; slice <= Math.min(sliceOf(now), sliceOf(range.to.getTime())); slice++) {
            const inSlice = events.filter(({ at }) => sliceOf(at) === slice);
            const sum = inSlice.reduce((total, event) => total + event.count, 0);
            expected.push({ at: new Date(slice * read), count: sum });
          }
          assert.deepEqual(found, expected);
          for (const precision of precisions) {
            const slices = await on.store.send<number>('HLEN', `counter:{x}:${precision}`);
            assert.ok(slices <= samples + Math.max(1, samples / 16), `${slices} slices of ${precision} ms`);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('are cleaned where they change, at a cost that does not depend on the number of counters', async () => {
    await using on = await bench();
    const hits = counters(on.store, { precisions: [1_000] });
    for (let i = 0; i < 500; i++) await hits.count(`idle ${i}`);
    for (let second = 0; second < 1_000; second++) {
      on.clock.advance(1_000);
      await hits.count('busy');
    }
    // One search for every seven slices, and no look at any counter but the busy one.
    assert.ok((await callsOf(on.store, 'hkeys')) <= 1_000 / 7 + 1);
    assert.ok((await callsOf(on.store, 'hdel')) <= 1_000 / 7 + 1);
    assert.equal(await on.store.send('OBJECT', 'ENCODING', 'counter:{busy}:1000'), 'listpack');
    assert.deepEqual(await on.store.send('KEYS', '*'), ['counter:{busy}:1000'], 'idle ones have expired');
  });

  it('survive a clock that is set back, and stay within their limit', async () => {
    await using on = await bench();
    const hits = counters(on.store, { precisions: [1_000], samples: 16 });
    const slice = Math.floor(on.clock.now() / 1_000);
    // As if a server whose clock was ahead had counted.
    for (let i = 1; i <= 16; i++) await on.store.send('HSET', 'counter:{x}:1000', slice + 1_000 + i, 5);
    for (let i = 0; i < 5; i++) {
      await hits.count('x');
      on.clock.advance(1_000);
    }
    assert.equal((await hits.series('x')).total, 5);
    assert.equal(await on.store.send('HLEN', 'counter:{x}:1000'), 5);
  });

  it('expire when their last slice is out of the range, not before', async () => {
    await using on = await bench();
    const hits = counters(on.store, { precisions: [1_000, 60_000], samples: 10 });
    on.clock.advance(500);
    await hits.count('x');
    on.clock.advance(9_499);
    assert.equal((await hits.series('x', { precision: 1_000 })).total, 1);
    on.clock.advance(2);
    assert.equal((await hits.series('x', { precision: 1_000 })).total, 0);
    assert.deepEqual(await on.store.send('KEYS', '*'), ['counter:{x}:60000']);
    await hits.remove('x');
    assert.deepEqual(await on.store.send('KEYS', '*'), []);
  });

  it('refuse what is not a count, a precision or a moment', async () => {
    await using on = await bench();
    const hits = counters(on.store);
    const refused = (message: RegExp) => ({ code: 'OPTION', message });
    await assert.rejects(hits.count('x', 1.5), refused(/count: `count` must be a whole number, not 1\.5/));
    await assert.rejects(hits.series('x', { precision: 7 }), refused(/must be one of 1000, .* not 7/));
    await assert.rejects(
      hits.series('x', { from: new Date(Number.NaN) }),
      refused(/`from` must be a valid Date/),
    );
    for (const precisions of [[], [0], [1.5], [5, 5], 'x', Array.from({ length: 21 }, (_, i) => i + 1)]) {
      assert.throws(
        () => counters(on.store, { precisions: precisions as number[] }),
        refused(/`precisions` must/),
      );
    }
  });
});

describe('A sparkline', () => {
  it('shows numbers and samples in as many characters as there is room for', () => {
    assert.equal(sparkline([0, 1, 2, 4, 8, 4, 2]), '▁▂▃▅█▅▃');
    assert.equal(sparkline([1, 1, 2, 2, 4, 4], { width: 3 }), '▃▅█');
    assert.equal(
      sparkline([
        { at: new Date(), count: 3 },
        { at: new Date(), count: 0 },
      ]),
      '█▁',
    );
    assert.equal(sparkline([-1, 0, 1]), '▁▅█');
    assert.equal(sparkline([0, 0]), '▁▁');
    assert.equal(sparkline([]), '');
    assert.equal(sparkline([1, 2], { width: 10 }).length, 2);
  });

  it('refuses what cannot be drawn', () => {
    assert.throws(() => sparkline([Number.NaN]), { code: 'OPTION' });
    assert.throws(() => sparkline('12' as never), { code: 'OPTION' });
    assert.throws(() => sparkline([1], { width: 0 }), { code: 'OPTION' });
  });
});
