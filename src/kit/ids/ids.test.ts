import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ManualClock, open } from '../../store/index.js';
import { ids } from './index.js';

describe('Ids', () => {
  it('are unique and increasing, whatever processes and numbers are asked for', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ client: fc.nat(2), count: fc.integer({ min: 1, max: 9 }), pause: fc.nat(40) })),
        fc.constantFrom(1, 3, 100),
        async (steps, block) => {
          const clock = new ManualClock(1_700_000_000_000);
          await using store = await open('memory:', { clock });
          const clients = [0, 1, 2].map(() => ids(store, 'x', { block, maxAge: 50 }));
          const seen: number[] = [];
          const lastOf = [0, 0, 0];
          for (const { client, count, pause } of steps) {
            clock.advance(pause);
            const taken = await clients[client]!.take(count);
            assert.equal(taken.length, count);
            for (const id of taken) {
              assert.ok(id > lastOf[client]!, 'in order within a client');
              if (block === 1) assert.ok(id > Math.max(0, ...seen), 'in order across clients');
              lastOf[client] = id;
              seen.push(id);
            }
          }
          assert.equal(new Set(seen).size, seen.length);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('are greater than all that were returned `maxAge` before, by any client', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    await using store = await open('memory:', { clock });
    const [one, other] = [ids(store, 'x', { maxAge: 100 }), ids(store, 'x', { maxAge: 100 })];
    await one.take(50); // has ids left in its block
    const late = await other.take(500);
    clock.advance(100);
    assert.ok((await one.next()) > (late.at(-1) as number));
  });

  it('do not come again when the store has lost the last ones', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    await using store = await open('memory:', { clock });
    const before = await ids(store, 'x').take(100);
    await store.send('DEL', 'ids:{x}:last');
    clock.advance(1);
    const after = await ids(store, 'x').take(100);
    assert.equal(new Set([...before, ...after]).size, 200);
  });

  it('can begin at a number, and leave few gaps', async () => {
    await using store = await open();
    const orders = ids(store, 'orders', { start: 1, maxAge: Number.POSITIVE_INFINITY });
    assert.deepEqual(await orders.take(3), [1, 2, 3]);
    assert.deepEqual(await Promise.all([orders.next(), orders.next()]), [4, 5]);
    const [next] = await ids(store, 'orders', { start: 1 }).take(1);
    assert.ok((next as number) <= 20, `${next}`);
  });

  it('take few round trips', async () => {
    await using store = await open();
    const own = ids(store, 'x', { maxAge: 60_000 });
    for (let i = 0; i < 10_000; i++) await own.next();
    const info = String(await store.send('INFO', 'commandstats'));
    const calls = [...info.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce(
      (sum, [, n]) => sum + Number(n),
      0,
    );
    assert.ok(calls > 0 && calls < 30, `${calls} scripts`);
  });

  it('end with an error, not with a number that is not exact', async () => {
    await using store = await open();
    const end = ids(store, 'x', { start: Number.MAX_SAFE_INTEGER, block: 1 });
    assert.equal(await end.next(), Number.MAX_SAFE_INTEGER);
    await assert.rejects(end.next(), { code: 'EXHAUSTED' });
  });

  it('callers that wait all fail, and the next call works', async () => {
    await using store = await open();
    await store.send('SET', 'ids:{x}:last', String(Number.MAX_SAFE_INTEGER));
    const own = ids(store, 'x');
    const failed = await Promise.allSettled([own.next(), own.take(5)]);
    assert.deepEqual(
      failed.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    await store.send('DEL', 'ids:{x}:last');
    assert.equal((await own.take(5)).length, 5);
  });
});
