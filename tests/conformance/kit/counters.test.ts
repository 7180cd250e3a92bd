import assert from 'node:assert/strict';
import { counters } from '../../../src/kit/counters/index.js';
import { onEveryStore, prepareServers } from './support.js';

prepareServers();

onEveryStore('Counters', (test) => {
  test('all clients count into the same slices', async (store, { space, another }) => {
    const clients = [store, await another(), await another()].map((one) => counters(one, { prefix: space }));
    await Promise.all(Array.from({ length: 60 }, (_, i) => clients[i % 3]!.count(`n${i % 4}`, i)));
    for (let n = 0; n < 4; n++) {
      const { total, samples } = await clients[0]!.series(`n${n}`, { precision: 86_400_000 });
      assert.equal(samples.length, 120);
      assert.equal(total, 15 * n + 4 * 105);
      assert.equal((await clients[1]!.series(`n${n}`, { precision: 5_000 })).total, total);
    }
  });

  test('slices end and old ones are removed by the clock of the server', async (store, { space }) => {
    const options = { prefix: space, precisions: [2, 86_400_000], samples: 3 };
    const hits = counters(store, options);
    const start = store.time.now();
    let counted = 0;
    while (store.time.now() - start < 60) {
      await hits.count('x');
      counted++;
      assert.ok((await store.send<number>('HLEN', `${space}:{x}:2`)) <= 4);
    }
    assert.equal((await hits.series('x', { precision: 86_400_000 })).total, counted);
    const { samples } = await hits.series('x', { precision: 2 });
    assert.equal(samples.length, 3);
    assert.ok(samples.every(({ at }, i) => i === 0 || at.getTime() - samples[i - 1]!.at.getTime() === 2));
    await hits.remove('x');
    assert.equal((await hits.series('x', { precision: 86_400_000 })).total, 0);
  });
});
