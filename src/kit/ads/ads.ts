import type { Store } from '../../store/index.js';
import {
  checkStore,
  EVICTION_RULES,
  EvictionGuard,
  type EvictionOptions,
  integer,
  KitError,
  milliseconds,
  newId,
  positive,
  resolveLocations,
  resolveOptions,
  resolverOf,
  STOP,
  shown,
  storedIndex,
  TEXT_RULES,
  type TextOptions,
  TextSplitter,
  text,
} from '../foundation/index.js';
import { ADD, CLEAR, RECORD, REMOVE, TARGET } from './ad-scripts.js';
import { type Price, priceOf } from './price.js';

export interface AdIndexOptions extends EvictionOptions, TextOptions {
  /** How long after a view a click counts, and after a click an action, in ms. Default 900,000 (15 minutes). */
  readonly keepTargets?: number;
  /**
   * How many views the average counts for when the value of an ad is estimated: with more, new ads are judged later. Default 100.
   */
  readonly priorViews?: number;
  /** An ad is estimated again after this number of views, and after each paid click or action. Default 100. */
  readonly estimateEvery?: number;
  /** Prefix of all keys. Default `ads`. */
  readonly prefix?: string;
}

/** An ad, with one of three kinds of price. */
export type Ad = {
  /** Where it may be shown. At least one. */
  readonly locations: readonly string[];
  /** Its words are compared with those of the page. */
  readonly content: string;
} & Price;

export interface Page {
  /** Where the reader is: the ads of all these locations are considered, as in `['CH', 'Zürich']`. */
  readonly locations: readonly string[];
  /** The text of the page. */
  readonly content: string;
}

export interface TargetOptions {
  /** Max number of ads, up to 100. Default 1. */
  readonly count?: number;
}

/** An ad that was chosen for a page. */
export interface Placement {
  /** Pass it to `click` and `action`. */
  readonly target: string;
  readonly ad: string;
  /** Estimated earnings from a thousand views of the ad on this page. */
  readonly ecpm: number;
  /** The words that the ad shares with the page. */
  readonly words: readonly string[];
}

export interface AdStatistics {
  readonly views: number;
  readonly clicks: number;
  readonly actions: number;
  /** Estimated earnings from a thousand views, whatever the page. */
  readonly ecpm: number;
  /** What was learnt about words that the ad shared with pages. */
  readonly words: Readonly<Record<string, WordStatistics>>;
}

export interface WordStatistics {
  readonly views: number;
  /** Clicks of an ad that is paid by click, actions of one that is paid by action. */
  readonly events: number;
  /** How much more than `ecpm` the ad earns on pages with this word. */
  readonly bonus: number;
}

/**
 * Chooses ads for pages by what they earn, and learns from views, clicks and actions. Each call is atomic. All keys of an index are in one
 * slot of a Cluster.
 */
export interface AdIndex {
  readonly name: string;
  /** Adds an ad, or replaces the one with this id, which keeps what was learnt unless its kind of price changes. Returns whether it is new. */
  add(id: string, ad: Ad): Promise<boolean>;
  /** Returns false if there was no such ad. */
  remove(id: string): Promise<boolean>;
  /** The ad; undefined if there is none. */
  get(id: string): Promise<Ad | undefined>;
  /**
   * Chooses the ads that earn most on this page, the best first, and counts a view of each.
   *
   * @example
   * const [placement] = await ads.target({ locations: ['CH', 'Zürich'], content: 'Where to ski this winter' });
   * if (placement !== undefined) show(placement.ad, `/click?target=${placement.target}`);
   */
  target(page: Page, options?: TargetOptions): Promise<readonly Placement[]>;
  /** Counts a click. Returns false if it was counted before, or the view was too long ago. */
  click(target: string): Promise<boolean>;
  /** Counts an action (an order, a registration). Returns false if it was counted before, or the view or click was too long ago. */
  action(target: string): Promise<boolean>;
  /** What was counted and learnt; undefined if there is no such ad. */
  statistics(id: string): Promise<AdStatistics | undefined>;
  /** The number of ads. */
  size(): Promise<number>;
  /** Removes all ads, some at a time, and what was learnt. */
  clear(): Promise<void>;
}

/**
 * Opens an index of ads.
 *
 * @example
 * const ads = adIndex(store, 'site');
 * await ads.add('skis', { locations: ['CH'], content: 'Ski boots and skis', cpc: 0.5 }); // true
 * const [placement] = await ads.target({ locations: ['CH'], content: 'Where to ski' });
 * placement?.ad; // 'skis'
 */
