import assert from 'node:assert/strict';
import { type Queued, StoreError } from '../../../src/store/index.js';
import { rejectsWith, type Topic } from './suite.js';

/** Pipelines: several commands in one round trip. */
export const pipelines: Topic = (test) => {
  test('a pipeline returns the requested results in their order', async (store) => {
    const results = await store.pipeline((queue) => {
      queue.send('SET', 'a', '1');
      const count = queue.send<number>('INCR', 'a');
      const other = queue.send<null>('GET', 'b');
      return [other, count];
    });
    assert.deepEqual(results, [null, 2]);
  });

  test('a pipeline over many keys returns each result in its place', async (store) => {
    const keys = Array.from({ length: 3000 }, (_, i) => `key:${i}`);
    await store.pipeline((queue) => keys.map((key, i) => queue.send('SET', key, i)));
    const results = await store.pipeline((queue) => keys.map((key) => queue.send('GET', key)));
    assert.deepEqual(
      results,
      keys.map((_, i) => `${i}`),
    );
  });

  test('if a command of a pipeline fails, the others run and the error has all results', async (store) => {
    const error = await rejectsWith(
      store.pipeline((queue) => [
        queue.send('SET', 'a', 'x'),
        queue.send('INCR', 'a'),
        queue.send('SET', 'b', 'y'),
        queue.send('LPUSH', 'a', 'z'),
      ]),
      'ERR',
      'ERR value is not an integer or out of range',
    );
    assert.deepEqual(error.results?.map(outcome), ['OK', 'ERR', 'OK', 'WRONGTYPE']);
    assert.equal(await store.send('GET', 'b'), 'y');
  });

  test('with `settle` errors are among the results', async (store) => {
    const results = await store.pipeline(
      (queue) => [queue.send('SET', 'a', 'x'), queue.send('LPUSH', 'a', 'y'), queue.send('GET', 'a')],
      { settle: true },
    );
    assert.deepEqual(results.map(outcome), ['OK', 'WRONGTYPE', 'x']);
  });

  test('an empty pipeline returns an empty list', async (store) => {
    assert.deepEqual(await store.pipeline(() => []), []);
  });

  test('a pipeline returns bytes and exact integers on request', async (store) => {
    const results = await store.bytes.exact.pipeline((queue) => [
      queue.send('SET', 'n', '9007199254740992'),
      queue.send('INCR', 'n'),
      queue.send('GET', 'n'),
    ]);
    assert.deepEqual(results, [Buffer.from('OK'), 9_007_199_254_740_993n, Buffer.from('9007199254740993')]);
  });

  test('a blocking command is refused in a pipeline', async (store) => {
    await rejectsWith(
      store.pipeline((queue) => [queue.send('BLPOP', 'jobs', 0)]),
      'MISUSE',
      /BLPOP/,
    );
  });

  test('commands that change the connection are refused in a pipeline', async (store) => {
    await rejectsWith(
      store.pipeline((queue) => [queue.send('MULTI'), queue.send('SET', 'k', 'v')]),
      'MISUSE',
      /transaction\(\)/,
    );
    assert.equal(await store.send('EXISTS', 'k'), 0);
  });
};

/** Transactions without WATCH are atomic. */
export const transactions: Topic = (test) => {
  test('a transaction returns the results of its commands', async (store) => {
    const [, count, list] = await store.transaction((queue) => [
      queue.send('SET', '{t}n', 1),
      queue.send<number>('INCR', '{t}n'),
      queue.send('LRANGE', '{t}l', 0, -1),
    ]);
    assert.equal(count, 2);
    assert.deepEqual(list, []);
  });

  test('no client sees half of a transaction', async (store, { another }) => {
    const reader = await another();
    const writes = Array.from({ length: 100 }, (_, i) =>
      store.transaction((queue) => [queue.send('SET', '{t}a', i), queue.send('SET', '{t}b', i)]),
    );
    const reads = Array.from({ length: 100 }, () => reader.send<readonly string[]>('MGET', '{t}a', '{t}b'));
    for (const [a, b] of await Promise.all(reads)) assert.equal(a, b);
    await Promise.all(writes);
  });

  test('if a command fails, the others still take effect, and the error has all results', async (store) => {
    const error = await rejectsWith(
      store.transaction((queue) => [
        queue.send('SET', '{t}a', 'x'),
        queue.send('LPUSH', '{t}a', 'y'),
        queue.send('SET', '{t}b', 'z'),
      ]),
      'WRONGTYPE',
    );
    assert.deepEqual(error.results?.map(outcome), ['OK', 'WRONGTYPE', 'OK']);
    assert.equal(await store.send('GET', '{t}b'), 'z');
  });

  test('a command that Redis refuses to queue discards the transaction', async (store) => {
    await rejectsWith(
      store.transaction((queue) => [
        queue.send('SET', '{t}a', 'x'),
        queue.send('GET', '{t}a', 'too', 'many'),
      ]),
      'EXECABORT',
      'EXECABORT Transaction discarded because of previous errors.',
    );
    assert.equal(await store.send('GET', '{t}a'), null);
  });

  test('an empty transaction returns an empty list', async (store) => {
    assert.deepEqual(await store.transaction(() => []), []);
  });

  test('a transaction returns bytes on request', async (store) => {
    const results = await store.bytes.transaction((queue) => [
      queue.send('SET', '{t}a', Buffer.from([0xff])),
      queue.send('GET', '{t}a'),
    ]);
    assert.deepEqual(results, [Buffer.from('OK'), Buffer.from([0xff])]);
  });
};

