import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ManualClock, open, type Store } from '../../store/index.js';
import { type RateDecision, type RateLimiter, type RateLimiterOptions, rateLimiter } from './index.js';

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly limiter: RateLimiter;
  readonly store: Store;
  readonly keys: () => Promise<unknown>;
}

async function bench(options: RateLimiterOptions): Promise<Bench> {
  const clock = new ManualClock(1_700_000_000_000);
  const store = await open('memory:', { clock });
  const limiter = rateLimiter(store, options);
  const keys = () => store.send('KEYS', '*');
  return { clock, limiter, store, keys, [Symbol.asyncDispose]: () => store.close() };
}

/** The main fields of a decision. */
function brief({ isAllowed, remaining, retryIn, fullIn }: RateDecision): object {
  return { isAllowed, remaining, retryIn, fullIn };
}

for (const algorithm of ['token-bucket', 'gcra'] as const)
  describe(`A ${algorithm}`, () => {
    it('allows a burst, then one unit at a time at its rate', async () => {
      await using on = await bench({ limit: 10, per: 1_000, burst: 3, algorithm });
      assert.deepEqual(brief(await on.limiter.take('x')), {
        isAllowed: true,
        remaining: 2,
        retryIn: 0,
        fullIn: 100,
      });
      await on.limiter.take('x');
      assert.deepEqual(brief(await on.limiter.take('x')), {
        isAllowed: true,
        remaining: 0,
        retryIn: 0,
        fullIn: 300,
      });
      assert.deepEqual(brief(await on.limiter.take('x')), {
        isAllowed: false,
        remaining: 0,
        retryIn: 100,
        fullIn: 300,
      });
      on.clock.advance(99);
      assert.equal((await on.limiter.take('x')).retryIn, 1);
      on.clock.advance(1);
      assert.equal((await on.limiter.take('x')).isAllowed, true);
      assert.equal((await on.limiter.take('x')).isAllowed, false);
    });

    it('takes several units or none, and returns when they will be available', async () => {
      await using on = await bench({ limit: 10, per: 1_000, algorithm });
      assert.equal((await on.limiter.take('x', 8)).remaining, 2);
      assert.deepEqual(brief(await on.limiter.take('x', 5)), {
        isAllowed: false,
        remaining: 2,
        retryIn: 300,
        fullIn: 800,
      });
      assert.equal((await on.limiter.take('x', 2)).isAllowed, true);
    });

    it('is kept by name, and forgotten when it is full', async () => {
      await using on = await bench({ limit: 1, per: 1_000, algorithm });
      assert.ok((await on.limiter.take('x')).isAllowed);
      assert.ok((await on.limiter.take('y')).isAllowed);
      assert.deepEqual((await on.limiter.look('x')).isAllowed, false);
      assert.deepEqual((await on.limiter.look('z')).isAllowed, true);
      assert.deepEqual((await on.limiter.look('z')).isAllowed, true, 'looking takes nothing');
      on.clock.advance(1_002);
      assert.deepEqual(await on.keys(), []);
    });

    it('is full again after a reset', async () => {
      await using on = await bench({ limit: 2, per: 60_000, algorithm });
      await on.limiter.take('x', 2);
      await on.limiter.reset('x');
      assert.equal((await on.limiter.look('x')).remaining, 2);
    });
  });

