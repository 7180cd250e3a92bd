import type { Store } from '../../store/index.js';
import {
  CLOCK,
  checkStore,
  EVICTION_RULES,
  EvictionGuard,
  type EvictionOptions,
  type ExactId,
  flag,
  hash32,
  id64,
  idText,
  integer,
  isInteger64,
  KitError,
  keyNaming,
  readLua,
  resolveOptions,
  shown,
  text,
} from '../foundation/index.js';

export interface UniqueVisitorsOptions extends EvictionOptions {
  /** Prefix of all keys. Default `unique-visitors`. */
  readonly prefix?: string;
  /** How many visitors the first day will have, about. Later days expect half as many again as the last day had. Default 1,000,000. */
  readonly expected?: number;
  /** How many days a day is kept after its end. Default 30. */
  readonly keepDays?: number;
  /** Visitors per shard. Default 256. */
  readonly shardSize?: number;
  /**
   * Estimate with a HyperLogLog instead: at most 12 KB for each day, with a standard error of 0.81 %. Several days can then be counted
   * together. Default false.
   */
  readonly approximate?: boolean;
}

export interface VisitorDay {
  /** The begin of the day in UTC. */
  readonly day: Date;
  readonly visitors: number;
}

/** Counts different visitors by day, in UTC and by the server's clock. Made by `uniqueVisitors`. */
export interface UniqueVisitors {
  readonly name: string;
  /**
   * Counts a visit of today. True if the visitor is new today; with `approximate`, if the estimate has changed. A visitor is any text, such
   * as the id of a session, or a 64-bit number.
   */
  visit(visitor: ExactId): Promise<boolean>;
  /** The number of visitors of the day that contains this moment. Default: today. */
  count(moment?: Date): Promise<number>;
  /** The days that are kept, oldest first. */
  days(): Promise<VisitorDay[]>;
  /** The number of different visitors of several days together. Only with `approximate`: otherwise it rejects with `OPTION`. */
  countTogether(moments: readonly Date[]): Promise<number>;
}

const OWNER = 'uniqueVisitors';
const DAY = 86_400_000;
/** A day expects the visitors of the last one and half as many again. */
const GROWTH = 1.5;
/** Shards of one request. */
const AT_ONCE = 1_000;

const VISIT = {
  keys: ['shard'],
  args: ['visitor', 'day', 'keep', 'isForced'],
  lua: readLua(import.meta.url, CLOCK, 'visit.lua'),
  reply: (reply: unknown) => reply as readonly [isToday: 0 | 1, addedOrToday: number],
} as const;

const ESTIMATE = {
  keys: ['estimate'],
  args: ['visitor', 'keep'],
  repeatable: true,
  lua: readLua(import.meta.url, CLOCK, 'estimate.lua'),
  reply: (reply: unknown) => reply === 1,
} as const;

const OPEN_DAY = {
  keys: ['days'],
  args: ['day', 'shards', 'keep'],
  repeatable: true,
  lua: readLua(import.meta.url, 'open-day.lua'),
  reply: Number,
} as const;

/**
 * Counts different visitors of each day.
 *
 * @example
 * import { open } from 'sorrel';
 * import { uniqueVisitors } from 'sorrel/kit/unique-visitors';
 *
 * await using store = await open();
 * const visitors = uniqueVisitors(store, 'shop');
 * await visitors.visit('f47ac10b-58cc-4372-a567-0e02b2c3d479'); // true
 * await visitors.visit('f47ac10b-58cc-4372-a567-0e02b2c3d479'); // false: counted today
 * await visitors.count(); // 1
 */
