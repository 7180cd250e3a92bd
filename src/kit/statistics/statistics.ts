import type { Store } from '../../store/index.js';
import {
  CLOCK,
  checkStore,
  checkWork,
  integer,
  KitError,
  keyNaming,
  listener,
  milliseconds,
  readLua,
  resolveOptions,
  resolverOf,
  ruled,
  shown,
  text,
} from '../foundation/index.js';
import { Recorder } from './recorder.js';
import { checkedValue, type Summary, type SummaryOfValues, summaryFrom } from './summary.js';

export interface StatisticsOptions {
  /** Prefix of all keys. Default `stats`. */
  readonly prefix?: string;
  /** Length of a period in ms. Periods are aligned to UTC. Default an hour. */
  readonly period?: number;
  /** How many periods are kept, the current one included. Default 2. */
  readonly keep?: number;
  /** How many of the slowest contexts are kept in each period. Default 100. */
  readonly slowest?: number;
  /** Called if the duration of a `timed` call could not be recorded. Default: a process warning. */
  readonly onError?: (error: unknown) => void;
}

export interface PeriodOptions {
  /** 0 for the current period, 1 for the one before it … Default 0. */
  readonly ago?: number;
}

export interface TimedOptions {
  /** The type under which the duration is recorded. Default `duration`. */
  readonly type?: string;
}

export interface SlowestOptions extends PeriodOptions, TimedOptions {
  /** Max number of contexts. Default: all that are kept. */
  readonly limit?: number;
}

export interface SlowContext {
  readonly context: string;
  /** The mean duration in ms. */
  readonly mean: number;
  readonly count: number;
}

/** Statistics by context and type. Made by `statistics`. */
export interface Statistics {
  /**
   * Records a value: `type` says of what (`duration`, `bytes`), `context` where (a page, a function). Types consist of letters,
   * digits, spaces, `-`, `_` and `.`. Resolves when the value is in the store; values that are recorded while a request is
   * under way share the next one.
   */
  record(context: string, type: string, value: number): Promise<void>;
  /** Records several values in one step. */
  recordAll(context: string, type: string, values: readonly number[]): Promise<void>;
  /**
   * Calls `work`, records how many ms it took, also if it fails, and notes the context among the slowest. Does not wait until that
   * is stored, and never fails because of it.
   *
   * @example
   * const page = await statistics(store).timed('profile', () => render());
   */
  timed<Result>(
    context: string,
    work: () => Result | Promise<Result>,
    options?: TimedOptions,
  ): Promise<Result>;
  /** What was recorded in a period; undefined if nothing was. */
  read(context: string, type: string, options?: PeriodOptions): Promise<Summary | undefined>;
  /** The contexts whose `timed` calls take longest on average, the slowest first. */
  slowest(options?: SlowestOptions): Promise<SlowContext[]>;
  /** Resolves when all values so far are in the store, or have failed. */
  flush(): Promise<void>;
}

const RECORD = {
  keys: ['series'],
  args: ['period', 'keep', 'count', 'mean', 'm2', 'min', 'max', '...buckets'],
  lua: readLua(import.meta.url, CLOCK, 'record.lua'),
  reply: (reply: unknown) => reply as readonly [number: number, count: number, mean: string],
} as const;

const READ = {
  keys: ['series'],
  args: ['period', 'ago'],
  readOnly: true,
  lua: readLua(import.meta.url, CLOCK, 'read.lua'),
  reply: (reply: unknown) => reply as readonly [number: number, fields: readonly string[]],
} as const;

const RANK = {
  keys: ['means', 'counts'],
  args: ['context', 'mean', 'count', 'limit', 'endsAt'],
  repeatable: true,
  lua: readLua(import.meta.url, 'rank.lua'),
} as const;

const SLOWEST = {
  keys: ['means', 'counts'],
  args: ['period', 'ago', 'limit'],
  readOnly: true,
  lua: readLua(import.meta.url, CLOCK, 'slowest.lua'),
  reply: (reply: unknown) => reply as readonly string[],
} as const;

/**
 * Keeps statistics of values by context and type, for the current period and the one before it.
 *
 * @example
 * import { open } from 'sorrel';
 * import { statistics } from 'sorrel/kit/statistics';
 *
 * await using store = await open();
 * const stats = statistics(store);
 * await stats.recordAll('upload', 'bytes', [100, 200, 600]);
 * const summary = await stats.read('upload', 'bytes');
 * summary?.mean; // 300
 */
