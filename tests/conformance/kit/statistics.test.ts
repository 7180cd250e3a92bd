import assert from 'node:assert/strict';
import { statistics } from '../../../src/kit/statistics/index.js';
import { onEveryStore, prepareServers } from './support.js';

prepareServers();

/** Longer than the tests take, so that no period ends in the middle of one. */
const YEARS = 100 * 365 * 86_400_000;

onEveryStore('Statistics', (test) => {
  test('values of all clients are summed up without loss', async (store, { space, another }) => {
    const options = { prefix: space, period: YEARS };
    const clients = [store, await another(), await another()].map((one) => statistics(one, options));
    const values = Array.from({ length: 90 }, (_, i) => 100_000_000.1 + (i % 3));
    await Promise.all(values.map((value, i) => clients[i % 3]!.record('page', 'size', value)));
    const summary = await clients[0]!.read('page', 'size');
    assert.equal(summary?.count, 90);
    assert.ok(Math.abs(summary.mean - 100_000_001.1) < 1e-7);
    assert.ok(Math.abs(summary.deviation - Math.sqrt(60 / 89)) < 1e-8, `${summary.deviation}`);
    assert.deepEqual([summary.min, summary.max], [100_000_000.1, 100_000_002.1]);
    assert.ok(Math.abs(summary.percentile(50) / 100_000_001.1 - 1) <= 0.01);
  });

  test('the slowest contexts are found across clients', async (store, { space, another }) => {
    const options = { prefix: space, period: YEARS, slowest: 2 };
    const clients = [statistics(store, options), statistics(await another(), options)];
    const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    for (const client of clients) {
      // Each contains the one before it, so that it takes longer on any machine.
      const quick = () => client.timed('quick', pause);
      const middle = () => client.timed('middle', () => pause().then(quick));
      await client.timed('slow', () => pause().then(middle));
      await client.flush();
    }
    const slowest = await clients[0]!.slowest();
    assert.deepEqual(
      slowest.map(({ context, count }) => [context, count]),
      [
        ['slow', 2],
        ['middle', 2],
      ],
    );
  });

  test('a period ends, and the one before it is kept', async (store, { space }) => {
    const stats = statistics(store, { prefix: space, period: 300 });
    let recorded = 0;
    let found = 0;
    // Until a value is found in the period before the current one.
    for (; found === 0; recorded++) {
      await stats.record('x', 'y', 7);
      found = (await stats.read('x', 'y', { ago: 1 }))?.count ?? 0;
    }
    assert.ok(found <= recorded, `${found} of ${recorded}`);
  });
});
