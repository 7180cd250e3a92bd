import type { Store } from '../../store/index.js';
import {
  abortSignal,
  checkStore,
  checkText,
  EVICTION_RULES,
  EvictionGuard,
  type EvictionOptions,
  integer,
  KitError,
  keyNaming,
  listener,
  optional,
  type Resolved,
  resolveOptions,
  ruled,
  shown,
  text,
} from '../foundation/index.js';
import { followFiles } from './following.js';
import { Reader } from './reader.js';
import type { LineSource, Tally } from './tally.js';

export interface LogProcessorOptions extends EvictionOptions {
  /** The folder of the log files. */
  readonly folder: string;
  /** Which files of the folder to read. Default: names that end with `.log`, or `.log.` and a number. */
  readonly match?: RegExp;
  /** Max lines in one transaction. Default 1,000. */
  readonly batch?: number;
  /** Prefix of all keys. Default `logs`. */
  readonly prefix?: string;
}

/** Called for each line, without its line feed. A batch is stored when it has been called for all of its lines. */
export type LineHandler = (line: string, tally: Tally, source: LineSource) => void | Promise<void>;

export interface ProcessOptions {
  /** Ends between two lines, with `ABORTED`. */
  readonly signal?: AbortSignal;
}

export interface FollowOptions {
  /** Ends it, without an error. */
  readonly signal?: AbortSignal;
  /** Called when the store cannot be reached, or the folder cannot be read; it tries again. */
  readonly onError?: (error: unknown) => void;
}

export interface Processed {
  readonly lines: number;
  /** Transactions. */
  readonly batches: number;
}

export interface LogStatus {
  readonly file: string;
  /** Bytes that have been read. */
  readonly offset: number;
}

/**
 * Reads log files and stores what they add up to. The position in each file is stored in the same transaction as the counts: killed
 * anywhere, no line is lost or counted twice, also if two processes read the same files by mistake.
 */
export interface LogProcessor {
  readonly name: string;
  /**
   * Reads what has been written since the last call, to the end of all files.
   *
   * @example
   * await logs.process((line, tally) => tally.count('requests', line.split(' ')[0] ?? ''));
   */
  process(handler: LineHandler, options?: ProcessOptions): Promise<Processed>;
  /** The same, and goes on while lines are written, until the signal aborts. It continues through outages of the store. */
  follow(handler: LineHandler, options?: FollowOptions): Promise<void>;
  /** What `tally.count` has added up. */
  counts(name: string): Promise<ReadonlyMap<string, number>>;
  /** The members with the highest scores of `tally.rank`. Default limit 10. */
  top(name: string, limit?: number): Promise<{ readonly member: string; readonly score: number }[]>;
  /** About how many different elements `tally.unique` was given. */
  distinct(name: string): Promise<number>;
  /** How far each file has been read. */
  status(): Promise<LogStatus[]>;
  /** Deletes the positions and all counts: the files are read from their beginning again. */
  clear(): Promise<void>;
}

/**
 * Opens a reader of log files. The name stands for a folder on one machine.
 *
 * @example
 * const logs = logProcessor(store, 'web-1', { folder: '/var/log/shop' });
 * await logs.process((line, tally) => tally.count('lines', line.slice(0, 10)));
 * await logs.counts('lines'); // Map { '2024-01-01' => 5 }
 */
export function logProcessor(store: Store, name: string, options: LogProcessorOptions): LogProcessor {
  checkStore('logProcessor', store);
  const { folder, match, batch, prefix, ...eviction } = resolveOptions('logProcessor', options ?? {}, RULES);
  const keys = keyNaming('logProcessor', prefix, PARTS)(name);
  const guard = new EvictionGuard(store, 'logProcessor', eviction);
  const reader = new Reader({ store, guard, keys, folder, match, batch });
  const keyOf = (kind: 'count' | 'rank' | 'unique', of: string): string =>
    `${keys[kind]}:${checkText('logProcessor', 'a name', of)}`;
  return {
    name,
    process: async (handler, given = {}) => {
      const { signal } = resolveOptions('process', given, PROCESS_RULES);
      return reader.readAll(checkHandler(handler), signal);
    },
    follow: async (handler, given = {}) => {
      const { signal, onError } = resolveOptions('follow', given, FOLLOW_RULES);
      const work = checkHandler(handler);
      await followFiles({
        time: store.time,
        folder,
        signal,
        onError,
        read: () => reader.readAll(work, signal),
      });
    },
    counts: async (of) => {
      const fields = await store.hgetall(keyOf('count', of));
      return new Map(Object.entries(fields).map(([field, count]) => [field, Number(count)]));
    },
    top: async (of, limit = 10) => {
      const { limit: max } = resolveOptions('top', { limit }, TOP_RULES);
      return store.zrange(keyOf('rank', of), 0, max - 1, { rev: true, withScores: true });
    },
    distinct: async (of) => store.pfcount(keyOf('unique', of)),
    status: () => reader.status(),
    clear: () => reader.clear(),
  };
}

function checkHandler(handler: LineHandler): LineHandler {
  if (typeof handler === 'function') return handler;
  throw new KitError('OPTION', `logProcessor: the handler must be a function, not ${shown(handler)}`);
}

const PARTS = ['progress', 'keys', 'count', 'rank', 'unique', 'own'] as const;

const RULES = {
  folder: text(),
  match: ruled<RegExp>(
    (value) => (value instanceof RegExp ? undefined : 'must be a regular expression'),
    /\.log(\.\d+)?$/,
  ),
  batch: integer(1_000, { min: 1, max: 100_000 }),
  prefix: text('logs'),
  ...EVICTION_RULES,
};
const PROCESS_RULES = { signal: optional(abortSignal()) };
const FOLLOW_RULES = {
  signal: optional(abortSignal()),
  onError: listener<(error: unknown) => void>(() => {}),
};
const TOP_RULES = { limit: integer(10, { min: 1, max: 100_000 }) };

export type LogKeys = Readonly<Record<(typeof PARTS)[number], string>>;
export type ReaderOptions = Pick<Resolved<typeof RULES>, 'folder' | 'match' | 'batch'> & {
  readonly store: Store;
  readonly guard: EvictionGuard;
  readonly keys: LogKeys;
};