export function statistics(store: Store, options: StatisticsOptions = {}): Statistics {
  checkStore('statistics', store);
  const { prefix, period, keep, slowest: limit, onError } = resolveOptions('statistics', options, RULES);
  const keysOf = keyNaming('statistics', prefix, ['']);
  const rankingOf = keyNaming('statistics', `${prefix}-slowest`, ['means:', 'counts:']);
  const recorder = new Recorder();
  const scripts = {
    record: store.script(RECORD),
    read: store.script(READ),
    rank: store.script(RANK),
    slowest: store.script(SLOWEST),
  };

  function seriesOf(context: string, type: string): string {
    return `${keysOf(context)['']}${checkedType(type)}:`;
  }

  async function send(series: string, batch: SummaryOfValues) {
    const { count, mean, m2, min, max, sketch } = batch;
    const buckets = [...sketch].flat();
    return scripts.record({ series, period, keep, count, mean, m2, min, max, buckets });
  }

  async function record(context: string, type: string, values: readonly number[]): Promise<void> {
    const series = seriesOf(context, type);
    for (const value of values) checkedValue('record', value);
    if (values.length === 0) return;
    await recorder.add(series, values, async (batch) => {
      await send(series, batch);
    });
  }

  /** The context's mean is known after its values are recorded; the ranking is in another slot of a Cluster. */
  function recordDuration(context: string, type: string, ms: number): Promise<void> {
    const series = seriesOf(context, type);
    const ranking = rankingOf(type);
    return recorder.add(`timed ${series}`, [ms], async (batch) => {
      const [number, count, mean] = await send(series, batch);
      const means = `${ranking['means:']}${number}`;
      const counts = `${ranking['counts:']}${number}`;
      await scripts.rank({ means, counts, context, mean, count, limit, endsAt: (number + keep) * period });
    });
  }

  return {
    record: (context, type, value) => record(context, type, [value]),
    recordAll: async (context, type, values) => {
      if (!Array.isArray(values)) {
        throw new KitError('OPTION', `recordAll: values must be a list of numbers, not ${shown(values)}`);
      }
      await record(context, type, values);
    },
    timed: async (context, work, given) => {
      const { type } = resolveTimed(given);
      checkWork(work);
      seriesOf(context, type);
      const start = store.time.monotonic();
      try {
        return await work();
      } finally {
        recordDuration(context, type, store.time.monotonic() - start).catch(onError);
      }
    },
    read: async (context, type, given) => {
      const { ago } = resolvePeriod(given);
      const [number, fields] = await scripts.read({ series: seriesOf(context, type), period, ago });
      return summaryFrom(fields, new Date(number * period), new Date((number + 1) * period));
    },
    slowest: async (given) => {
      const { type, ago, limit: max } = resolveSlowest(given);
      const ranking = rankingOf(checkedType(type));
      const keys = { means: ranking['means:'], counts: ranking['counts:'] };
      return slowContexts(await scripts.slowest({ ...keys, period, ago, limit: Math.min(max, limit) }));
    },
    flush: () => recorder.settled(),
  };
}

/** @param found contexts, means and counts in turn */
function slowContexts(found: readonly string[]): SlowContext[] {
  const contexts: SlowContext[] = [];
  for (let i = 0; i < found.length; i += 3) {
    const [context = '', mean, count] = found.slice(i, i + 3);
    contexts.push({ context, mean: Number(mean), count: Number(count) });
  }
  return contexts;
}

/** Without braces and colons, so that no two pairs of context and type have the same key. */
const TYPE = /^[\p{L}\p{N} ._-]+$/u;

function checkedType(type: string): string {
  if (typeof type === 'string' && TYPE.test(type)) return type;
  throw new KitError(
    'OPTION',
    `statistics: a type must consist of letters, digits, spaces, '-', '_' and '.', not ${shown(type)}`,
  );
}

const RULES = {
  prefix: text('stats'),
  period: milliseconds(3_600_000, { min: 1 }),
  keep: integer(2, { min: 1, max: 10_000 }),
  slowest: integer(100, { min: 1, max: 10_000 }),
  onError: listener<NonNullable<StatisticsOptions['onError']>>((error) =>
    process.emitWarning(`statistics could not be recorded: ${String(error)}`),
  ),
};

const type = ruled<string>(
  (value) => (typeof value === 'string' && TYPE.test(value) ? undefined : 'must be the name of a type'),
  'duration',
);
const PERIOD_RULES = { ago: integer(0, { min: 0 }) };
const TIMED_RULES = { type };
const SLOWEST_RULES = { ...PERIOD_RULES, ...TIMED_RULES, limit: integer(10_000, { min: 1 }) };
const resolvePeriod = resolverOf<typeof PERIOD_RULES, PeriodOptions>('read', PERIOD_RULES);
const resolveTimed = resolverOf<typeof TIMED_RULES, TimedOptions>('timed', TIMED_RULES);
const resolveSlowest = resolverOf<typeof SLOWEST_RULES, SlowestOptions>('slowest', SLOWEST_RULES);
