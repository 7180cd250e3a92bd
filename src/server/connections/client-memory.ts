import type { FollowSetting, Settings } from '../../commands/config/settings.js';
import { classOf } from '../../commands/connection/client-line.js';
import type { Engine } from '../../engine/engine.js';
import type { Connection } from './connection.js';

/**
 * The memory of all clients' buffers, which counts as used memory, and `maxmemory-clients`: when that limit is
 * exceeded, the largest clients are dropped until it is met. Clients with CLIENT NO-EVICT are never dropped.
 */
export class ClientMemory {
  /** Bytes of all connections. */
  total = 0;
  readonly #engine: Engine;
  readonly #connections: ReadonlySet<Connection>;
  #limit = Number.POSITIVE_INFINITY;

  constructor(engine: Engine, connections: ReadonlySet<Connection>, follow: FollowSetting) {
    this.#engine = engine;
    this.#connections = connections;
    const { settings } = engine;
    for (const name of ['maxmemory-clients', 'maxmemory']) {
      follow(name, () => {
        this.#limit = limitOf(settings);
        // Only after the client that changes the setting has its reply.
        queueMicrotask(() => this.evict());
      });
    }
  }

  /** The memory of a connection changed by `bytes`. */
  changed(bytes: number): void {
    this.total += bytes;
    if (bytes > 0 && this.total > this.#limit) this.evict();
  }

  /** Drops the largest clients while the limit is exceeded. */
  evict(): void {
    if (this.total <= this.#limit) return;
    const candidates = [...this.#connections].filter(mayBeEvicted).sort((a, b) => b.memory - a.memory);
    for (const connection of candidates) {
      if (this.total <= this.#limit) return;
      this.#engine.statistics.evictedClients++;
      connection.evict();
    }
  }
}

function mayBeEvicted({ session }: Connection): boolean {
  const kind = classOf(session);
  return !session.noEvict && !session.closing && (kind === 'normal' || kind === 'pubsub');
}

function limitOf(settings: Settings): number {
  const text = settings.text('maxmemory-clients');
  const bytes = text.endsWith('%')
    ? Math.floor((settings.number('maxmemory') * Number(text.slice(0, -1))) / 100)
    : Number(text);
  return bytes === 0 ? Number.POSITIVE_INFINITY : Math.max(bytes, MIN_LIMIT);
}

/** With a lower limit, no client could connect to raise it. */
const MIN_LIMIT = 128 * 1024;
