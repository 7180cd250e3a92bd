import { INDEX_KEYS, indexScripts, readLua } from '../foundation/index.js';

const read = (file: string): string => readLua(import.meta.url, 'ads.lua', file);

export const { REMOVE, CLEAR } = indexScripts(['prior'], read);

export const ADD = {
  keys: INDEX_KEYS,
  args: ['prior', 'id', 'type', 'price', 'locations', 'words', 'source'],
  repeatable: true,
  lua: read('add.lua'),
  reply: Number,
} as const;

export const TARGET = {
  keys: INDEX_KEYS,
  args: ['prior', 'count', 'target', 'keep', 'every', 'locations', '...words'],
  lua: read('target.lua'),
  reply: (reply: unknown) =>
    reply as readonly (readonly [target: string, ad: string, value: string, words: string])[],
} as const;

export const RECORD = {
  keys: INDEX_KEYS,
  args: ['prior', 'target', 'event', 'keep'],
  lua: read('record.lua'),
  reply: Number,
} as const;
