import type { Store } from '../../store/index.js';
import {
  abortSignal,
  callback,
  checkStore,
  jsonOf,
  KitError,
  milliseconds,
  optional,
  resolveOptions,
  shown,
  text,
} from '../foundation/index.js';
import { argumentKey, shortened } from './argument-key.js';
import { Entries, type Hit, type Production, producerFailed } from './entries.js';
import { FirstLevel } from './first-level.js';
import { CACHE_RULES, type CacheOptions, LOCAL_RULE } from './options.js';
import { contentOf, isCompressed, pack, unpack } from './packing.js';

/** Options of `cached`. */
export interface CachedOptions<Args extends readonly unknown[], Result> extends CacheOptions {
  /** Part of all keys: functions with the same name and prefix share their values. */
  readonly name: string;
  /**
   * The part of the key that depends on the arguments. Default: JSON of the arguments with sorted properties; arguments
   * that are not plain values are refused.
   */
  readonly key?: (...args: Args) => string;
  /** Tags of a result, by which it can be invalidated together with others. */
  readonly tags?: (result: Result, ...args: Args) => readonly string[];
  /**
   * How many results this process keeps in memory as well. Messages remove them when they are invalidated elsewhere.
   * Default 0: none.
   */
  readonly local?: number;
}

/** Options of one call. */
export interface CachedCallOptions {
  /** How long to wait for a value that another client produces, in ms. */
  readonly wait?: number;
  /** Ends the wait with `ABORTED`. */
  readonly signal?: AbortSignal;
}

/** A function whose results are cached. Call it like the function itself; it always returns a promise. */
export interface Cached<Args extends readonly unknown[], Result> {
  (...args: Args): Promise<Result>;
  /** The same with options for the call. */
  get(args: Args, options?: CachedCallOptions): Promise<Result>;
  /** Calls the function now and stores the result, also if there is a fresh one. */
  refresh(...args: Args): Promise<Result>;
  /** Removes a result, also one that is being produced now. Returns whether there was one. */
  invalidate(...args: Args): Promise<boolean>;
  /** Removes all results with this tag, of all caches with the same prefix. Returns how many there were. */
  invalidateTag(tag: string): Promise<number>;
  /** Drops what this process keeps in memory, and stops listening. The function can still be called. */
  close(): Promise<void>;
}

const CACHED_RULES = {
  ...CACHE_RULES,
  name: text(),
  key: optional(callback<(...args: never[]) => string>()),
  tags: optional(callback<(...args: never[]) => readonly string[]>()),
  local: LOCAL_RULE,
};

const UNDEFINED = 'undefined';

/**
 * Caches the results of a function for all processes. One process at a time calls it for the same arguments; others wait
 * for the result.
 *
 * @example
 * import { open } from 'sorrel';
 * import { cached } from 'sorrel/kit/cache';
 *
 * await using store = await open();
 * let calls = 0;
 * const square = cached(store, async (n: number) => {
 *   calls++;
 *   return n * n;
 * }, { name: 'square', ttl: 60_000 });
 * await Promise.all([square(4), square(4), square(4)]); // [16, 16, 16]
 * calls; // 1
 * await square.invalidate(4); // true
 */
