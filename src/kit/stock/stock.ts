import type { Store } from '../../store/index.js';
import {
  checkStore,
  checkText,
  EVICTION_RULES,
  EvictionGuard,
  type EvictionOptions,
  integer,
  KitError,
  keyNaming,
  milliseconds,
  newId,
  resolveOptions,
  text,
} from '../foundation/index.js';
import { CANCEL, CONFIRM, OFFER, RESERVE, STATUS } from './stock-scripts.js';

export interface StockOptions extends EvictionOptions {
  /** How long units stay reserved, in ms. Default 600,000: ten minutes. */
  readonly hold?: number;
  /** Max units of an item for one buyer, bought and reserved. All clients should use the same value. Default 1. */
  readonly perBuyer?: number;
  /** Prefix of all keys. Default `stock`. */
  readonly prefix?: string;
}

export interface ReserveOptions {
  /** Units: all of them are reserved, or none. Default 1. */
  readonly quantity?: number;
}

/** Units that are kept for a buyer. */
export interface Reservation {
  readonly outcome: 'reserved';
  /** Pass it to `confirm` or `cancel`. */
  readonly id: string;
  readonly quantity: number;
  /** When it lapses, by the server's clock. */
  readonly until: Date;
}

export type ReserveResult =
  | Reservation
  | {
      readonly outcome: 'sold-out';
      /** Units that are left: fewer than asked for. */
      readonly available: number;
      /** Ms until a reservation of another buyer lapses; undefined if there is none: what is sold stays sold. */
      readonly retryIn: number | undefined;
    }
  | {
      /** The buyer would have more than `perBuyer`. */
      readonly outcome: 'limit';
      /** Units that the buyer has bought. */
      readonly bought: number;
    };

export interface StockStatus {
  /** Units in all. */
  readonly total: number;
  readonly available: number;
  readonly reserved: number;
  readonly sold: number;
}

/**
 * Limited stock of items. Units are reserved for a buyer for a while, then sold, or available again. No order of calls sells
 * more units than there are. The keys of one item are in one slot of a Cluster.
 */
export interface Stock {
  /**
   * Sets how many units of an item there are in all, sold ones included. It can be changed at any time, but not to less than is
   * reserved and sold: `TAKEN`.
   *
   * @example
   * await stock(store).offer('tv', 100);
   */
  offer(item: string, total: number): Promise<void>;
  /**
   * Reserves units for a buyer. A buyer has one reservation of an item: called again, it returns the same one or changes its
   * quantity, and never prolongs it. An item that was never offered: `UNKNOWN_ITEM`.
   *
   * @example
   * const result = await stock(store).reserve('tv', 'ann');
   * if (result.outcome === 'sold-out') return tryAgainIn(result.retryIn);
   */
  reserve(item: string, buyer: string, options?: ReserveOptions): Promise<ReserveResult>;
  /** Sells what is reserved. Returns false if the reservation has lapsed or was cancelled. Called twice, it sells once. */
  confirm(item: string, buyer: string, id: string): Promise<boolean>;
  /** Ends a reservation before it lapses. Returns false if there is none of this id. */
  cancel(item: string, buyer: string, id: string): Promise<boolean>;
  /** The units of an item; undefined if it was never offered. */
  status(item: string): Promise<StockStatus | undefined>;
  /** Ends the sale of an item and deletes its keys. Returns its last status. */
  remove(item: string): Promise<StockStatus | undefined>;
}

/**
 * Keeps limited stock: a flash sale, tickets, seats.
 *
 * @example
 * const sale = stock(store, { hold: 600_000, perBuyer: 1 });
 * await sale.offer('tv', 100);
 * const result = await sale.reserve('tv', 'ann');
 * if (result.outcome === 'reserved') await sale.confirm('tv', 'ann', result.id); // true, when it is paid
 */
export function stock(store: Store, options: StockOptions = {}): Stock {
  checkStore('stock', store);
  const { hold, perBuyer, prefix, ...eviction } = resolveOptions('stock', options, RULES);
  const keysOf = keyNaming('stock', prefix, ['units', 'holds', 'reservations', 'sales']);
  const guard = new EvictionGuard(store, 'stock', eviction);
  const offer = guard.before(store.script(OFFER));
  const reserve = guard.before(store.script(RESERVE));
  const confirm = guard.before(store.script(CONFIRM));
  const cancel = store.script(CANCEL);
  const count = store.script(STATUS);

  async function status(item: string): Promise<StockStatus | undefined> {
    const found = await count(keysOf(item));
    if (found === null) return undefined;
    const [total, reserved, sold] = found;
    return { total, available: total - reserved - sold, reserved, sold };
  }

  return {
    status,
    offer: async (item, total) => {
      const { amount } = resolveOptions('offer', { amount: total }, AMOUNT);
      const taken = await offer({ ...keysOf(item), amount });
      if (taken === undefined) return;
      throw new KitError(
        'TAKEN',
        `${taken} units of '${item}' are reserved or sold: offer at least as many, not ${total}`,
      );
    },
    reserve: async (item, buyer, given = {}) => {
      const { quantity } = resolveOptions('reserve', given, RESERVE_RULES);
      const keys = { ...keysOf(item), buyer: checkText('stock', 'the buyer', buyer) };
      const reply = await reserve({ ...keys, id: newId(), quantity, hold, perBuyer });
      switch (reply[0]) {
        case 'reserved':
          return { outcome: 'reserved', id: reply[1], quantity: reply[2], until: new Date(reply[3]) };
        case 'sold-out':
          return { outcome: 'sold-out', available: reply[1], retryIn: reply[2] < 0 ? undefined : reply[2] };
        case 'limit':
          return { outcome: 'limit', bought: reply[1] };
        case 'unknown':
          throw new KitError('UNKNOWN_ITEM', `'${item}' is not on sale: call \`offer\` first`);
      }
    },
    confirm: async (item, buyer, id) =>
      confirm({
        ...keysOf(item),
        buyer: checkText('stock', 'the buyer', buyer),
        id: checkText('stock', 'the id', id),
      }),
    cancel: async (item, buyer, id) =>
      cancel({
        ...keysOf(item),
        buyer: checkText('stock', 'the buyer', buyer),
        id: checkText('stock', 'the id', id),
      }),
    remove: async (item) => {
      const last = await status(item);
      await store.send('UNLINK', ...Object.values(keysOf(item)));
      return last;
    },
  };
}

const RULES = {
  hold: milliseconds(600_000, { min: 1 }),
  perBuyer: integer(1, { min: 1 }),
  prefix: text('stock'),
  ...EVICTION_RULES,
};
const AMOUNT = { amount: integer(undefined, { min: 0, max: 1e12 }) };
const RESERVE_RULES = { quantity: integer(1, { min: 1, max: 1e12 }) };
