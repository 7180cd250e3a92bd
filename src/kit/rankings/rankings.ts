import type { Store } from '../../store/index.js';
import {
  checkName,
  checkStore,
  EVICTION_RULES,
  EvictionGuard,
  type EvictionOptions,
  integer,
  KitError,
  keyNaming,
  milliseconds,
  oneOf,
  optional,
  positive,
  resolveOptions,
  ruled,
  shown,
  text,
} from '../foundation/index.js';
import {
  type ArticleReply,
  GET,
  PAGE,
  POST,
  REGROUP,
  REMOVE,
  VOTE,
  type VoteOutcome,
} from './ranking-scripts.js';

/** Options of `ranking`. All processes that share a ranking should use the same ones. */
export interface RankingOptions extends EvictionOptions {
  /** Prefix of all keys. Default `ranking`. */
  readonly prefix?: string;
  /**
   * What a vote counts, in seconds of time: an article with one more vote ranks with one posted that much later. Default 432:
   * 200 votes a day keep an article where it is.
   */
  readonly points?: number;
  /** Ms after the posting for which votes are accepted. Default a week. */
  readonly window?: number;
  /** Articles per page. Default 25. */
  readonly pageSize?: number;
  /** Ms for which the ranking of a group is kept before it is made again. Default 60,000. */
  readonly groupCache?: number;
}

export interface NewArticle {
  /** Default: the next number. */
  readonly id?: string;
  readonly author: string;
  readonly title: string;
  readonly link: string;
  readonly groups?: readonly string[];
}

export interface Article {
  readonly id: string;
  readonly author: string;
  readonly title: string;
  readonly link: string;
  readonly postedAt: Date;
  readonly up: number;
  readonly down: number;
  /** The time of posting in seconds, and `points` for each vote. */
  readonly score: number;
  readonly groups: readonly string[];
}

export interface PageOptions {
  /** Counted from 1. Default 1. */
  readonly page?: number;
  /** By score or by time, highest or newest first. Default `score`. */
  readonly order?: 'score' | 'time';
  /** Only articles of this group. Its ranking may be up to `groupCache` ms old. */
  readonly group?: string;
}

export interface RegroupOptions {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

/** Articles that users vote on. Each user has one vote per article, which can be changed. */
export interface Ranking {
  readonly name: string;
  /** Posts an article, for which its author has voted. Returns its id; fails with `EXISTS` if the given id is taken. */
  post(article: NewArticle): Promise<string>;
  /**
   * Votes for or against an article.
   *
   * @example
   * const news = ranking(store, 'news');
   * const id = await news.post({ author: 'ann', title: 'A title', link: 'https://a.example' });
   * await news.vote(id, 'bob'); // 'counted'
   * await news.vote(id, 'bob'); // 'repeated'
   * await news.vote(id, 'bob', 'down'); // 'changed'
   * await news.vote('none', 'bob'); // 'unknown'
   */
  vote(id: string, user: string, choice?: 'up' | 'down'): Promise<VoteOutcome>;
  get(id: string): Promise<Article | undefined>;
  /** The articles of a page. */
  page(options?: PageOptions): Promise<Article[]>;
  /** Adds an article to groups and removes it from others. False if there is no such article. */
  regroup(id: string, options: RegroupOptions): Promise<boolean>;
  /** Removes an article with its votes. Returns whether there was one. */
  remove(id: string): Promise<boolean>;
  /** How many articles there are. */
  size(): Promise<number>;
}

const names = ruled<readonly string[]>((value) =>
  Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '')
    ? undefined
    : 'must be a list of strings that are not empty',
);

const RULES = {
  prefix: text('ranking'),
  points: positive(432),
  window: milliseconds(7 * 86_400_000, { min: 1 }),
  pageSize: integer(25, { min: 1, max: 1_000 }),
  groupCache: milliseconds(60_000, { min: 1 }),
  ...EVICTION_RULES,
};

const ARTICLE_RULES = {
  id: optional(text()),
  author: text(),
  title: text(),
  link: text(),
  groups: optional(names),
};

