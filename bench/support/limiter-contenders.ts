import { randomUUID } from 'node:crypto';
import { BurstyRateLimiter, RateLimiterRedis, RateLimiterUnion } from 'rate-limiter-flexible';
import type * as kit from '../../src/kit/rate-limiter/index.js';
import { built } from './built.js';
import type { Place } from './place.js';

const { rateLimiter } = await built<typeof kit>('kit/rate-limiter/index.js');

/** A limit that is never reached: refused calls are not measured. */
const LIMIT = 100_000_000;
const HOUR = 3_600_000;

export interface LimiterContender {
  readonly name: string;
  /** What it is compared with: the contender that does the same or, if there is none, a fixed window. */
  readonly peer: string;
  /** Takes one unit of a name. */
  open(place: Place): Promise<{ take(name: string): Promise<unknown>; close(): Promise<void> }>;
}

const PEER = 'rate-limiter-flexible';
const UNION = 'rate-limiter-flexible, union of two';

function ours(name: string, options: kit.RateLimiterOptions, peer = PEER): LimiterContender {
  return {
    name,
    peer,
    open: async (place) => {
      const store = await place.openStore();
      const limiter = rateLimiter(store, { ...options, prefix: randomUUID() });
      return { take: (key) => limiter.take(key), close: () => store.close() };
    },
  };
}

/** Its ways to limit by one fixed window or two. */
type Flexible = (make: (seconds: number) => RateLimiterRedis) => {
  consume(key: string): Promise<unknown>;
};

const flexible = (name: string, peer: string, build: Flexible): LimiterContender => ({
  name,
  peer,
  open: async (place) => {
    const client = place.newClient();
    const make = (duration: number): RateLimiterRedis =>
      new RateLimiterRedis({ storeClient: client, points: LIMIT, duration, keyPrefix: randomUUID() });
    const limiter = build(make);
    return {
      take: (key) => limiter.consume(key),
      close: async () => client.disconnect(),
    };
  },
});

const window = (algorithm: kit.Algorithm): kit.RateLimiterOptions => ({ limit: LIMIT, per: HOUR, algorithm });

export const LIMITER_CONTENDERS: readonly LimiterContender[] = [
  ours('fixed window', window('fixed-window')),
  ours('GCRA', window('gcra')),
  ours('token bucket', window('token-bucket')),
  // As in production, units leave the window; otherwise the log would only grow.
  ours('sliding window of 1,000', { limit: 1_000, per: 100, algorithm: 'sliding-window' }),
  ours(
    'two fixed windows',
    {
      windows: [
        window('fixed-window') as kit.RateWindow,
        { limit: LIMIT, per: 60_000, algorithm: 'fixed-window' },
      ],
    },
    UNION,
  ),
  flexible(PEER, PEER, (make) => make(3_600)),
  // Takes from the second only if the first refuses.
  flexible(`${PEER}, bursty`, PEER, (make) => new BurstyRateLimiter(make(3_600), make(60))),
  // Two scripts; a refusal of one does not return what the other has taken.
  flexible(UNION, UNION, (make) => new RateLimiterUnion(make(3_600), make(60))),
];

/** Calls a second by this clock, `atOnce` at a time, alternating between a hundred names. */
export async function measureLimiter(
  contender: LimiterContender,
  place: Place,
  { calls, atOnce }: { readonly calls: number; readonly atOnce: number },
  now: () => number = () => performance.now(),
): Promise<number> {
  const limiter = await contender.open(place);
  const name = (n: number): string => `user:${n % 100}`;
  await Promise.all(Array.from({ length: 100 }, (_, n) => limiter.take(name(n))));
  let next = 0;
  const start = now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < calls) await limiter.take(name(next++)).catch(() => {});
    }),
  );
  const rate = (calls * 1_000) / (now() - start);
  await limiter.close();
  return rate;
}
