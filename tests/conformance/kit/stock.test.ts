import assert from 'node:assert/strict';
import { ids } from '../../../src/kit/ids/index.js';
import { stock } from '../../../src/kit/stock/index.js';
import { onEveryStore, rejectsWith } from './support.js';

onEveryStore('Stock', (test) => {
  test('no more units are sold than there are, to one buyer each', async (store, { space, another }) => {
    const clients = [store, await another()].map((own) => stock(own, { prefix: space }));
    await clients[0]!.offer('tv', 20);
    // Every buyer tries twice, through both clients.
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, i) => clients[i % 2]!.reserve('tv', `buyer ${i >> 1}`)),
    );
    const ids = new Set(results.flatMap((result) => (result.outcome === 'reserved' ? [result.id] : [])));
    assert.equal(ids.size, 20);
    let sold = 0;
    for (const [i, result] of results.entries()) {
      if (result.outcome !== 'reserved') continue;
      assert.equal(await clients[(i + 1) % 2]!.confirm('tv', `buyer ${i >> 1}`, result.id), true);
      sold++;
    }
    assert.equal(sold, 40, 'both calls of a buyer confirm the same reservation');
    assert.deepEqual(await clients[1]!.status('tv'), { total: 20, available: 0, reserved: 0, sold: 20 });
    await rejectsWith(clients[0]!.offer('tv', 19), 'TAKEN');
  });

  test('units of reservations that lapse are sold to others', async (store, { space }) => {
    const sale = stock(store, { prefix: space, hold: 50 });
    await sale.offer('tv', 1);
    const first = await sale.reserve('tv', 'ann');
    assert.equal(first.outcome, 'reserved');
    for (;;) {
      const result = await sale.reserve('tv', 'bob');
      if (result.outcome === 'reserved') break;
      assert.ok(result.outcome === 'sold-out' && result.retryIn !== undefined);
      await store.time.sleep(result.retryIn);
    }
    assert.equal(await sale.confirm('tv', 'ann', first.outcome === 'reserved' ? first.id : ''), false);
    await sale.remove('tv');
    assert.equal(await sale.status('tv'), undefined);
  });
});

onEveryStore('Ids', (test) => {
  test('ids of several clients are unique, and in order within each', async (store, { space, another }) => {
    const clients = [store, await another(), await another()].map((own) => ids(own, space, { block: 50 }));
    const taken = await Promise.all(
      clients.map(async (own) => {
        const numbers: number[] = [];
        for (let i = 0; i < 40; i++) numbers.push(await own.next(), ...(await own.take(4)));
        return numbers;
      }),
    );
    for (const numbers of taken) {
      assert.deepEqual(
        numbers,
        [...numbers].sort((a, b) => a - b),
      );
    }
    assert.equal(new Set(taken.flat()).size, 600);
    const short = ids(store, `${space}:short`, { start: 7 });
    assert.deepEqual(await short.take(2), [7, 8]);
  });
});