describe('After the clock was set back', () => {
  it('a token bucket goes on from the new time', async () => {
    await using on = await bench({ limit: 10, per: 1_000, burst: 2 });
    await on.limiter.take('x', 2);
    // As if the clock had been an hour ahead when the units were taken.
    await on.store.send('SET', 'rate:{x}:bucket:10/1000/2', `0 ${(on.clock.now() + 3_600_000) * 1_000}`);
    const { isAllowed, retryIn } = await on.limiter.take('x');
    assert.deepEqual([isAllowed, retryIn], [false, 100]);
    on.clock.advance(retryIn);
    assert.equal((await on.limiter.take('x')).isAllowed, true);
  });

  it('GCRA owes no more than a burst', async () => {
    await using on = await bench({ limit: 10, per: 1_000, burst: 2, algorithm: 'gcra' });
    await on.limiter.take('x', 2);
    await on.store.send('SET', 'rate:{x}:gcra:10/1000/2', (on.clock.now() + 3_600_000) * 1_000);
    const { isAllowed, retryIn } = await on.limiter.take('x');
    assert.deepEqual([isAllowed, retryIn], [false, 300]);
    on.clock.advance(retryIn);
    assert.equal((await on.limiter.take('x')).isAllowed, true);
  });

  it('a sliding window keeps its times in order', async () => {
    await using on = await bench({ limit: 2, per: 1_000, algorithm: 'sliding-window' });
    await on.limiter.take('x');
    const ahead = (on.clock.now() + 500) * 1_000;
    await on.store.send('LSET', 'rate:{x}:log:2/1000', 0, ahead);
    await on.limiter.take('x');
    assert.deepEqual(await on.store.send('LRANGE', 'rate:{x}:log:2/1000', 0, -1), [`${ahead}`, `${ahead}`]);
    assert.equal((await on.limiter.take('x')).retryIn, 1_500);
  });
});

describe('A fixed window', () => {
  it('begins with the first unit, and gives all units back when it ends', async () => {
    await using on = await bench({ limit: 3, per: 1_000, algorithm: 'fixed-window' });
    assert.deepEqual(brief(await on.limiter.take('x')), {
      isAllowed: true,
      remaining: 2,
      retryIn: 0,
      fullIn: 1_000,
    });
    on.clock.advance(400);
    assert.deepEqual(brief(await on.limiter.take('x', 3)), {
      isAllowed: false,
      remaining: 2,
      retryIn: 600,
      fullIn: 600,
    });
    assert.equal((await on.limiter.take('x', 2)).remaining, 0);
    assert.equal((await on.limiter.take('x')).retryIn, 600);
    on.clock.advance(601);
    assert.deepEqual(await on.keys(), []);
    assert.equal((await on.limiter.take('x')).fullIn, 1_000);
  });
});

describe('A sliding window', () => {
  const OPTIONS = { limit: 3, per: 1_000, algorithm: 'sliding-window' } as const;

  it('allows no more than its limit in any period, and returns when the next unit is allowed', async () => {
    await using on = await bench(OPTIONS);
    await on.limiter.take('x');
    on.clock.advance(400);
    assert.deepEqual(brief(await on.limiter.take('x', 2)), {
      isAllowed: true,
      remaining: 0,
      retryIn: 0,
      fullIn: 1_000,
    });
    assert.deepEqual(brief(await on.limiter.take('x')), {
      isAllowed: false,
      remaining: 0,
      retryIn: 600,
      fullIn: 1_000,
    });
    assert.equal((await on.limiter.take('x', 2)).retryIn, 1_000);
    on.clock.advance(599);
    assert.equal((await on.limiter.take('x')).isAllowed, false);
    on.clock.advance(1);
    assert.equal((await on.limiter.take('x')).isAllowed, true);
    assert.equal((await on.limiter.look('x')).remaining, 0);
    on.clock.advance(1_001);
    assert.deepEqual(await on.keys(), []);
  });
});

describe('Limiters of different limits', () => {
  it('count separately', async () => {
    await using store = await open();
    const login = rateLimiter(store, { limit: 1, per: 60_000 });
    const search = rateLimiter(store, { limit: 5, per: 60_000 });
    const exact = rateLimiter(store, { limit: 1, per: 60_000, algorithm: 'sliding-window' });
    assert.equal((await login.take('ann')).isAllowed, true);
    assert.equal((await search.take('ann')).remaining, 4);
    assert.equal((await exact.take('ann')).isAllowed, true);
    assert.equal((await rateLimiter(store, { limit: 1, per: 60_000 }).take('ann')).isAllowed, false);
    await search.reset('ann');
    assert.equal((await login.look('ann')).isAllowed, false, 'a reset is for one limiter');
  });
});

