import { CLOCK, readLua } from '../foundation/index.js';

const KEYS = ['due', 'every', 'claims'] as const;
export const SCHEDULE_PARTS = KEYS;

const lua = (file: string): string => readLua(import.meta.url, CLOCK, 'row-state.lua', file);

export const SCHEDULE = {
  keys: KEYS,
  args: ['row', 'ms', 'channel'],
  repeatable: true,
  lua: lua('schedule.lua'),
  reply: (reply: unknown) => {
    const [was, number] = reply as [number, string];
    return { was: was === 1, number };
  },
} as const;

/** A row that a worker has taken. */
export interface Claim {
  readonly row: string;
  readonly number: string;
  /** Ms between two refreshes. */
  readonly every: number;
}

export const CLAIM = {
  keys: KEYS,
  args: ['max', 'lease'],
  lua: lua('claim.lua'),
  reply: (reply: unknown) => {
    const [next, ...flat] = reply as [number, ...string[]];
    const claims = Array.from({ length: flat.length / 3 }, (_, at): Claim => {
      const [row, number, every] = flat.slice(3 * at, 3 * at + 3) as [string, string, string];
      return { row, number, every: Number(every) };
    });
    return { next, claims };
  },
} as const;

export const COMPLETE = {
  keys: KEYS,
  args: ['row', 'number', 'ms'],
  lua: lua('complete.lua'),
  reply: Number,
} as const;

export const RENEW = {
  keys: KEYS,
  args: ['row', 'number', 'lease'],
  repeatable: true,
  lua: lua('renew.lua'),
  reply: (reply: unknown) => reply === 1,
} as const;

export const PUT = {
  keys: ['row'],
  args: ['number', 'ttl', 'json'],
  repeatable: true,
  lua: readLua(import.meta.url, 'put.lua'),
  reply: (reply: unknown) => reply === 1,
} as const;
