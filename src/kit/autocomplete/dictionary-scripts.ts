import { readLua } from '../foundation/index.js';

const read = (file: string): string => readLua(import.meta.url, 'head.lua', 'ranking.lua', file);

const KEYS = ['plain', 'weighted', 'best'] as const;

export const ADD = {
  keys: KEYS,
  args: ['...entries'],
  repeatable: true,
  lua: read('add.lua'),
  reply: Number,
} as const;

export const BOOST = {
  keys: KEYS,
  args: ['entry', 'by'],
  lua: read('boost.lua'),
  reply: (weight: unknown) => (weight === null ? undefined : Number(weight)),
} as const;

export const REMOVE = {
  keys: KEYS,
  args: ['...entries'],
  lua: read('remove.lua'),
  reply: Number,
} as const;

export const COMPLETE = {
  keys: ['base'],
  args: ['prefix', 'limit', 'after'],
  readOnly: true,
  // Most dictionaries have no weights: their answer comes before the functions that weights need.
  lua: readLua(import.meta.url, 'complete.lua', 'head.lua', 'complete-weighted.lua'),
  reply: (found: unknown) => found as string | readonly [entries: string, weights: string],
} as const;

export const CLEAR = {
  keys: KEYS,
  args: ['max'],
  repeatable: true,
  lua: read('clear.lua'),
  reply: Number,
} as const;
