import assert from 'node:assert/strict';
import { rateLimiter } from '../../../src/kit/rate-limiter/index.js';
import { onEveryStore, prepareServers, rejectsWith } from './support.js';

prepareServers();

const HOUR = 3_600_000;

onEveryStore('Rate limiters', (test) => {
  for (const algorithm of ['token-bucket', 'gcra', 'fixed-window', 'sliding-window'] as const) {
    test(`a ${algorithm} enforces its limit across all clients`, async (store, { space, another }) => {
      const options = { limit: 5, per: HOUR, algorithm, prefix: space };
      const limiters = [rateLimiter(store, options), rateLimiter(await another(), options)];
      const decisions = await Promise.all(Array.from({ length: 20 }, (_, i) => limiters[i % 2]!.take('x')));
      assert.equal(decisions.filter((decision) => decision.isAllowed).length, 5);
      const refused = await limiters[0]!.take('x');
      assert.ok(!refused.isAllowed && refused.remaining === 0);
      assert.ok(refused.retryIn > 0 && refused.retryIn <= HOUR);
      assert.ok((await limiters[1]!.take('y', 5)).isAllowed);
      await limiters[0]!.reset('x');
      assert.equal((await limiters[1]!.look('x')).remaining, 5);
    });

    test(`a ${algorithm} allows more after its retry time`, async (store, { space }) => {
      const limiter = rateLimiter(store, { limit: 2, per: 200, algorithm, prefix: space });
      for (;;) {
        const { isAllowed, retryIn } = await limiter.take('x', 2);
        if (isAllowed) break;
        await store.time.sleep(retryIn);
      }
      const { isAllowed, retryIn } = await limiter.look('x');
      if (!isAllowed) await store.time.sleep(retryIn + 1);
      assert.ok((await limiter.take('x')).isAllowed);
    });

    test(`a ${algorithm} takes penalties, returns rewards and blocks names`, async (store, {
      space,
      another,
    }) => {
      const options = { limit: 3, per: HOUR, algorithm, block: HOUR, prefix: space };
      const [here, there] = [rateLimiter(store, options), rateLimiter(await another(), options)];
      await here.take('x', 2);
      assert.equal((await there.penalize('x', 2)).isAllowed, false);
      assert.equal((await here.look('x')).remaining, 0);
      assert.equal((await there.reward('x', 3)).remaining, 2);
      assert.equal((await here.look('x', 2)).isAllowed, true);
      assert.equal((await there.take('x', 3)).isBlocked, true);
      const { isAllowed, isBlocked, retryIn } = await here.take('x');
      assert.deepEqual([isAllowed, isBlocked], [false, true]);
      assert.ok(retryIn > HOUR / 2 && retryIn <= HOUR);
      await there.reset('x');
      assert.equal((await here.take('x', 3)).isAllowed, true);
      await here.block('y', HOUR);
      assert.equal((await there.look('y')).isBlocked, true);
    });
  }

  test('calls that wait get units at the rate of the limit, from several clients', async (store, {
    space,
    another,
  }) => {
    const options = { limit: 10, per: 100, burst: 1, prefix: space };
    const limiters = [rateLimiter(store, options), rateLimiter(await another(), options)];
    const begun = performance.now();
    const waits = Array.from({ length: 12 }, (_, i) => limiters[i % 2]!.wait('x', { within: 60_000 }));
    assert.ok((await Promise.all(waits)).every(({ isAllowed }) => isAllowed));
    assert.ok(performance.now() - begun >= 105, 'eleven of them had to wait for 10 ms each');
    const slow = rateLimiter(store, { limit: 1, per: HOUR, prefix: space, rememberRefused: true });
    await slow.take('x');
    await rejectsWith(slow.wait('x', { within: 1_000 }), 'TIMEOUT', /there are enough in/);
    assert.equal((await slow.take('x')).isAllowed, false);
    await slow.reset('x');
    assert.equal((await slow.take('x')).isAllowed, true);
  });

  test('several windows grant all units or none, across all clients', async (store, { space, another }) => {
    const options = {
      windows: [
        { limit: 8, per: HOUR, algorithm: 'sliding-window', name: 'hour' },
        { limit: 6, per: 24 * HOUR, algorithm: 'fixed-window', name: 'day' },
        { limit: 7, per: HOUR, name: 'bucket' },
        { limit: 9, per: HOUR, algorithm: 'gcra', name: 'gcra' },
      ],
      prefix: space,
    } as const;
    const limiters = [rateLimiter(store, options), rateLimiter(await another(), options)];
    const decisions = await Promise.all(Array.from({ length: 20 }, (_, i) => limiters[i % 2]!.take('x')));
    assert.equal(decisions.filter((decision) => decision.isAllowed).length, 6);
    const { windows } = await limiters[0]!.look('x');
    assert.deepEqual(
      windows.map(({ name, remaining }) => [name, remaining]),
      [
        ['hour', 2],
        ['day', 0],
        ['bucket', 1],
        ['gcra', 3],
      ],
    );
  });
});
