import { CLOCK, readLua } from '../foundation/index.js';

const read = (file: string): string => readLua(import.meta.url, CLOCK, 'stock-state.lua', file);

const KEYS = ['units', 'holds', 'reservations', 'sales'] as const;

export const OFFER = {
  keys: KEYS,
  args: ['amount'],
  repeatable: true,
  lua: read('offer.lua'),
  reply: (taken: unknown) => (taken === null ? undefined : Number(taken)),
} as const;

export const RESERVE = {
  keys: KEYS,
  args: ['buyer', 'id', 'quantity', 'hold', 'perBuyer'],
  repeatable: true,
  lua: read('reserve.lua'),
  reply: (reply: unknown) => reply as ReserveReply,
} as const;

export type ReserveReply =
  | readonly ['reserved', id: string, quantity: number, lapses: number]
  | readonly ['sold-out', available: number, retryIn: number]
  | readonly ['limit', bought: number]
  | readonly ['unknown'];

export const CONFIRM = {
  keys: KEYS,
  args: ['buyer', 'id'],
  repeatable: true,
  lua: read('confirm.lua'),
  reply: (confirmed: unknown) => confirmed === 1,
} as const;

export const CANCEL = {
  keys: KEYS,
  args: ['buyer', 'id'],
  lua: read('cancel.lua'),
  reply: (cancelled: unknown) => cancelled === 1,
} as const;

export const STATUS = {
  keys: KEYS,
  repeatable: true,
  lua: read('status.lua'),
  reply: (reply: unknown) => reply as readonly [total: number, reserved: number, sold: number] | null,
} as const;
