import type { ServerResponse } from 'node:http';
import { sparkline } from 'sorrel/kit/counters';
import { productOf } from './products.js';
import { EVENTS, type Shop } from './shop.js';

/** Sends the state of the shop to all who watch it, once a second, as server-sent events. Without watchers it asks nothing. */
export class Live {
  readonly #shop: Shop;
  readonly #watchers = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;

  constructor(shop: Shop) {
    this.#shop = shop;
  }

  async watch(response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    this.#watchers.add(response);
    response.on('close', () => this.#leave(response));
    this.#timer ??= setInterval(() => void this.#tell(), 1_000);
    await this.#tell();
  }

  close(): void {
    for (const response of this.#watchers) response.end();
  }

  #leave(response: ServerResponse): void {
    this.#watchers.delete(response);
    if (this.#watchers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #tell(): Promise<void> {
    try {
      const event = `data: ${JSON.stringify(await stateOf(this.#shop))}\n\n`;
      // A watcher that does not read must not fill the memory.
      for (const response of this.#watchers) if (!response.writableNeedDrain) response.write(event);
    } catch (error) {
      console.error(`live: ${String(error)}`);
    }
  }
}

/** What the page shows. */
export async function stateOf({ events, views, times, log }: Shop) {
  const series = await Promise.all(
    EVENTS.map(async (name) => {
      const { samples } = await events.series(name, { precision: 1_000 });
      const minute = samples.slice(-60);
      return { name, line: sparkline(minute), total: minute.reduce((sum, { count }) => sum + count, 0) };
    }),
  );
  const top = await views.top(5);
  const slowest = await times.slowest({ limit: 5 });
  const messages = await log.recent('shop', { limit: 5 });
  return {
    series,
    top: top.map(({ item, views: count }) => `${productOf(item)?.name ?? item}: ${Math.round(count)}`),
    slowest: slowest.map(({ context, mean }) => `${context}: ${mean.toFixed(1)} ms`),
    messages: messages.map(
      ({ message, details }) => `${message} ${details === undefined ? '' : JSON.stringify(details)}`,
    ),
  };
}
