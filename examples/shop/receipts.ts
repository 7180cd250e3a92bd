import { defineTask, type Worker } from 'sorrel/kit/queue';
import { productOf } from './products.js';
import type { Shop } from './shop.js';

export interface OrderLine {
  readonly product: string;
  readonly count: number;
  /** Of one, in cents. */
  readonly price: number;
}

export interface Order {
  readonly id: number;
  readonly customer: string;
  readonly at: string;
  readonly lines: readonly OrderLine[];
  readonly total: number;
}

/** Retried five times with growing pauses: mail servers have bad days. */
export const receipt = defineTask<Order>('receipt', undefined, {
  attempts: 5,
  backoff: { kind: 'exponential', delay: 1_000, jitter: 0.5 },
});

/** Sends receipts. It may run in the web server's process, or in others on other machines. */
export function sendReceipts(shop: Shop): Worker {
  return shop.receipts.work(
    receipt.handle(async (order) => {
      // A real shop would call its mail provider here.
      await shop.mail.send(order.customer, {
        subject: `Receipt for order ${order.id}`,
        lines: [...order.lines.map(lineText), `Total: ${money(order.total)}`],
      });
      await shop.log.write('shop', 'receipt sent', { details: { order: order.id } });
    }),
    { concurrency: 5 },
  );
}

function lineText({ product, count, price }: OrderLine): string {
  return `${count} × ${productOf(product)?.name ?? product}: ${money(count * price)}`;
}

export function money(cents: number): string {
  return `${(cents / 100).toFixed(2)} €`;
}