export function adIndex(store: Store, name: string, options: AdIndexOptions = {}): AdIndex {
  checkStore('adIndex', store);
  const settings = resolveOptions('adIndex', options, RULES);
  const {
    keepTargets: keep,
    priorViews: prior,
    estimateEvery: every,
    onWarning,
    requireNoEviction,
  } = settings;
  const splitter = new TextSplitter(settings);
  const guard = new EvictionGuard(store, 'adIndex', { onWarning, requireNoEviction });
  const add = guard.before(store.script(ADD));
  const remove = store.script(REMOVE);
  const clear = store.script(CLEAR);
  const target = store.script(TARGET);
  const record = store.script(RECORD);
  const stored = storedIndex(store, name, {
    ...{ owner: 'adIndex', prefix: settings.prefix, part: 'ad', clearedAtOnce: 50 },
    steps: (base) => ({
      remove: (id) => remove({ base, prior, id }),
      clear: (max) => clear({ base, prior, max }),
    }),
  });
  const { base, checkId } = stored;

  function wordsOf(content: string): string[] {
    if (typeof content !== 'string') {
      throw new KitError('OPTION', `adIndex: \`content\` must be a text, not ${shown(content)}`);
    }
    const words = new Set(splitter.words(content));
    words.delete(STOP);
    return [...words];
  }

  async function count(id: string, event: 'clicks' | 'actions'): Promise<boolean> {
    checkId(id, 'target');
    return (await record({ base, prior, target: id, event, keep })) === 1;
  }

  return {
    name,
    add: async (id, ad) => {
      checkId(id);
      checkParts('an ad', ad, ['locations', 'content', 'cpm', 'cpc', 'cpa']);
      const { type, price } = priceOf(ad);
      const locations = resolveLocations('adIndex', ad.locations).join('\0');
      if (locations === '') throw new KitError('OPTION', 'adIndex: an ad needs at least one location');
      const words = wordsOf(ad.content);
      const source = JSON.stringify(ad);
      return (
        (await add({ base, prior, id, type, price, locations, words: ` ${words.join(' ')} `, source })) === 1
      );
    },
    remove: stored.remove,
    get: async (id) => {
      const source = await stored.source(id);
      return source === undefined ? undefined : (JSON.parse(source) as Ad);
    },
    target: async (page, given) => {
      const { count: max } = resolveTarget(given);
      checkParts('a page', page, ['locations', 'content']);
      const locations = resolveLocations('adIndex', page.locations).join('\0');
      const words = wordsOf(page.content);
      const found = await target({ base, prior, count: max, target: newId(), keep, every, locations, words });
      return found.map(([id, ad, value, shared]) => ({
        target: id,
        ad,
        ecpm: Number(value),
        words: shared.split(' ').filter((word) => word !== ''),
      }));
    },
    click: (id) => count(id, 'clicks'),
    action: (id) => count(id, 'actions'),
    statistics: async (id) => {
      checkId(id);
      const [[views, clicks, actions, value], learnt] = await store.transaction((queue) => [
        queue.hmget(`${base}ad:${id}`, 'views', 'clicks', 'actions', 'value'),
        queue.hgetall(`${base}learnt:${id}`),
      ]);
      if (typeof value !== 'string') return undefined;
      const [seen, clicked, acted] = [views, clicks, actions].map(Number) as [number, number, number];
      return {
        views: seen,
        clicks: clicked,
        actions: acted,
        ecpm: Number(value),
        words: learntWords(learnt),
      };
    },
    size: stored.size,
    clear: stored.clear,
  };
}

function learntWords(learnt: Readonly<Record<string, string>>): Record<string, WordStatistics> {
  const words: Record<string, WordStatistics> = {};
  for (const [field, views] of Object.entries(learnt)) {
    if (!field.startsWith('v:')) continue;
    const word = field.slice(2);
    const [events, bonus] = [learnt[`e:${word}`], learnt[`b:${word}`]].map((one) => Number(one ?? 0));
    words[word] = { views: Number(views), events: events ?? 0, bonus: bonus ?? 0 };
  }
  return words;
}

function checkParts(what: string, given: object, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null) {
    throw new KitError('OPTION', `adIndex: ${what} must be an object, not ${shown(given)}`);
  }
  const unknown = Object.keys(given).find((part) => !known.includes(part));
  if (unknown === undefined) return;
  throw new KitError('OPTION', `adIndex: ${what} has no '${unknown}': it takes ${known.join(', ')}`);
}

const RULES = {
  keepTargets: milliseconds(900_000, { min: 1 }),
  priorViews: positive(100),
  estimateEvery: integer(100, { min: 1 }),
  prefix: text('ads'),
  ...TEXT_RULES,
  ...EVICTION_RULES,
};
const TARGET_RULES = { count: integer(1, { min: 1, max: 100 }) };
const resolveTarget = resolverOf<typeof TARGET_RULES, TargetOptions>('target', TARGET_RULES);
