import { readLua } from '../foundation/index.js';

const KEYS = ['members', 'messages', 'last'] as const;
export const CHAT_PARTS = KEYS;

const chatLua = (file: string): string => readLua(import.meta.url, 'chat-state.lua', file);

export const CREATE = { keys: KEYS, args: ['...names'], lua: chatLua('create.lua'), reply: Number } as const;
export const JOIN = {
  keys: KEYS,
  args: ['member', 'history'],
  lua: chatLua('join.lua'),
  reply: Number,
} as const;
export const LEAVE = { keys: KEYS, args: ['member'], lua: chatLua('leave.lua'), reply: Number } as const;
export const POST = {
  keys: KEYS,
  args: ['from', 'body', 'limit'],
  lua: chatLua('post.lua'),
  reply: Number,
} as const;
export const ACKNOWLEDGE = {
  keys: KEYS,
  args: ['member', 'number'],
  repeatable: true,
  lua: chatLua('acknowledge.lua'),
  reply: Number,
} as const;

type Entry = readonly [id: string, fields: readonly string[]];

export const UNREAD = {
  keys: KEYS,
  args: ['member', 'after', 'count'],
  lua: chatLua('unread.lua'),
  readOnly: true,
  reply: (reply: unknown) => reply as number | readonly Entry[],
} as const;

export const MEMBERS = {
  keys: KEYS,
  lua: chatLua('members.lua'),
  readOnly: true,
  reply: (reply: unknown) => reply as readonly [newest: number, ...membersAndPlaces: string[]],
} as const;