/** Transactions with WATCH are repeated if a watched key has changed. */
export const watching: Topic = (test) => {
  test('a transaction can depend on values that it has read', async (store) => {
    await store.send('SET', 'stock', 5);
    const results = await store.transaction({ watch: ['stock'] }, async (queue, watched) => {
      const stock = Number(await watched.send('GET', 'stock'));
      return [queue.send('SET', 'stock', stock - 1), queue.send('GET', 'stock')];
    });
    assert.deepEqual(results, ['OK', '4']);
  });

  test('if a watched key changes meanwhile, it is repeated with the new value', async (store, {
    another,
  }) => {
    const rival = await another();
    await store.send('SET', 'stock', 5);
    let tries = 0;
    const results = await store.transaction({ watch: ['stock'] }, async (queue, watched) => {
      const stock = Number(await watched.send('GET', 'stock'));
      if (++tries <= 2) await rival.send('INCRBY', 'stock', 10);
      return [queue.send('SET', 'stock', stock - 1), queue.send<string>('GET', 'stock')];
    });
    assert.equal(tries, 3);
    assert.deepEqual(results, ['OK', '24']);
  });

  test('a change of another key is not a conflict', async (store) => {
    let tries = 0;
    await store.transaction({ watch: ['{t}a', '{t}b'] }, async (queue) => {
      tries++;
      await store.send('SET', '{t}c', 1);
      return [queue.send('SET', '{t}a', 1)];
    });
    assert.equal(tries, 1);
  });

  test('after the maximum number of attempts it fails with CONFLICT, and no command runs', async (store) => {
    let tries = 0;
    await rejectsWith(
      store.transaction({ watch: ['k'], attempts: 3 }, async (queue) => {
        tries++;
        await store.send('INCR', 'k');
        return [queue.send('SET', 'k', 'mine')];
      }),
      'CONFLICT',
      /attempts/,
    );
    assert.equal(tries, 3);
    assert.equal(await store.send('GET', 'k'), '3');
  });

  test('it ends without running if the builder returns undefined', async (store) => {
    const result = await store.transaction(
      { watch: ['k'] },
      async (queue): Promise<Queued<unknown>[] | undefined> => {
        queue.send('SET', 'k', 'v');
        return undefined;
      },
    );
    assert.equal(result, undefined);
    assert.equal(await store.send('EXISTS', 'k'), 0);
  });

  test('an AbortSignal ends the attempts', async (store) => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const error = await rejectsWith(
      store.transaction({ watch: ['k'], attempts: 1000, signal: controller.signal }, async (queue) => {
        await store.send('INCR', 'k');
        if ((await store.send('GET', 'k')) === '3') controller.abort(reason);
        return [queue.send('SET', 'k', 'mine')];
      }),
      'ABORTED',
    );
    assert.equal(error.cause, reason);
    assert.equal(await store.send('GET', 'k'), '3');
  });

  test('an error of the builder is thrown, and no command runs', async (store) => {
    const mine = new Error('mine');
    await assert.rejects(
      store.transaction({ watch: ['k'] }, async (queue) => {
        queue.send('SET', 'k', 'v');
        throw mine;
      }),
      mine,
    );
    assert.equal(await store.send('EXISTS', 'k'), 0);
  });

  test('concurrent transactions lose no update', async (store) => {
    const add = (): Promise<unknown> =>
      store.transaction({ watch: ['sum'], attempts: 10_000 }, async (queue, watched) => {
        const sum = Number((await watched.send('GET', 'sum')) ?? 0);
        return [queue.send('SET', 'sum', sum + 1)];
      });
    await Promise.all(Array.from({ length: 10 }, add));
    assert.equal(await store.send('GET', 'sum'), '10');
  });
};

function outcome(result: unknown): unknown {
  return result instanceof StoreError ? result.code : result;
}
