import type { Redis, RedisOptions } from 'ioredis';
import type { ChannelKind, Closable, MessageListener, Reply, Request } from '../transport.js';
import type { Argument } from '../value.js';
import { execute, type Ioredis, IoredisLink, sendCommand, sendPipeline } from './ioredis-client.js';
import { connectClient } from './ioredis-connecting.js';
import { listenTo, SUBSCRIBER_OPTIONS } from './ioredis-subscription.js';
import type { RemoteDriver, RemoteLink } from './remote-driver.js';

/** One server, or the master that Sentinels name. */
export class IoredisDriver implements RemoteDriver {
  readonly kind: 'standalone' | 'sentinel';
  readonly #ioredis: Ioredis;
  readonly #client: Redis;
  readonly #openMs: number;

  private constructor(ioredis: Ioredis, client: Redis, openMs: number) {
    this.#ioredis = ioredis;
    this.#client = client;
    this.#openMs = openMs;
    this.kind = client.options.sentinels ? 'sentinel' : 'standalone';
  }

  /** Connects the client, which must be lazy and becomes the driver's own. */
  static async open(
    ioredis: Ioredis,
    client: Redis,
    openMs: number,
    signal?: AbortSignal,
  ): Promise<IoredisDriver> {
    await connectClient(client, openMs, signal);
    return new IoredisDriver(ioredis, client, openMs);
  }

  send(request: Request, format: number): Promise<Reply> {
    return sendCommand(this.#ioredis, this.#client, request, format);
  }

  sendMany(requests: readonly Request[], format: number): Promise<readonly Reply[]> {
    return sendPipeline(this.#ioredis, this.#client, requests, format);
  }

  execute(requests: readonly Request[], format: number): Promise<readonly Reply[] | null> {
    return execute(this.#ioredis, this.#client, requests, format);
  }

  keyOf(): undefined {
    return undefined;
  }

  placeOf(): string {
    return '';
  }

  connect(): Promise<RemoteLink> {
    return IoredisLink.open(this.#ioredis, this.#client, this.#openMs);
  }

  async refresh(): Promise<void> {}

  async subscribe(
    kind: ChannelKind,
    names: readonly Argument[],
    listener: MessageListener,
  ): Promise<Closable> {
    const client = this.#client.duplicate(SUBSCRIBER_OPTIONS);
    await connectClient(client, this.#openMs);
    return listenTo(client, kind, names, listener);
  }

  servers(): readonly Pick<RemoteDriver, 'send'>[] {
    return [this];
  }

  duplicate(): Promise<IoredisDriver> {
    return IoredisDriver.open(this.#ioredis, this.#client.duplicate(OWN_OPTIONS), this.#openMs);
  }

  async close(): Promise<void> {
    this.#client.disconnect();
  }
}

/** How clients of the store's own are made: replies as RESP2 has them, integers exact, no connection before it is asked for. */
export const OWN_OPTIONS = {
  lazyConnect: true,
  protocol: 2,
  replyMapping: 'legacy',
  stringNumbers: true,
} as const satisfies RedisOptions;
