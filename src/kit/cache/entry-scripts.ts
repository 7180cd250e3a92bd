import { CLOCK, readLua } from '../foundation/index.js';

export const ENTRY_PARTS = ['entry', 'producer', 'waiters'] as const;

const lua = (...files: string[]): string => readLua(import.meta.url, 'entry-state.lua', ...files);

export const CLAIM = {
  keys: ENTRY_PARTS,
  args: ['id', 'attempt', 'channel', 'lease', 'alive', 'force'],
  repeatable: true,
  lua: readLua(import.meta.url, CLOCK, 'claim.lua'),
  reply: (reply: unknown) => {
    const [kind, body, ms, tags] = reply as [Buffer, Buffer, number, Buffer | null];
    return { kind: kind.toString() as ClaimKind, body, ms, tags: tags?.toString() ?? '' };
  },
} as const;

export type ClaimKind = 'fresh' | 'stale' | 'refresh' | 'produce' | 'wait';

export const PUT = {
  keys: ENTRY_PARTS,
  args: ['id', 'fresh', 'stale', 'tags', 'body'],
  lua: readLua(import.meta.url, CLOCK, 'entry-state.lua', 'put.lua'),
  reply: (reply: unknown) => reply === 1,
} as const;

export const RELEASE = {
  keys: ENTRY_PARTS,
  args: ['id', 'pause', 'outcome'],
  repeatable: true,
  lua: lua('release.lua'),
} as const;

export const RENEW = {
  keys: ENTRY_PARTS,
  args: ['id', 'lease'],
  repeatable: true,
  lua: lua('renew.lua'),
  reply: (reply: unknown) => reply === 1,
} as const;

export const INVALIDATE = {
  keys: ENTRY_PARTS,
  lua: lua('invalidate.lua'),
  repeatable: true,
  reply: (reply: unknown) => reply === 1,
} as const;

export const WITHDRAW = {
  keys: ENTRY_PARTS,
  args: ['id'],
  repeatable: true,
  lua: lua('withdraw.lua'),
} as const;

const TAG_KEYS = ['entries', 'era'] as const;
export const TAG_PARTS = TAG_KEYS;

export const TAG_ENTRY = {
  keys: TAG_KEYS,
  args: ['name', 'ttl'],
  repeatable: true,
  lua: readLua(import.meta.url, CLOCK, 'tag-entry.lua'),
  reply: Number,
} as const;

export const CLEAR_TAG = {
  keys: TAG_KEYS,
  args: ['number', 'remember'],
  lua: readLua(import.meta.url, 'clear-tag.lua'),
  reply: (reply: unknown) => reply as string[],
} as const;

export const TELL = {
  keys: ['news'],
  args: ['field', 'text'],
  repeatable: true,
  lua: readLua(import.meta.url, CLOCK, 'tell.lua'),
  reply: String,
} as const;
