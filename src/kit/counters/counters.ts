import type { Store } from '../../store/index.js';
import {
  CLOCK,
  checkStore,
  integer,
  KitError,
  keyNaming,
  optional,
  readLua,
  resolveOptions,
  resolverOf,
  ruled,
  shown,
  text,
} from '../foundation/index.js';

export interface CountersOptions {
  /** Prefix of all keys. Default `counter`. */
  readonly prefix?: string;
  /**
   * Lengths of a slice of time in ms; each is a series of its own. Default 1 s, 5 s, 1 min, 5 min, 1 h, 5 h and 1 day. All
   * clients of a counter should use the same.
   */
  readonly precisions?: readonly number[];
  /** How many slices of each precision are kept, the current one included. Default 120. */
  readonly samples?: number;
}

export interface RangeOptions {
  /** Length of a slice in ms: one of `precisions`. Default: the finest one that reaches back to `from`. */
  readonly precision?: number;
  /** Beginning of the range. Default: as far back as the precision reaches. */
  readonly from?: Date;
  /** End of the range; the slice that contains it is included. Default: now. */
  readonly to?: Date;
}

/** The count of one slice of time. */
export interface Sample {
  /** When the slice begins. Slices are aligned to UTC. */
  readonly at: Date;
  readonly count: number;
}

export interface Series {
  /** Length of a slice in ms. */
  readonly precision: number;
  /** One for each slice of the range, oldest first; also for those in which nothing was counted. */
  readonly samples: readonly Sample[];
  /** The sum of all counts. */
  readonly total: number;
}

/** Counts by name and time. Made by `counters`. */
export interface Counters {
  /**
   * Adds 1, or another whole number, to the current slice of every precision: one atomic step on the server's clock.
   *
   * @example
   * await counters(store).count('sales', 3);
   */
  count(name: string, count?: number): Promise<void>;
  /**
   * The counts of a range of time. A counter that does not exist has zeros.
   *
   * @example
   * const { samples } = await counters(store).series('sales', { precision: 60_000 }); // the last two hours
   */
  series(name: string, options?: RangeOptions): Promise<Series>;
  /** Deletes all series of a name. */
  remove(name: string): Promise<void>;
}

const COUNT = {
  keys: ['series'],
  args: ['count', 'samples', '...precisions'],
  lua: readLua(import.meta.url, CLOCK, 'count.lua'),
} as const;

const SERIES = {
  keys: ['series'],
  args: ['from', 'samples', '...precisions'],
  readOnly: true,
  lua: readLua(import.meta.url, CLOCK, 'series.lua'),
  reply: (reply: unknown) => reply as readonly [precision: number, now: number, counts: readonly string[]],
} as const;

/**
 * Counts events by name at several precisions, each with a limited number of slices.
 *
 * @example
 * import { open } from 'sorrel';
 * import { counters, sparkline } from 'sorrel/kit/counters';
 *
 * await using store = await open();
 * const hits = counters(store);
 * await hits.count('home');
 * const { samples, total } = await hits.series('home', { precision: 60_000 });
 * console.log(total, sparkline(samples, { width: 60 }));
 */
export function counters(store: Store, options: CountersOptions = {}): Counters {
  checkStore('counters', store);
  const { prefix, samples, ...given } = resolveOptions('counters', options, RULES);
  const precisions = [...given.precisions].sort((a, b) => a - b);
  const keysOf = keyNaming('counters', prefix, ['']);
  const seriesOf = (name: string): string => keysOf(name)[''];
  const count = store.script(COUNT);
  const read = store.script(SERIES);

  function chosen(precision: number | undefined): readonly number[] {
    if (precision === undefined) return precisions;
    if (precisions.includes(precision)) return [precision];
    throw new KitError(
      'OPTION',
      `series: \`precision\` must be one of ${precisions.join(', ')}, not ${shown(precision)}`,
    );
  }

  return {
    count: async (name, number) => {
      const { count: added } = resolveOptions('count', { count: number }, COUNT_RULES);
      await count({ series: seriesOf(name), count: added, samples, precisions });
    },
    series: async (name, range) => {
      const { precision, from, to } = resolveRange(range);
      const inputs = { from: from?.getTime() ?? Number.MAX_SAFE_INTEGER, samples };
      const [length, now, counts] = await read({
        series: seriesOf(name),
        ...inputs,
        precisions: chosen(precision),
      });
      return seriesFrom(countsBySlice(counts), length, {
        first: Math.max(Math.floor(now / length) - samples + 1, sliceOf(from, length, 0)),
        last: Math.min(Math.floor(now / length), sliceOf(to, length, Number.POSITIVE_INFINITY)),
      });
    },
    remove: async (name) => {
      const series = seriesOf(name);
      await store.send('UNLINK', ...precisions.map((precision) => `${series}${precision}`));
    },
  };
}

function sliceOf(moment: Date | undefined, length: number, fallback: number): number {
  return moment === undefined ? fallback : Math.floor(moment.getTime() / length);
}

/** @param counts slices and counts in turn */
function countsBySlice(counts: readonly string[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (let i = 0; i < counts.length; i += 2) found.set(Number(counts[i]), Number(counts[i + 1]));
  return found;
}

function seriesFrom(
  counts: ReadonlyMap<number, number>,
  precision: number,
  { first, last }: { readonly first: number; readonly last: number },
): Series {
  const samples: Sample[] = [];
  let total = 0;
  for (let slice = first; slice <= last; slice++) {
    const count = counts.get(slice) ?? 0;
    samples.push({ at: new Date(slice * precision), count });
    total += count;
  }
  return { precision, samples, total };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const PRECISIONS = [SECOND, 5 * SECOND, MINUTE, 5 * MINUTE, HOUR, 5 * HOUR, 24 * HOUR];
/** Each is one more hash to write for every count. */
const MAX_PRECISIONS = 20;

const RULES = {
  prefix: text('counter'),
  precisions: ruled<readonly number[]>(
    (value) => (isListOfPrecisions(value) ? undefined : 'must be a list of 1 to 20 different whole ms'),
    PRECISIONS,
  ),
  samples: integer(120, { min: 1, max: 100_000 }),
};

function isListOfPrecisions(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_PRECISIONS) return false;
  const isLength = (item: unknown): boolean => Number.isSafeInteger(item) && (item as number) > 0;
  return value.every(isLength) && new Set(value).size === value.length;
}

const COUNT_RULES = { count: integer(1) };

const moment = ruled<Date>((value) =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? undefined : 'must be a valid Date',
);
const RANGE_RULES = {
  precision: optional(integer(undefined, { min: 1 })),
  from: optional(moment),
  to: optional(moment),
};
const resolveRange = resolverOf<typeof RANGE_RULES, RangeOptions>('series', RANGE_RULES);
