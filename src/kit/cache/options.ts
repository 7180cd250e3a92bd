import {
  callback,
  integer,
  listener,
  milliseconds,
  type Resolved,
  ruled,
  text,
} from '../foundation/index.js';

/** Options of every cache. */
export interface CacheOptions {
  /** Ms for which a value is fresh. Default 300,000 (5 minutes). */
  readonly ttl?: number;
  /**
   * Ms for which a value may still be used after that, while one client produces a new one. Default 0: callers wait for
   * the new value.
   */
  readonly stale?: number;
  /** The largest part of `ttl` that is taken off at random, so that values stored together do not expire together. Default 0.1. */
  readonly jitter?: number;
  /**
   * How long a producer that has died keeps others from producing, in ms. A live producer renews its lease, so this does
   * not limit how long it may take. Default 10,000.
   */
  readonly lease?: number;
  /** How long a caller waits for a value that another client produces, in ms. Default 10,000. */
  readonly wait?: number;
  /** Values of this many bytes or more are compressed. `Infinity`: none. Default 1,024. */
  readonly compressFrom?: number;
  /**
   * How long a call waits for the server, in ms. After that, and while the server cannot be reached, values are produced
   * without the cache. Default 1,000.
   */
  readonly timeout?: number;
  /**
   * Prefix of all keys. Caches with the same prefix share their tags. Default `cache`.
   */
  readonly prefix?: string;
  /** Called if the server cannot be reached, or a value could not be refreshed or stored. Default: a process warning. */
  readonly onError?: (error: unknown) => void;
  /** Chance, from 0 to 1. Default `Math.random`. */
  readonly random?: () => number;
}

const part = (fallback: number) =>
  ruled<number>(
    (value) =>
      typeof value === 'number' && value >= 0 && value <= 1 ? undefined : 'must be a number from 0 to 1',
    fallback,
  );

export const CACHE_RULES = {
  ttl: milliseconds(300_000, { min: 1 }),
  stale: milliseconds(0),
  jitter: part(0.1),
  lease: milliseconds(10_000, { min: 10 }),
  wait: milliseconds(10_000),
  compressFrom: milliseconds(1_024, { infinite: true }),
  timeout: milliseconds(1_000, { min: 1, infinite: true }),
  prefix: text('cache'),
  onError: listener<NonNullable<CacheOptions['onError']>>((error) => {
    process.emitWarning(`a cache got an error and goes on without it: ${String(error)}`);
  }),
  random: callback<() => number>(() => Math.random()),
};

export type CompleteCacheOptions = Resolved<typeof CACHE_RULES>;

export const LOCAL_RULE = integer(0, { min: 0 });
