import { INDEX_KEYS, indexScripts, readLua } from '../foundation/index.js';

const read = (file: string): string => readLua(import.meta.url, 'buckets.lua', file);

export const { REMOVE, CLEAR } = indexScripts([], read);

export const ADD = {
  keys: INDEX_KEYS,
  args: ['id', 'source', 'locations', '...requirements'],
  repeatable: true,
  lua: read('add.lua'),
  reply: Number,
} as const;

export const FIND = {
  keys: INDEX_KEYS,
  args: ['locations', '...skills'],
  readOnly: true,
  lua: read('find.lua'),
  reply: (reply: unknown) => reply as readonly (string | number)[],
} as const;
