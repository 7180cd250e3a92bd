import { readLua } from '../foundation/index.js';

const read = (file: string): string => readLua(import.meta.url, file);

export const LIST = {
  keys: ['base'],
  args: ['id', 'seller', 'item', 'price'],
  lua: read('list.lua'),
  reply: (listed: unknown) => listed === 1,
} as const;

export const PURCHASE = {
  keys: ['base'],
  args: ['id', 'buyer', 'price'],
  lua: read('purchase.lua'),
  reply: (reply: unknown) => reply as PurchaseReply,
} as const;

/** What was bought, or why nothing was. */
export type PurchaseReply = string | readonly [seller: string, item: string];

export const WITHDRAW_LISTING = {
  keys: ['base'],
  args: ['id', 'seller'],
  lua: read('withdraw-listing.lua'),
  reply: (done: unknown) => done === 1,
} as const;

export const REPRICE = {
  keys: ['base'],
  args: ['id', 'seller', 'price'],
  repeatable: true,
  lua: read('reprice.lua'),
  reply: (done: unknown) => done === 1,
} as const;

export const MOVE_FUNDS = {
  keys: ['funds', 'total'],
  args: ['amount', 'max'],
  lua: read('move-funds.lua'),
  reply: String,
} as const;

export const TAKE_ITEMS = {
  keys: ['items'],
  args: ['item', 'quantity'],
  lua: read('take-items.lua'),
  reply: Number,
} as const;

export const BROWSE = {
  keys: ['base'],
  args: ['offset', 'limit'],
  readOnly: true,
  lua: read('browse.lua'),
  reply: (page: unknown) => page as readonly string[],
} as const;
