import assert from 'node:assert/strict';
import { rateLimiter } from '../../../src/kit/rate-limiter/index.js';
import { onEveryStore, prepareServers } from './support.js';

prepareServers();

const HOUR = 3_600_000;

onEveryStore('Rate limiters', (test) => {
  for (const algorithm of ['token-bucket', 'sliding-window'] as const) {
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
  }
});