describe('What a limiter promises', () => {
  const steps = fc.array(fc.record({ pause: fc.nat(700), cost: fc.integer({ min: 1, max: 4 }) }), {
    maxLength: 40,
  });

  it('holds for a sliding window: never more than the limit within the time, and `retryIn` is exact', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        await using on = await bench({ limit: 4, per: 1_000, algorithm: 'sliding-window' });
        const taken: number[] = [];
        for (const { pause, cost } of sequence) {
          on.clock.advance(pause);
          const now = on.clock.now();
          const inWindow = taken.filter((at) => at > now - 1_000);
          const free = (later: number): boolean =>
            inWindow.filter((at) => at > now + later - 1_000).length + cost <= 4;
          const { isAllowed, retryIn } = await on.limiter.take('x', cost);
          assert.equal(isAllowed, free(0));
          if (isAllowed) for (let i = 0; i < cost; i++) taken.push(now);
          else assert.ok(free(retryIn) && !free(retryIn - 1), `${retryIn}`);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('holds for a fixed window: no window has more than the limit, and `retryIn` is exact', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        await using on = await bench({ limit: 4, per: 1_000, algorithm: 'fixed-window' });
        let ends = 0;
        let used = 0;
        for (const { pause, cost } of sequence) {
          on.clock.advance(pause);
          const now = on.clock.now();
          if (now > ends) used = 0;
          const { isAllowed, retryIn } = await on.limiter.take('x', cost);
          assert.equal(isAllowed, used + cost <= 4);
          if (!isAllowed) assert.equal(retryIn, Math.max(1, ends - now));
          if (isAllowed && used === 0) ends = now + 1_000;
          if (isAllowed) used += cost;
        }
      }),
      { numRuns: 30 },
    );
  });

  it('is the same for GCRA and a token bucket, penalties and rewards included', async () => {
    const moves = fc.record({
      pause: fc.nat(700),
      call: fc.constantFrom('take', 'look', 'penalize', 'reward'),
      cost: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(moves, { maxLength: 40 }), async (sequence) => {
        await using on = await bench({ limit: 4, per: 1_000, burst: 4 });
        const gcra = rateLimiter(on.store, { limit: 4, per: 1_000, burst: 4, algorithm: 'gcra' });
        for (const { pause, call, cost } of sequence) {
          on.clock.advance(pause);
          const limiters = [on.limiter, gcra].map((limiter) => limiter[call as 'take']('x', cost));
          const [bucket, other] = await Promise.all(limiters);
          assert.deepEqual(other, bucket);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('holds for a token bucket: what was taken never exceeds what has come, and `retryIn` suffices', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        await using on = await bench({ limit: 3, per: 1_000, burst: 4 });
        const start = on.clock.now();
        let taken = 0;
        for (const { pause, cost } of sequence) {
          on.clock.advance(pause);
          const first = await on.limiter.take('x', cost);
          if (!first.isAllowed) {
            on.clock.advance(first.retryIn);
            assert.ok((await on.limiter.take('x', cost)).isAllowed, 'after retryIn it is allowed');
          }
          taken += cost;
          assert.ok(taken <= 4 + (3 * (on.clock.now() - start)) / 1_000 + 1e-3);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('refuses unknown and invalid options', async () => {
    const store = await open('memory:');
    const misspelt = JSON.parse('{"limit": 1, "pre": 1}') as RateLimiterOptions;
    assert.throws(
      () => rateLimiter(store, misspelt),
      /rateLimiter has no option 'pre': did you mean 'per'\?/,
    );
    const both = { limit: 1, per: 1, burst: 2, algorithm: 'sliding-window' } as const;
    assert.throws(() => rateLimiter(store, both), /a sliding window has no `burst`/);
    await assert.rejects(
      rateLimiter(store, { limit: 5, per: 1 }).take('x', 6),
      /`cost` must be a whole number from 1 to 5, not 6/,
    );
    await store.close();
  });
});
