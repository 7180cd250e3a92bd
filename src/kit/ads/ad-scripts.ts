import { readLua } from '../foundation/index.js';

const read = (file: string): string => readLua(import.meta.url, 'ads.lua', file);

export const ADD = {
  keys: ['base'],
  args: ['prior', 'id', 'type', 'price', 'locations', 'words', 'source'],
  repeatable: true,
  lua: read('add.lua'),
  reply: Number,
} as const;

export const REMOVE = {
  keys: ['base'],
  args: ['prior', 'id'],
  lua: read('remove.lua'),
  reply: Number,
} as const;

export const CLEAR = {
  keys: ['base'],
  args: ['prior', 'max'],
  repeatable: true,
  lua: read('clear.lua'),
  reply: Number,
} as const;

export const TARGET = {
  keys: ['base'],
  args: ['prior', 'count', 'target', 'keep', 'every', 'locations', '...words'],
  lua: read('target.lua'),
  reply: (reply: unknown) =>
    reply as readonly (readonly [target: string, ad: string, value: string, words: string])[],
} as const;

export const RECORD = {
  keys: ['base'],
  args: ['prior', 'target', 'event', 'keep'],
  lua: read('record.lua'),
  reply: Number,
} as const;
