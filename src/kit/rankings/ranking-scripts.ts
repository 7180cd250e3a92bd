import { CLOCK, readLua } from '../foundation/index.js';

const KEYS = ['byScore', 'byTime', 'base'] as const;

const lua = (file: string): string => readLua(import.meta.url, CLOCK, 'ranking-state.lua', file);

export const POST = {
  keys: [...KEYS, 'last'],
  args: ['id', 'author', 'title', 'link', 'points', 'window', '...groups'],
  lua: lua('post.lua'),
  reply: String,
} as const;

/** The outcome of a vote. */
export type VoteOutcome =
  /** The user's first vote for this article. */
  | 'counted'
  /** The user had voted the other way: now this vote counts instead. */
  | 'changed'
  /** The user had voted the same way: nothing changes. */
  | 'repeated'
  /** Voting has ended. */
  | 'late'
  /** There is no such article. */
  | 'unknown';

export const VOTE = {
  keys: KEYS,
  args: ['id', 'user', 'choice', 'points', 'window'],
  lua: lua('vote.lua'),
  reply: (reply: unknown) => reply as VoteOutcome,
} as const;

/** An article as scripts return it. */
export type ArticleReply = readonly [id: string, score: string, fields: readonly string[]];

export const PAGE = {
  keys: KEYS,
  args: ['order', 'group', 'first', 'size', 'keep'],
  repeatable: true,
  lua: lua('page.lua'),
  reply: (reply: unknown): ArticleReply[] => {
    const flat = reply as readonly unknown[];
    return Array.from({ length: flat.length / 3 }, (_, at) => flat.slice(3 * at, 3 * at + 3) as never);
  },
} as const;

export const GET = {
  keys: KEYS,
  args: ['id'],
  readOnly: true,
  lua: lua('get.lua'),
  reply: (reply: unknown) =>
    (reply as unknown[]).length === 0 ? undefined : (reply as never as ArticleReply),
} as const;

export const REGROUP = {
  keys: KEYS,
  args: ['id', 'added', '...names'],
  repeatable: true,
  lua: lua('regroup.lua'),
  reply: (reply: unknown) => reply === 1,
} as const;

export const REMOVE = {
  keys: KEYS,
  args: ['id'],
  lua: lua('remove.lua'),
  reply: (reply: unknown) => reply === 1,
} as const;
