import { CLOCK, readLua } from '../foundation/index.js';

const read = (...files: readonly string[]): string =>
  readLua(import.meta.url, ...files.map((file) => (file === CLOCK ? CLOCK : `lua/${file}.lua`)));

const FEED_KEYS = ['sources', 'timeline', 'floor'] as const;

export const SIGN_UP = {
  keys: ['user'],
  args: ['token', 'login', 'name', 'data'],
  repeatable: true,
  lua: read(CLOCK, 'sign-up'),
  reply: Number,
} as const;

export const READ_USER = {
  keys: ['user', 'followers', 'following', 'posts'],
  readOnly: true,
  lua: read('read-user'),
  reply: (reply: unknown) => reply as readonly (string | number)[],
} as const;

export const POST = {
  keys: ['user', 'posts', 'status', 'pending'],
  args: ['token', 'text', 'data'],
  repeatable: true,
  lua: read(CLOCK, 'numbers', 'post'),
  reply: String,
} as const;

export const DELETE = {
  keys: ['user', 'posts', 'status', 'likes'],
  args: ['number'],
  lua: read('delete'),
  reply: Number,
} as const;

export const SUBSCRIBERS = {
  keys: ['status', 'pending', 'subscribers'],
  args: ['number', 'token', 'score', 'member', 'count'],
  repeatable: true,
  lua: read(CLOCK, 'order', 'subscribers'),
  reply: (reply: unknown) => {
    const [at, number, exists, ...feeds] = reply as [number, string, number, ...string[]];
    return { at, number, isPresent: exists === 1, feeds };
  },
} as const;

export const DELIVER = {
  keys: ['...heads'],
  args: ['author', 'number', 'isPresent', 'at', 'maxAge', 'size', '...lists'],
  repeatable: true,
  lua: read(CLOCK, 'order', 'feed', 'deliver'),
  reply: (reply: unknown) => reply as number[],
} as const;

export const RELATE = {
  keys: ['user', 'blocked', 'lists', ...FEED_KEYS],
  args: ['author', 'verb', 'list', 'state', 'size', 'max'],
  lua: read(CLOCK, 'numbers', 'order', 'feed', 'relate'),
  reply: (reply: unknown): Relation | number => {
    if (typeof reply === 'number') return reply;
    const [at, state, changed, isShort] = reply as [number, string, number, number];
    return { at, state, hasChanged: changed === 1, isShort: isShort === 1 };
  },
} as const;

/** Whether a feed follows a user, as the feed has it. */
export interface Relation {
  /** When it was read, in ms. */
  readonly at: number;
  /** Number of the relation; empty if there is none. */
  readonly state: string;
  readonly hasChanged: boolean;
  /** Whether the timeline should be refilled. */
  readonly isShort: boolean;
}

export const ATTACH = {
  keys: ['user', 'subscribers', 'blocked', 'posts'],
  args: ['feed', 'owner', 'state', 'at', 'maxAge', 'count'],
  repeatable: true,
  lua: read(CLOCK, 'attach'),
  reply: (reply: unknown): Newest | number => {
    if (typeof reply === 'number') return reply;
    const [at, last, deletions, ...numbers] = reply as [number, string, string, ...string[]];
    return { at, last, deletions, numbers };
  },
} as const;

/** The newest statuses of a user. */
export interface Newest {
  readonly at: number;
  /** The last number that the user had given. */
  readonly last: string;
  readonly deletions: string;
  readonly numbers: readonly string[];
}

export const OFFER = {
  keys: FEED_KEYS,
  args: ['author', 'state', 'at', 'maxAge', 'last', 'more', 'size', '...numbers'],
  repeatable: true,
  lua: read(CLOCK, 'order', 'feed', 'offer'),
  reply: Number,
} as const;

export const BLOCK = {
  keys: ['user', 'blocked', 'followers', 'lists', ...FEED_KEYS, 'members', 'statuses'],
  args: ['other'],
  repeatable: true,
  lua: read(CLOCK, 'order', 'feed', 'block'),
  reply: Number,
} as const;

export const LIKE = {
  keys: ['status', 'likes', 'blocked'],
  args: ['number', 'liker'],
  lua: read(CLOCK, 'like'),
  reply: Number,
} as const;

export const CREATE_LIST = {
  keys: ['user', 'lists'],
  args: ['name', 'max'],
  lua: read(CLOCK, 'numbers', 'create-list'),
  reply: (reply: unknown) => reply as string | number,
} as const;

export const RANGE = {
  keys: ['set'],
  args: ['score', 'member', 'count', 'order'],
  readOnly: true,
  lua: read('order', 'range'),
  reply: (reply: unknown) => reply as string[],
} as const;