const PAGE_RULES = {
  page: integer(1, { min: 1, max: 1_000_000_000 }),
  order: oneOf(['score', 'time'], 'score'),
  group: optional(text()),
};

const REGROUP_RULES = { add: optional(names), remove: optional(names) };

/**
 * A ranking of articles by votes and time: a vote counts as much as `points` seconds of being newer.
 *
 * @example
 * import { open } from 'sorrel';
 * import { ranking } from 'sorrel/kit/rankings';
 *
 * await using store = await open();
 * const news = ranking(store, 'news');
 * await news.post({ author: 'ann', title: 'A title', link: 'https://a.example', groups: ['programming'] });
 * (await news.page({ group: 'programming' })).length; // 1
 */
export function ranking(store: Store, name: string, given: RankingOptions = {}): Ranking {
  checkStore('ranking', store);
  const options = resolveOptions('ranking', given, RULES);
  const { prefix, points, window, pageSize, groupCache } = options;
  const all = keyNaming('ranking', prefix, ['by-score', 'by-time', 'last', ''])(name);
  const keys = { byScore: all['by-score'], byTime: all['by-time'], base: all[''] };
  const guard = new EvictionGuard(store, 'ranking', options);
  const post = guard.before(store.script(POST));
  const vote = guard.before(store.script(VOTE));
  const get = store.script(GET);
  const page = store.script(PAGE);
  const regroup = store.script(REGROUP);
  const remove = store.script(REMOVE);

  return {
    name,
    post: async (article) => {
      const { id = '', groups = [], ...fields } = resolveOptions('post', article ?? {}, ARTICLE_RULES);
      const own = { ...keys, last: all.last, ...fields, id, points, window, groups: [...new Set(groups)] };
      const posted = await post(own);
      if (posted !== '') return posted;
      throw new KitError(
        'EXISTS',
        `the ranking '${name}' has an article '${id}': use another id, or remove it`,
      );
    },
    vote: async (id, user, choice = 'up') => {
      checkName('ranking', id);
      checkName('ranking', user);
      if (choice !== 'up' && choice !== 'down') {
        throw new KitError('OPTION', `ranking: a vote must be 'up' or 'down', not ${shown(choice)}`);
      }
      return vote({ ...keys, id, user, choice, points, window });
    },
    get: async (id) => {
      checkName('ranking', id);
      const found = await get({ ...keys, id });
      return found === undefined ? undefined : articleOf(found);
    },
    page: async (given = {}) => {
      const { page: number, order, group = '' } = resolveOptions('page', given, PAGE_RULES);
      const first = (number - 1) * pageSize;
      const found = await page({ ...keys, order, group, first, size: pageSize, keep: groupCache });
      return found.map(articleOf);
    },
    regroup: async (id, given) => {
      checkName('ranking', id);
      const { add = [], remove: from = [] } = resolveOptions('regroup', given ?? {}, REGROUP_RULES);
      const both = add.find((group) => from.includes(group));
      if (both !== undefined) {
        throw new KitError(
          'OPTION',
          `regroup: the group ${shown(both)} is both in \`add\` and in \`remove\``,
        );
      }
      return regroup({ ...keys, id, added: add.length, names: [...add, ...from] });
    },
    remove: async (id) => {
      checkName('ranking', id);
      return remove({ ...keys, id });
    },
    size: async () => store.send<number>('ZCARD', keys.byTime),
  };
}

function articleOf([id, score, flat]: ArticleReply): Article {
  const fields = new Map<string, string>();
  for (let at = 0; at < flat.length; at += 2) fields.set(flat[at] as string, flat[at + 1] as string);
  const field = (name: string): string => fields.get(name) ?? '';
  return {
    id,
    author: field('author'),
    title: field('title'),
    link: field('link'),
    postedAt: new Date(Number(field('posted'))),
    up: Number(field('up')),
    down: Number(field('down')),
    score: Number(score),
    groups: JSON.parse(field('groups')) as string[],
  };
}