export function cached<Args extends readonly unknown[], Result>(
  store: Store,
  produce: (...args: Args) => Result | Promise<Result>,
  given: CachedOptions<Args, Result>,
): Cached<Args, Result> {
  checkStore('cached', store);
  if (typeof produce !== 'function') {
    throw new KitError('OPTION', `cached: the second argument must be a function, not ${shown(produce)}`);
  }
  const { name, key, tags, local, ...options } = resolveOptions('cached', given ?? {}, CACHED_RULES);
  const entries = new Entries('cached', store, options);
  const first = local === 0 ? undefined : new FirstLevel<string>(entries, local);
  const keyOf = key as ((...args: Args) => string) | undefined;
  const tagsOf = tags as ((result: Result, ...args: Args) => readonly string[]) | undefined;
  /** Calls under way while the server cannot be reached. */
  const alone = new Map<string, Promise<Result>>();

  function nameOf(args: Args): string {
    if (keyOf === undefined) return `${name}:${argumentKey(args)}`;
    const own = keyOf(...args);
    if (typeof own === 'string') return `${name}:${shortened(own)}`;
    throw new KitError('OPTION', `cached: \`key\` must return a string, not ${shown(own)}`);
  }

  async function decode(entry: string, { body, freshFor, tags }: Hit, version: number) {
    const json = (isCompressed(body) ? await unpack(body) : contentOf(body)).toString();
    if (freshFor > 0) first?.keep(entry, json, freshFor, tags, version);
    return parsed(json);
  }

  const parsed = (json: string): Result =>
    json === UNDEFINED ? (undefined as Result) : (JSON.parse(json) as Result);

  /** Calls the function, stores the result, and returns it as other callers will get it. */
  async function run(production: Production, args: Args): Promise<Result> {
    let json: string;
    let own: readonly string[];
    try {
      if (tagsOf !== undefined) await production.begun();
      const result = await produce(...args);
      json = encoded(result);
      own = tagsOf === undefined ? [] : checkedTags(entries, tagsOf(result, ...args));
    } catch (error) {
      await production.release({ failed: error instanceof Error ? error.message : String(error) });
      throw error;
    }
    await production.store(await pack(Buffer.from(json), options.compressFrom), own);
    return parsed(json);
  }

  /** Without the cache: one call at a time for the same arguments, in this process. */
  function bypass(entry: string, args: Args): Promise<Result> {
    const under = alone.get(entry);
    if (under !== undefined) return under;
    const call = (async () => parsed(encoded(await produce(...args))))();
    alone.set(entry, call);
    const end = (): void => void alone.delete(entry);
    call.then(end, end);
    return call;
  }

  async function get(args: Args, call: CachedCallOptions = {}, force = false): Promise<Result> {
    const entry = nameOf(args);
    const kept = force ? undefined : first?.get(entry);
    if (kept !== undefined) return parsed(kept);
    if (first === undefined && !force && call.signal === undefined) {
      const found = await entries.peek(entry);
      if (found !== undefined) return decode(entry, { body: found, freshFor: 0, tags: [] }, 0);
    }
    const version = first?.version ?? 0;
    const grant = await entries.claim(entry, { ...call, force });
    switch (grant.kind) {
      case 'hit':
        return decode(entry, grant.hit, version);
      case 'failed':
        throw producerFailed(entry, grant.reason);
      case 'bypass':
        return bypass(entry, args);
      case 'produce': {
        const produced = run(grant.production, args);
        if (force || grant.stale === undefined) return produced;
        produced.catch(options.onError);
        return decode(entry, grant.stale, version);
      }
    }
  }

  const call = async (...args: Args): Promise<Result> => get(args);
  return Object.assign(call, {
    get: async (args: Args, own: CachedCallOptions = {}) => {
      if (!Array.isArray(args)) {
        throw new KitError('OPTION', `cached: get takes a list of arguments, not ${shown(args)}`);
      }
      const { wait, signal } = resolveOptions('cached', own, CALL_RULES);
      return get(args, {
        ...(wait === undefined ? {} : { wait }),
        ...(signal === undefined ? {} : { signal }),
      });
    },
    refresh: async (...args: Args) => {
      const entry = nameOf(args);
      first?.drop(entry);
      const result = await get(args, {}, true);
      await entries.tell(`entry ${entry}`).catch(options.onError);
      return result;
    },
    invalidate: async (...args: Args) => {
      const entry = nameOf(args);
      first?.drop(entry);
      return entries.invalidate(entry).finally(() => first?.drop(entry));
    },
    invalidateTag: async (tag: string) => {
      entries.checkTag(tag);
      first?.dropTag(tag);
      return entries.invalidateTag(tag).finally(() => first?.dropTag(tag));
    },
    close: async () => first?.close(),
  });
}

const CALL_RULES = { wait: optional(milliseconds()), signal: optional(abortSignal()) };

function encoded(result: unknown): string {
  if (result === undefined) return UNDEFINED;
  return jsonOf(result, `cached: a result must be a value that JSON can hold, not ${shown(result)}`);
}

export function checkedTags(entries: Entries, tags: readonly string[]): readonly string[] {
  if (!Array.isArray(tags)) {
    throw new KitError('OPTION', `a cache's tags must be a list of strings, not ${shown(tags)}`);
  }
  for (const tag of tags) entries.checkTag(tag);
  return tags;
}
