import type { Cart } from 'sorrel/kit/carts';
import { productOf } from './products.js';
import { type Order, type OrderLine, receipt } from './receipts.js';
import type { Shop } from './shop.js';

export type CheckoutResult =
  | { readonly outcome: 'ordered'; readonly order: Order }
  | { readonly outcome: 'empty' }
  | { readonly outcome: 'sold-out' | 'limit'; readonly product: string }
  | { readonly outcome: 'no-funds'; readonly missing: number };

interface Reserved extends OrderLine {
  readonly reservation: string;
}

/**
 * Buys what is in the cart. Units are reserved first, so that none is sold twice; they are sold when the money is there, and
 * available again if it is not, or if this process dies (when the reservation lapses). A customer who presses the button twice
 * has one reservation, so that both would pay for it: the second order waits for the first one, and finds an empty cart.
 */
export function checkOut(shop: Shop, customer: string, cart: Cart): Promise<CheckoutResult> {
  return shop.locks.run(`checkout ${customer}`, () => buyItems(shop, customer, cart));
}

async function buyItems(shop: Shop, customer: string, cart: Cart): Promise<CheckoutResult> {
  const items = (await cart.items()).filter(({ item }) => productOf(item) !== undefined);
  if (items.length === 0) return { outcome: 'empty' };

  const reserved: Reserved[] = [];
  const giveBack = async (): Promise<void> => {
    for (const { product, reservation } of reserved) await shop.stock.cancel(product, customer, reservation);
  };
  for (const { item, count } of items) {
    const result = await shop.stock.reserve(item, customer, { quantity: Math.min(count, MAX_COUNT) });
    if (result.outcome !== 'reserved') {
      await giveBack();
      return { outcome: result.outcome, product: item };
    }
    const price = productOf(item)?.price ?? 0;
    reserved.push({ product: item, count: result.quantity, price, reservation: result.id });
  }

  const total = sum(reserved);
  if ((await shop.market.withdraw(customer, total)) === undefined) {
    await giveBack();
    return { outcome: 'no-funds', missing: total - (await shop.market.funds(customer)) };
  }

  const lines: OrderLine[] = [];
  for (const { reservation, ...line } of reserved) {
    if (await shop.stock.confirm(line.product, customer, reservation)) lines.push(line);
    else await shop.market.deposit(customer, line.count * line.price); // it took so long that the reservation has lapsed
  }
  const order = {
    id: await shop.orderIds.next(),
    customer,
    at: new Date().toISOString(),
    lines,
    total: sum(lines),
  };
  await shop.store.lpush(ordersKey(customer), JSON.stringify(order));
  await shop.receipts.add(receipt, order, { id: `order-${order.id}` });
  // Customers may sell what they own to each other.
  for (const { product, count } of lines) await shop.market.give(customer, product, count);
  await cart.clear();
  await shop.events.count('sales', lines.length);
  for (const { product } of lines) await shop.caches.products.invalidateTag(`page:/product/${product}`);
  return { outcome: 'ordered', order };
}

/** The last orders of a customer, newest first. */
export async function ordersOf(shop: Shop, customer: string): Promise<Order[]> {
  const orders = await shop.store.lrange(ordersKey(customer), 0, 19);
  return orders.map((order) => JSON.parse(order) as Order);
}

function ordersKey(customer: string): string {
  return `shop:{${customer}}:orders`;
}

function sum(lines: readonly OrderLine[]): number {
  return lines.reduce((total, { count, price }) => total + count * price, 0);
}

/** The stock sells no more to one customer. */
export const MAX_COUNT = 10;