export function uniqueVisitors(
  store: Store,
  name: string,
  options: UniqueVisitorsOptions = {},
): UniqueVisitors {
  checkStore(OWNER, store);
  const { prefix, expected, keepDays, shardSize, approximate, ...eviction } = resolveOptions(
    OWNER,
    options,
    RULES,
  );
  const { days, estimate } = keyNaming(OWNER, prefix, ['days', 'estimate'])(name);
  const guard = new EvictionGuard(store, OWNER, eviction);
  const visit = guard.before(store.script(VISIT));
  const estimated = guard.before(store.script(ESTIMATE));
  const openDay = store.script(OPEN_DAY);
  /** The number of shards of each day that this process has seen. */
  const shardsOf = new Map<number, Promise<number>>();
  /** The day as the server last said it. */
  let today: number | undefined;

  const shardKey = (day: number, shard: number): string => `${prefix}:{${name}-${day}-${shard}}:visitors`;

  /** The number of shards of a day, decided now if need be. */
  function opened(day: number): Promise<number> {
    let shards = shardsOf.get(day);
    if (shards === undefined) {
      shards = decide(day);
      if (shardsOf.size > keepDays) shardsOf.clear();
      shardsOf.set(day, shards);
      shards.catch(() => shardsOf.delete(day));
    }
    return shards;
  }

  async function decide(day: number): Promise<number> {
    const known = await knownDays();
    const shards = known.get(day);
    if (shards !== undefined) return shards;
    const last = [...known.keys()].filter((earlier) => earlier < day).at(-1);
    const visitors = last === undefined ? expected : GROWTH * (await sizeOf(last, known.get(last) as number));
    return openDay({ days, day, shards: Math.max(1, Math.ceil(visitors / shardSize)), keep: keepDays });
  }

  /** The number of shards by day, in ascending order. */
  async function knownDays(): Promise<Map<number, number>> {
    const fields = (await store.send('HGETALL', days)) as string[];
    const found: [number, number][] = [];
    for (let i = 0; i < fields.length; i += 2) found.push([Number(fields[i]), Number(fields[i + 1])]);
    return new Map(found.sort(([a], [b]) => a - b));
  }

  /** The shards are the only record of who was counted, so their sizes are the exact count. */
  async function sizeOf(day: number, shards: number): Promise<number> {
    let sum = 0;
    for (let first = 0; first < shards; first += AT_ONCE) {
      const numbers = Array.from({ length: Math.min(AT_ONCE, shards - first) }, (_, i) => first + i);
      const sizes = await store.pipeline((queue) =>
        numbers.map((shard) => queue.scard(shardKey(day, shard))),
      );
      for (const size of sizes) sum += size;
    }
    return sum;
  }

  async function visitOn(day: number, visitor: string, isForced: boolean): ReturnType<typeof visit> {
    const shard = shardKey(day, hash32(visitor) % (await opened(day)));
    return visit({ shard, visitor, day, keep: keepDays, isForced: isForced ? 1 : 0 });
  }

  async function serverDay(): Promise<number> {
    const [seconds] = (await store.send('TIME')) as [string];
    return dayOf(Number(seconds) * 1000);
  }

  async function countDay(day: number): Promise<number> {
    if (approximate) return store.pfcount(`${estimate}:${day}`);
    const shards = (await knownDays()).get(day);
    return shards === undefined ? 0 : sizeOf(day, shards);
  }

  return {
    name,
    visit: async (given) => {
      const visitor = visitorOf(given);
      if (approximate) return estimated({ estimate: `${estimate}:`, visitor, keep: keepDays });
      today ??= await serverDay();
      const [isToday, result] = await visitOn(today, visitor, false);
      if (isToday === 1) return result === 1;
      today = result;
      // Servers of a Cluster whose clocks differ would send the visit back and forth at midnight.
      const [, added] = await visitOn(result, visitor, true);
      return added === 1;
    },
    count: async (moment) => countDay(moment === undefined ? await serverDay() : checkedDay(moment)),
    days: async () => {
      const first = (await serverDay()) - keepDays;
      const kept = approximate
        ? await keptEstimates(first)
        : [...(await knownDays()).keys()].filter((day) => day >= first);
      const counted = kept.map(async (day) => ({ day: new Date(day * DAY), visitors: await countDay(day) }));
      return Promise.all(counted);
    },
    countTogether: async (moments) => {
      if (!approximate) {
        throw new KitError(
          'OPTION',
          'countTogether: needs the option `approximate`: exact counts are by day',
        );
      }
      if (!Array.isArray(moments) || moments.length === 0) {
        throw new KitError('OPTION', `countTogether: pass a list of dates, not ${shown(moments)}`);
      }
      return store.pfcount([...new Set(moments.map((moment) => `${estimate}:${checkedDay(moment)}`))]);
    },
  };

  async function keptEstimates(first: number): Promise<number[]> {
    const all = Array.from({ length: keepDays + 1 }, (_, i) => first + i);
    const found = await store.pipeline((queue) => all.map((day) => queue.exists(`${estimate}:${day}`)));
    return all.filter((_, i) => Number(found[i]) === 1);
  }
}

/** 64-bit numbers are kept as they are; other texts become one. */
function visitorOf(given: ExactId): string {
  const visitor = idText('visit', given);
  if (visitor === '') throw new KitError('OPTION', 'visit: a visitor must not be an empty string');
  return isInteger64(visitor) ? visitor : id64(visitor);
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY);
}

function checkedDay(moment: unknown): number {
  if (moment instanceof Date && !Number.isNaN(moment.getTime())) return dayOf(moment.getTime());
  throw new KitError('OPTION', `${OWNER}: a day is a Date, not ${shown(moment)}`);
}

const RULES = {
  prefix: text('unique-visitors'),
  expected: integer(1_000_000, { min: 1, max: 1e12 }),
  keepDays: integer(30, { min: 1, max: 3_650 }),
  shardSize: integer(256, { min: 1, max: 1e6 }),
  approximate: flag(false),
  ...EVICTION_RULES,
};
