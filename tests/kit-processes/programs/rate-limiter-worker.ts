/** Repeatedly takes units, and reports the earliest and latest time at which each was granted, by the server's clock. */
import { type RateLimiter, rateLimiter } from '../../../src/kit/rate-limiter/index.js';
import type { Store } from '../../../src/store/index.js';
import { workUntilStopped } from './locks-worker-setup.js';
import { ALGORITHMS, LIMIT, PER_MS } from './rate-limiter-plan.js';

let limiters: RateLimiter[] | undefined;

await workUntilStopped(async ({ store, draw, report }) => {
  limiters ??= ALGORITHMS.map((algorithm) => rateLimiter(store, { limit: LIMIT, per: PER_MS, algorithm }));
  const which = Math.floor(draw() * ALGORITHMS.length);
  const earliest = await serverMicros(store);
  const { isAllowed, retryIn } = await (limiters[which] as RateLimiter).take('shared');
  const latest = await serverMicros(store);
  if (isAllowed) await report(earliest, latest, which);
  else await store.time.sleep(Math.min(retryIn, 5));
});

async function serverMicros(store: Store): Promise<number> {
  const [seconds, micros] = (await store.send('TIME')) as [string, string];
  return Number(seconds) * 1_000_000 + Number(micros);
}
