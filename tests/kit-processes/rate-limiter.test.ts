import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rateLimiter } from '../../src/kit/rate-limiter/index.js';
import { open } from '../../src/store/index.js';
import { startRedis, whenRedisIsInstalled } from '../support/fleet/index.js';
import { Crew, KEYS } from './programs/locks-crew.js';
import { ALGORITHMS, LIMIT, PER_MS } from './programs/rate-limiter-plan.js';

const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 2_468_135);
const BLOWS = 2;
const GRANTS = 80;

interface Grant {
  /** The server's time before and after the call, in µs. */
  readonly earliest: number;
  readonly latest: number;
}

/** The maximum number of grants that are certainly within a period of this length: the call began and ended in it. */
function maxWithin(grants: readonly Grant[], perMs: number): number {
  const sorted = [...grants].sort((a, b) => a.earliest - b.earliest);
  let most = 0;
  for (const [at, { earliest }] of sorted.entries()) {
    const end = earliest + perMs * 1_000;
    most = Math.max(most, sorted.slice(at).filter(({ latest }) => latest < end).length);
  }
  return most;
}

/** See the table of algorithms in the README. */
const MOST: Readonly<Record<(typeof ALGORITHMS)[number], number>> = {
  'sliding-window': LIMIT,
  'token-bucket': 2 * LIMIT,
  gcra: 2 * LIMIT,
  'fixed-window': 2 * LIMIT,
};

describe('A rate limiter between processes', whenRedisIsInstalled, () => {
  it('never grants more than its limit, whatever happens to the processes and their clocks', {
    timeout: 300_000,
  }, async () => {
    const script = new URL('./programs/rate-limiter-worker.ts', import.meta.url);
    await using crew = await Crew.start(script, { size: 4, seed: SEED });
    await crew.progress(GRANTS);
    for (let round = 0; round < BLOWS; round++) {
      await crew.pause();
      await crew.progress(GRANTS);
      await crew.kill();
      await crew.progress(GRANTS);
      await crew.cut();
      await crew.progress(GRANTS);
    }
    const reports = (await crew.store.send('SMEMBERS', KEYS.spans)) as string[];
    await crew.finish();
    for (const [which, algorithm] of ALGORITHMS.entries()) {
      const grants = reports
        .map((text) => text.split(' ').map(Number) as [number, number, number])
        .filter(([, , number]) => number === which)
        .map(([earliest, latest]) => ({ earliest, latest }));
      const most = maxWithin(grants, PER_MS);
      assert.ok(most <= MOST[algorithm], `${algorithm}: ${most} within ${PER_MS} ms`);
      assert.ok(
        most > LIMIT / 2,
        `${algorithm}: only ${most} within ${PER_MS} ms: the limit was not reached`,
      );
    }
  });
});

describe('The insurance of a rate limiter', whenRedisIsInstalled, () => {
  it('decides while the server is stopped, and leaves it to the server when it is back', {
    timeout: 60_000,
  }, async () => {
    const server = await startRedis();
    const store = await open(`redis://127.0.0.1:${server.port}`);
    const options = { limit: 4, per: 3_600_000, algorithm: 'fixed-window' } as const;
    const limiter = rateLimiter(store, { ...options, insurance: { share: 0.5, patience: 100 } });
    try {
      await limiter.take('x', 3);
      server.process.kill('SIGSTOP');
      const decisions = await Promise.all([1, 2, 3, 4, 5].map(() => limiter.take('x')));
      assert.ok(decisions.every(({ isInsured }) => isInsured));
      assert.equal(decisions.filter(({ isAllowed }) => isAllowed).length, 2, 'its share');
      const start = performance.now();
      for (let i = 0; i < 100; i++) assert.equal((await limiter.take(`y${i}`)).isInsured, true);
      assert.ok(
        performance.now() - start < 5_000,
        'decided at once: a hundred calls that wait take ten seconds',
      );
      server.process.kill('SIGCONT');
      const giveUpAt = Date.now() + 30_000;
      while ((await limiter.look('x')).isInsured) {
        assert.ok(Date.now() < giveUpAt, 'the server is not asked again');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      // Calls that the server received while it was stopped have run when it went on: at most the unit that was left.
      assert.ok((await limiter.look('x')).remaining <= 1);
    } finally {
      server.process.kill('SIGCONT');
      await store.close();
      await server.stop();
    }
  });
});
