import { readLua } from '../foundation/index.js';

const read = (...files: string[]): string => readLua(import.meta.url, ...files);
const withUsers = (file: string): string => read('money-and-items.lua', file);

const KEYS = ['listing', 'prices', 'funds', 'items'] as const;

export const LIST = {
  keys: KEYS,
  args: ['id', 'seller', 'item', 'price'],
  lua: withUsers('list.lua'),
  reply: (listed: unknown) => listed === 1,
} as const;

export const PURCHASE = {
  keys: KEYS,
  args: ['id', 'buyer', 'price'],
  lua: withUsers('purchase.lua'),
  reply: (reply: unknown) => reply as PurchaseReply,
} as const;

export type PurchaseReply =
  | readonly ['bought', seller: string, item: string]
  | readonly ['gone']
  | readonly ['repriced', price: string]
  | readonly ['no-funds', funds: string];

export const WITHDRAW_LISTING = {
  keys: KEYS,
  args: ['id', 'seller'],
  lua: withUsers('withdraw-listing.lua'),
  reply: (done: unknown) => done === 1,
} as const;

export const REPRICE = {
  keys: ['listing', 'prices'],
  args: ['id', 'seller', 'price'],
  repeatable: true,
  lua: read('reprice.lua'),
  reply: (done: unknown) => done === 1,
} as const;

export const MOVE_FUNDS = {
  keys: ['funds', 'items', 'total'],
  args: ['user', 'amount', 'max'],
  lua: withUsers('move-funds.lua'),
  reply: String,
} as const;

export const MOVE_ITEMS = {
  keys: ['funds', 'items'],
  args: ['user', 'item', 'quantity'],
  lua: withUsers('move-items.lua'),
  reply: Number,
} as const;

export const BROWSE = {
  keys: ['listing', 'prices'],
  args: ['offset', 'limit'],
  readOnly: true,
  lua: read('browse.lua'),
  reply: (page: unknown) => page as readonly string[],
} as const;
