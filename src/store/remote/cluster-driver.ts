import type { Cluster, Redis } from 'ioredis';
import { keySlot } from '../../bytes/crc16.js';
import { StoreError } from '../store-error.js';
import type { ChannelKind, Closable, MessageListener, Reply, Request } from '../transport.js';
import type { Argument } from '../value.js';
import { type ClusterPolicy, clusterPolicy } from './cluster-policy.js';
import { execute, type Ioredis, IoredisLink, makeCommand, sendCommand } from './ioredis-client.js';
import { connectClient } from './ioredis-connecting.js';
import { listenTo } from './ioredis-subscription.js';
import type { RemoteDriver, RemoteLink } from './remote-driver.js';
import { errorOf, wireArgument } from './remote-values.js';

/** Whether a request only reads; asked only where replicas may answer. */
export type IsReadOnly = (request: Request) => boolean;

/** The masters of a Redis Cluster, each with its keys. */
export class ClusterDriver implements RemoteDriver {
  readonly kind = 'cluster';
  readonly #ioredis: Ioredis;
  readonly #cluster: Cluster;
  readonly #openMs: number;
  readonly #isReadOnly: IsReadOnly;

  private constructor(ioredis: Ioredis, cluster: Cluster, openMs: number, isReadOnly: IsReadOnly) {
    this.#ioredis = ioredis;
    this.#cluster = cluster;
    this.#openMs = openMs;
    this.#isReadOnly = isReadOnly;
  }

  static async open(
    ioredis: Ioredis,
    cluster: Cluster,
    openMs: number,
    isReadOnly: IsReadOnly,
    signal?: AbortSignal,
  ): Promise<ClusterDriver> {
    giveExactIntegers(cluster);
    await connectClient(cluster, openMs, signal);
    return new ClusterDriver(ioredis, cluster, openMs, isReadOnly);
  }

  async send(request: Request, format: number): Promise<Reply> {
    const policy = clusterPolicy(request);
    if (policy !== undefined) return this.#sendToMany(request, format, policy);
    const by = this.#publisherOf(request) ?? this.#cluster;
    return sendCommand(this.#ioredis, by, request, format, this.#isReadOnly(request));
  }

  /** An error of one is the error of all: what the others have done stays done. */
  async #sendToMany(
    request: Request,
    format: number,
    { audience, combine, isLenient }: ClusterPolicy,
  ): Promise<Reply> {
    const nodes = audience === 'masters' ? this.#masters() : this.#cluster.nodes('all');
    if (nodes.length === 0) throw new StoreError('UNREACHABLE', 'no server of the Cluster is connected');
    const replies = await Promise.all(
      nodes.map((node) => sendCommand(this.#ioredis, node, request, format).catch(errorOf)),
    );
    const answers = replies.filter((reply) => !(reply instanceof StoreError));
    if (answers.length === replies.length || (isLenient && answers.length > 0)) return combine(answers);
    throw replies.find((reply) => reply instanceof StoreError);
  }

  /**
   * Any server takes a PUBLISH, but messages that come by different ones overtake each other. So all of a channel go by
   * the same one.
   */
  #publisherOf({ command, args: [channel] }: Request): Redis | undefined {
    if (command.words[0] !== 'PUBLISH' || channel === undefined) return undefined;
    const place = this.#cluster.slots[slotOf(wireArgument(channel))]?.[0];
    return this.#masters().find(({ options, status }) => nameOf(options) === place && status !== 'end');
  }

  /** Each goes to its own server; those for the same one leave together and in order. */
  sendMany(requests: readonly Request[], format: number): Promise<readonly Reply[]> {
    return Promise.all(requests.map((request) => this.send(request, format).catch(errorOf)));
  }

  execute(requests: readonly Request[], format: number): Promise<readonly Reply[] | null> {
    const keys = requests.flatMap((request) => this.#keysOf(request));
    if (!haveOneSlot(keys)) return Promise.reject(crossSlot());
    return execute(this.#ioredis, this.#cluster, requests, format);
  }

  #keysOf(request: Request): readonly (string | Buffer)[] {
    return makeCommand(this.#ioredis, this.#cluster, request).getKeys() as (string | Buffer)[];
  }

  keyOf(request: Request): Argument | undefined {
    return this.#keysOf(request)[0];
  }

  placeOf(key: Argument | undefined): string {
    const slot = key === undefined ? 0 : slotOf(wireArgument(key));
    const place = this.#cluster.slots[slot]?.[0];
    if (place === undefined) throw new StoreError('UNREACHABLE', `no server of the Cluster has slot ${slot}`);
    return place;
  }

  connect(place: string): Promise<RemoteLink> {
    const node = this.#masters().find(({ options }) => nameOf(options) === place);
    if (node === undefined) {
      throw new StoreError('UNREACHABLE', `the Cluster's server ${place} is not connected`);
    }
    return IoredisLink.open(this.#ioredis, node, this.#openMs);
  }

  #masters(): Redis[] {
    return this.#cluster.nodes('master');
  }

  refresh(): Promise<void> {
    return new Promise((resolve) => this.#cluster.refreshSlotsCache(() => resolve()));
  }

  async subscribe(
    kind: ChannelKind,
    names: readonly Argument[],
    listener: MessageListener,
  ): Promise<Closable> {
    if (kind === 'shard' && !haveOneSlot(names.map(wireArgument))) throw crossSlot();
    const cluster = this.#cluster.duplicate([], {
      lazyConnect: true,
      shardedSubscribers: kind === 'shard',
    });
    await connectClient(cluster, this.#openMs);
    return listenTo(cluster, kind, names, listener);
  }

  servers(): readonly Pick<RemoteDriver, 'send'>[] {
    return this.#masters().map((node) => ({
      send: (request: Request, format: number) => sendCommand(this.#ioredis, node, request, format),
    }));
  }

  duplicate(): Promise<ClusterDriver> {
    const cluster = this.#cluster.duplicate([], { lazyConnect: true });
    return ClusterDriver.open(this.#ioredis, cluster, this.#openMs, this.#isReadOnly);
  }

  async close(): Promise<void> {
    this.#cluster.disconnect();
  }
}

/** As ioredis names servers in its table of slots. */
function nameOf({ host, port }: Redis['options']): string {
  return `${host}:${port}`;
}

function haveOneSlot(keys: readonly (string | Buffer)[]): boolean {
  return new Set(keys.map(slotOf)).size <= 1;
}

function crossSlot(): StoreError {
  return new StoreError('CROSSSLOT', "CROSSSLOT Keys in request don't hash to the same slot");
}

function slotOf(key: string | Buffer): number {
  const bytes = Buffer.from(key);
  return keySlot(bytes, 0, bytes.length);
}

/**
 * Lets the connections of a Cluster give integers as text. Not as an option of the Cluster: that holds for the replies of
 * CLUSTER SLOTS too, whose numbers ioredis then compares as text; it reads those through copies of the connections, and
 * only what can be enumerated is copied.
 */
function giveExactIntegers(cluster: Cluster): void {
  cluster.on('+node', ({ options }: Redis) => {
    Object.defineProperty(options, 'stringNumbers', { value: true, enumerable: false });
  });
}
