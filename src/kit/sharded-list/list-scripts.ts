import { CLOCK, LINE, readLua } from '../foundation/index.js';

const read = (...files: string[]): string => readLua(import.meta.url, ...files);

export const PUSH = {
  keys: ['meta', 'shard', 'queue', 'waiters'],
  args: ['side', 'size', '...values'],
  lua: read(CLOCK, LINE, 'shards.lua', 'line.lua', 'push.lua'),
} as const;

export const POP = {
  keys: ['meta', 'shard'],
  args: ['side', 'count'],
  lua: read('shards.lua', 'pop.lua'),
} as const;

export const RANGE = {
  keys: ['meta', 'shard'],
  args: ['from', 'to'],
  readOnly: true,
  lua: read('shards.lua', 'locate.lua', 'range.lua'),
} as const;

export const WALK = {
  keys: ['meta', 'shard'],
  args: ['after', 'count'],
  readOnly: true,
  lua: read('shards.lua', 'walk.lua'),
} as const;

export const CLAIM = {
  keys: ['meta', 'shard', 'queue', 'waiters'],
  args: ['side', 'id', 'channel', 'alive'],
  lua: read(CLOCK, LINE, 'shards.lua', 'claim.lua'),
} as const;

export const WITHDRAW = {
  keys: ['meta', 'shard', 'queue', 'waiters'],
  args: ['id'],
  repeatable: true,
  lua: read(CLOCK, LINE, 'shards.lua', 'line.lua', 'withdraw.lua'),
} as const;

export const CLEAR = {
  keys: ['meta', 'shard'],
  args: ['max'],
  repeatable: true,
  lua: read('shards.lua', 'clear.lua'),
} as const;
