import type { Store } from '../../store/index.js';
import {
  abortSignal,
  checkName,
  checkStore,
  integer,
  KitError,
  keyNaming,
  listener,
  milliseconds,
  optional,
  resolveOptions,
  shown,
  text,
} from '../foundation/index.js';
import { PUT, SCHEDULE, SCHEDULE_PARTS } from './row-scripts.js';
import { RowWorkerLoop } from './row-worker.js';

/** Options of `rowCache`. */
export interface RowCacheOptions {
  /** Prefix of all keys. Default `rows`. */
  readonly prefix?: string;
  /** Ms for which a row is kept if it is not refreshed in time. Default an hour. */
  readonly keep?: number;
}

export interface LoadContext {
  /** Aborts when the worker stops, or when it lost the row to another worker. */
  readonly signal: AbortSignal;
}

/** Reads a row from where it belongs. `undefined`: it is gone, and is no longer refreshed. */
export type LoadRow<Row> = (id: string, context: LoadContext) => Row | undefined | Promise<Row | undefined>;

export interface RowWorkerOptions {
  /** How many rows are refreshed at a time. Default 8. */
  readonly concurrency?: number;
  /** Ms after which another worker takes the row of a worker that has died. Default 30,000. */
  readonly lease?: number;
  /** Ms until a row that could not be loaded is tried again; at most its usual time. Default 1,000. */
  readonly retry?: number;
  /** Stops the worker. */
  readonly signal?: AbortSignal;
  /** Called if a row could not be loaded, or the server cannot be reached. Default: a process warning. */
  readonly onError?: (error: unknown, row: string | undefined) => void;
}

/** Refreshes rows until it is stopped. */
export interface RowWorker extends AsyncDisposable {
  /** Takes no more rows, and waits for those under way, at most `within` ms. Default 10,000. */
  stop(options?: { readonly within?: number }): Promise<void>;
}

/** Rows of a database as JSON, refreshed by a schedule. */
export interface RowCache<Row> {
  readonly name: string;
  /**
   * Refreshes a row now, and then every `every` ms. 0 or less removes the row from schedule and cache. Returns whether it was
   * scheduled before.
   */
  schedule(id: string, every: number): Promise<boolean>;
  /** Removes a row from schedule and cache. Returns whether it was scheduled. */
  unschedule(id: string): Promise<boolean>;
  /** Refreshes a scheduled row now, out of turn. False if it is not scheduled. */
  refresh(id: string): Promise<boolean>;
  /** The row as last loaded; undefined if there is none. */
  get(id: string): Promise<Row | undefined>;
  /** Several rows, in the order of the ids. */
  getMany(ids: readonly string[]): Promise<(Row | undefined)[]>;
  /** The ms between two refreshes; undefined if it is not scheduled. */
  interval(id: string): Promise<number | undefined>;
  /** How many rows are scheduled. */
  size(): Promise<number>;
  /** Starts a worker. Any number of workers, in any processes, share the rows: each refresh is done by one of them. */
  work(load: LoadRow<Row>, options?: RowWorkerOptions): RowWorker;
}

const RULES = { prefix: text('rows'), keep: milliseconds(3_600_000, { min: 1 }) };

const WORKER_RULES = {
  concurrency: integer(8, { min: 1, max: 1_000 }),
  lease: milliseconds(30_000, { min: 10 }),
  retry: milliseconds(1_000, { min: 1 }),
  signal: optional(abortSignal()),
  onError: listener<NonNullable<RowWorkerOptions['onError']>>((error, row) => {
    const what = row === undefined ? 'a worker' : `the row '${row}'`;
    process.emitWarning(`${what} of a row cache got an error and is tried again: ${String(error)}`);
  }),
};

const STOP_RULES = { within: milliseconds(10_000) };

/**
 * Keeps rows of a database in the store, each refreshed by its own schedule.
 *
 * @example
 * import { open } from 'sorrel';
 * import { rowCache } from 'sorrel/kit/row-cache';
 *
 * await using store = await open();
 * const stock = rowCache<{ left: number }>(store, 'stock');
 * await stock.schedule('book', 5_000);
 * await using worker = stock.work(async (id) => ({ left: id.length }));
 */
export function rowCache<Row = unknown>(
  store: Store,
  name: string,
  given: RowCacheOptions = {},
): RowCache<Row> {
  checkStore('rowCache', store);
  const { prefix, keep } = resolveOptions('rowCache', given, RULES);
  const keys = keyNaming('rowCache', prefix, SCHEDULE_PARTS)(name);
  const rowKeysOf = keyNaming('rowCache', `${prefix}-row`, ['json']);
  const channel = `${prefix}:{${name}}:wake`;
  const schedule = store.script(SCHEDULE);
  const put = store.script(PUT);

  /** Each row is in its own slot. */
  const keyOf = (id: string): string => {
    checkName('rowCache', id);
    return rowKeysOf(`${name}:${id}`).json;
  };

  async function plan(id: string, ms: number): Promise<boolean> {
    const row = keyOf(id);
    if (!Number.isSafeInteger(ms)) {
      throw new KitError(
        'OPTION',
        `rowCache: schedule takes a number of whole milliseconds, not ${shown(ms)}`,
      );
    }
    const { was, number } = await schedule({ ...keys, row: id, ms, channel });
    if (ms <= 0) await put({ row, number, ttl: keep, json: '' });
    return was;
  }

  async function interval(id: string): Promise<number | undefined> {
    checkName('rowCache', id);
    const ms = await store.send('HGET', keys.every, id);
    return ms === null ? undefined : Number(ms);
  }

  const parsed = (json: unknown): Row | undefined =>
    json === null ? undefined : (JSON.parse(json as string) as Row);

  return {
    name,
    schedule: plan,
    unschedule: (id) => plan(id, 0),
    refresh: async (id) => {
      const ms = await interval(id);
      if (ms !== undefined) await plan(id, ms);
      return ms !== undefined;
    },
    get: async (id) => parsed(await store.send('HGET', keyOf(id), 'json')),
    getMany: async (ids) => {
      if (!Array.isArray(ids)) {
        throw new KitError('OPTION', `rowCache: getMany takes a list of ids, not ${shown(ids)}`);
      }
      const found = ids.map(keyOf).map((key) => store.send('HGET', key, 'json'));
      return (await Promise.all(found)).map(parsed);
    },
    interval,
    size: async () => store.send<number>('HLEN', keys.every),
    work: (load, given = {}) => {
      if (typeof load !== 'function') {
        throw new KitError('OPTION', `rowCache: work takes a function that loads a row, not ${shown(load)}`);
      }
      const options = resolveOptions('work', given, WORKER_RULES);
      const loop = new RowWorkerLoop({ ...options, store, keys, keyOf, keep, channel, load });
      const stop: RowWorker['stop'] = async (own = {}) =>
        loop.stop(resolveOptions('stop', own, STOP_RULES).within);
      return { stop, [Symbol.asyncDispose]: () => stop() };
    },
  };
}
