import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { BurstyRateLimiter, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { type EmbeddedStore, ManualClock, open } from '../../src/store/index.js';

describe('rate-limiter-flexible runs on an engine of the same process', { timeout: 60_000 }, () => {
  const clock = new ManualClock();
  let store: EmbeddedStore;
  let redis: Redis;

  before(async () => {
    store = await open('memory:', { clock });
    redis = new Redis({ Connector: await store.connector() });
  });
  after(() => store.close());
  beforeEach(() => redis.flushall());

  const limiter = (options: object = {}): RateLimiterRedis =>
    new RateLimiterRedis({ storeClient: redis, points: 3, duration: 10, ...options });

  it('grants its points and no more until the period ends', async () => {
    const limited = limiter();
    for (const remaining of [2, 1, 0]) {
      const { remainingPoints, msBeforeNext } = await limited.consume('visitor');
      assert.deepEqual(
        { remainingPoints, msBeforeNext },
        { remainingPoints: remaining, msBeforeNext: 10_000 },
      );
    }
    clock.advance(4_000);
    const refused = await limited.consume('visitor').catch((reason: unknown) => reason);
    assert.ok(refused instanceof RateLimiterRes);
    assert.equal(refused.msBeforeNext, 6_000);
    await limited.consume('another client');
    clock.advance(6_001);
    assert.equal((await limited.consume('visitor')).remainingPoints, 2);
  });

  it('counts all of many concurrent requests', async () => {
    const limited = limiter({ points: 50 });
    const results = await Promise.allSettled(Array.from({ length: 200 }, () => limited.consume('visitor')));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 50);
    assert.equal((await limited.get('visitor'))?.consumedPoints, 200);
  });

  it('blocks, rewards, penalizes and deletes', async () => {
    const limited = limiter();
    await limited.penalty('visitor', 3);
    await assert.rejects(limited.consume('visitor'), RateLimiterRes);
    await limited.reward('visitor', 4);
    await limited.block('visitor', 100);
    await assert.rejects(limited.consume('visitor'), { msBeforeNext: 100_000 });
    assert.equal(await limited.delete('visitor'), true);
    assert.equal(await limited.get('visitor'), null);
  });

  it('allows bursts in addition to the steady rate', async () => {
    const bursty = new BurstyRateLimiter(
      limiter({ points: 1, keyPrefix: 'steady' }),
      limiter({ points: 2, keyPrefix: 'burst' }),
    );
    for (let i = 0; i < 3; i++) await bursty.consume('visitor');
    await assert.rejects(bursty.consume('visitor'));
  });
});
