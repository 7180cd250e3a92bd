import type { Store } from '../../store/index.js';
import {
  CLOCK,
  checkName,
  checkStore,
  integer,
  KitError,
  keyNaming,
  milliseconds,
  readLua,
  resolveOptions,
  shown,
  text,
} from '../foundation/index.js';

/** Options of `viewAnalytics`. All processes that share a ranking must use the same `halfLife`. */
export interface ViewAnalyticsOptions {
  /** Prefix of all keys. Default `views`. */
  readonly prefix?: string;
  /** Ms after which views count half: at the end of each such period, all counts are halved. Default 300,000. */
  readonly halfLife?: number;
  /**
   * How many items are kept when a period ends; those with the fewest views go. During a period there may be twice as many.
   * Default 20,000.
   */
  readonly max?: number;
}

export interface ViewedItem {
  readonly item: string;
  /** Views, halved at the end of each period. */
  readonly views: number;
}

export interface ItemViews {
  readonly views: number;
  /** 1 for the most viewed item. Items with equal views have the same rank. */
  readonly rank: number;
}

/** A ranking of items by their views, in which old views count less and less. Ranks are exact. */
export interface ViewAnalytics {
  readonly name: string;
  /**
   * Counts one view of an item, or several views of several items, in one round trip.
   *
   * @example
   * const views = viewAnalytics(store, 'shop');
   * await views.record('book');
   * await views.record({ book: 2, lamp: 1 });
   * await views.top(2); // [{ item: 'book', views: 3 }, { item: 'lamp', views: 1 }]
   */
  record(items: string | Readonly<Record<string, number>>): Promise<void>;
  /** The most viewed items, at most `count`. Items with equal views are in reverse order of their names. */
  top(count: number): Promise<ViewedItem[]>;
  /** Views and rank of an item; undefined if it is not in the ranking. */
  of(item: string): Promise<ItemViews | undefined>;
  /** The rank of an item, 1 for the most viewed one; undefined if it is not in the ranking. */
  rank(item: string): Promise<number | undefined>;
  /** How many items the ranking has. */
  size(): Promise<number>;
}

const PARTS = ['views', 'meta'] as const;

const RECORD = {
  keys: PARTS,
  args: ['period', 'max', '...counted'],
  lua: readLua(import.meta.url, CLOCK, 'view-state.lua', 'record.lua'),
} as const;

const LOOK = {
  keys: PARTS,
  args: ['period', 'what', 'which'],
  readOnly: true,
  lua: readLua(import.meta.url, CLOCK, 'view-state.lua', 'look.lua'),
  reply: (reply: unknown) => reply as readonly (string | number)[],
} as const;

const RULES = {
  prefix: text('views'),
  halfLife: milliseconds(300_000, { min: 1 }),
  max: integer(20_000, { min: 1 }),
};

/**
 * Ranks items by their views. Views of the last period count once, those of the period before half, and so on.
 *
 * @example
 * import { open } from 'sorrel';
 * import { viewAnalytics } from 'sorrel/kit/view-analytics';
 *
 * await using store = await open();
 * const views = viewAnalytics(store, 'shop');
 * await views.record({ book: 3, lamp: 1 });
 * await views.rank('lamp'); // 2
 */
export function viewAnalytics(store: Store, name: string, given: ViewAnalyticsOptions = {}): ViewAnalytics {
  checkStore('viewAnalytics', store);
  const { prefix, halfLife: period, max } = resolveOptions('viewAnalytics', given, RULES);
  const keys = keyNaming('viewAnalytics', prefix, PARTS)(name);
  const record = store.script(RECORD);
  const look = store.script(LOOK);

  async function of(item: string): Promise<ItemViews | undefined> {
    checkName('viewAnalytics', item);
    const [views, better] = await look({ ...keys, period, what: 'item', which: item });
    return views === undefined ? undefined : { views: Number(views), rank: Number(better) + 1 };
  }

  return {
    name,
    record: async (items) => {
      const counted = countsOf(items);
      if (counted.length > 0) await record({ ...keys, period, max, counted });
    },
    top: async (count) => {
      if (!Number.isSafeInteger(count) || count < 1) {
        throw new KitError(
          'OPTION',
          `viewAnalytics: top takes a whole number of at least 1, not ${shown(count)}`,
        );
      }
      const found = await look({ ...keys, period, what: 'top', which: count });
      return Array.from({ length: found.length / 2 }, (_, at) => ({
        item: String(found[2 * at]),
        views: Number(found[2 * at + 1]),
      }));
    },
    of,
    rank: async (item) => (await of(item))?.rank,
    size: async () => store.send<number>('ZCARD', keys.views),
  };
}

function countsOf(items: unknown): (string | number)[] {
  const counts = typeof items === 'string' ? { [items]: 1 } : items;
  if (typeof counts !== 'object' || counts === null || Array.isArray(counts)) {
    throw new KitError(
      'OPTION',
      `viewAnalytics: record takes an item or { item: views }, not ${shown(items)}`,
    );
  }
  return Object.entries(counts).flatMap(([item, views]: [string, unknown]) => {
    checkName('viewAnalytics', item);
    if (Number.isSafeInteger(views) && (views as number) > 0) return [item, views as number];
    throw new KitError('OPTION', `viewAnalytics: views must be a whole number above 0, not ${shown(views)}`);
  });
}
