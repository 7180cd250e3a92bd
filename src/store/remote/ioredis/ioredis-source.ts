import type { Redis, RedisOptions } from 'ioredis';
import type { ChannelKind, Closable, MessageListener } from '../../transport.js';
import type { Argument } from '../../value.js';
import { pauseBefore } from '../reconnecting.js';
import type { LinkSource, RemoteLink } from '../remote-driver.js';
import { type Ioredis, IoredisLink, LINK_OPTIONS } from './ioredis-client.js';
import { connectClient, placesOf } from './ioredis-connecting.js';
import { monitorWith } from './ioredis-monitor.js';
import { listenTo } from './ioredis-subscription.js';

/** Makes connections with ioredis to one server, or to the master that Sentinels name. */
export class IoredisSource implements LinkSource {
  readonly kind: 'standalone' | 'sentinel';
  readonly server: string;
  readonly #ioredis: Ioredis;
  readonly #options: RedisOptions;
  readonly #openMs: number;

  constructor(ioredis: Ioredis, options: RedisOptions, openMs: number) {
    this.#ioredis = ioredis;
    this.#options = { sentinelCommandTimeout: SENTINEL_MS, keepAlive: KEEP_ALIVE_MS, ...options };
    this.#openMs = openMs;
    this.kind = options.sentinels ? 'sentinel' : 'standalone';
    this.server = placesOf(this.#newClient());
  }

  pauseBefore(attempt: number): number | null {
    const { retryStrategy } = this.#options;
    if (typeof retryStrategy !== 'function') return pauseBefore(attempt);
    const pause: unknown = retryStrategy(attempt);
    return typeof pause === 'number' ? pause : null;
  }

  /** Creates a client that is not connected yet. */
  #newClient(): Redis {
    return new this.#ioredis.Redis({ ...this.#options, ...LINK_OPTIONS });
  }

  connect(signal?: AbortSignal): Promise<RemoteLink> {
    return IoredisLink.open(this.#ioredis, this.#newClient(), this.server, this.#openMs, signal);
  }

  async subscribe(
    kind: ChannelKind,
    names: readonly Argument[],
    listener: MessageListener,
    signal?: AbortSignal,
  ): Promise<Closable> {
    const client = this.#newClient();
    await connectClient(client, this.#openMs, signal);
    return kind === 'monitor' ? monitorWith(client, listener) : listenTo(client, kind, names, listener);
  }
}

/** How long a Sentinel may take to answer before the next one is asked. */
const SENTINEL_MS = 2_000;
/** TCP keep-alive for idle connections, so that routers on the way do not drop them. */
const KEEP_ALIVE_MS = 30_000;
