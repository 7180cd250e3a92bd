import { readLua } from '../foundation/index.js';

const read = (file: string): string => readLua(import.meta.url, 'buckets.lua', file);

export const ADD = {
  keys: ['base'],
  args: ['id', 'source', 'locations', '...requirements'],
  repeatable: true,
  lua: read('add.lua'),
  reply: Number,
} as const;

export const REMOVE = {
  keys: ['base'],
  args: ['id'],
  lua: read('remove.lua'),
  reply: Number,
} as const;

export const CLEAR = {
  keys: ['base'],
  args: ['max'],
  repeatable: true,
  lua: read('clear.lua'),
  reply: Number,
} as const;

export const FIND = {
  keys: ['base'],
  args: ['locations', '...skills'],
  readOnly: true,
  lua: read('find.lua'),
  reply: (reply: unknown) => reply as readonly (string | number)[],
} as const;
