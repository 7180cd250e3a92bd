import { CLOCK, readLua } from '../foundation/index.js';
import { SESSION_LUA, SHARD_KEYS } from '../sessions/session-scripts.js';

const ofSession = (file: string): string =>
  `${SESSION_LUA}\n${readLua(import.meta.url, 'of-session.lua', file)}`;
const ofUser = (file: string): string => readLua(import.meta.url, CLOCK, 'of-user.lua', file);

const CHANGE_ARGS = ['item', 'how', 'count', 'maxItems', 'maxCount'] as const;

export const CHANGE_OF_SESSION = {
  keys: SHARD_KEYS,
  args: ['id', ...CHANGE_ARGS],
  lua: ofSession('change.lua'),
  reply: Number,
} as const;

export const CHANGE_OF_USER = {
  keys: ['cart'],
  args: ['keep', ...CHANGE_ARGS],
  lua: ofUser('change.lua'),
  reply: Number,
} as const;

export const OFFER = {
  keys: SHARD_KEYS,
  args: ['id', 'number', 'user'],
  repeatable: true,
  lua: ofSession('offer.lua'),
  reply: (reply: unknown): Offer | undefined =>
    reply === '' ? undefined : (JSON.parse(reply as string) as Offer),
} as const;

/** What is merged from the cart of a session into the cart of a user. */
export interface Offer {
  readonly number: string;
  readonly user: string;
  readonly items: Readonly<Record<string, number>>;
}

export const ACCEPT = {
  keys: ['cart', 'merged'],
  args: ['keep', 'number', 'how', 'maxItems', 'maxCount', '...items'],
  repeatable: true,
  lua: ofUser('accept.lua'),
  reply: (reply: unknown) => reply as string[],
} as const;

export const SETTLE = {
  keys: SHARD_KEYS,
  args: ['id', 'number', '...items'],
  repeatable: true,
  lua: ofSession('settle.lua'),
} as const;
