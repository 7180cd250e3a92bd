import type { Cluster } from 'ioredis';
import { StoreError, storeClosed } from '../store-error.js';
import { systemTime } from '../time.js';
import type {
  ChannelKind,
  Closable,
  MessageListener,
  Reply,
  Request,
  TransportListener,
} from '../transport.js';
import type { Argument } from '../value.js';
import { ASKING } from './asking.js';
import { type ClusterPolicy, clusterPolicy } from './cluster-policy.js';
import { ClusterSlots, crossSlot, haveOneSlot, redirectionOf, slotOf } from './cluster-slots.js';
import { type Ioredis, makeCommand } from './ioredis/ioredis-client.js';
import { connectClient, disconnectClient } from './ioredis/ioredis-connecting.js';
import { IoredisSource } from './ioredis/ioredis-source.js';
import type { Caller, RemoteDriver, RemoteLink } from './remote-driver.js';
import { errorOf, wireArgument } from './remote-values.js';
import { isReadOnly } from './repeatable.js';
import { SteadyLink } from './steady-link.js';

export interface ClusterDriverOptions {
  readonly openMs: number;
  /** Which servers answer commands that only read. */
  readonly reads: 'master' | 'replica' | 'any';
}

/** One server of the Cluster, and the connection to it. */
interface Node {
  readonly source: IoredisSource;
  readonly line: SteadyLink;
}

/**
 * Sends requests to the servers of a Redis Cluster. ioredis only finds the servers. The driver makes connections, follows
 * redirections and repeats requests itself, so that no request is sent twice unless that is safe.
 */
export class ClusterDriver implements RemoteDriver {
  readonly kind = 'cluster';
  readonly #ioredis: Ioredis;
  readonly #cluster: Cluster;
  readonly #slots: ClusterSlots;
  readonly #options: ClusterDriverOptions;
  /** By server name. A connection for reading from a replica has `READER` before the name. */
  readonly #nodes = new Map<string, Node>();
  #tell: TransportListener = () => {};
  #isClosed = false;

  private constructor(ioredis: Ioredis, cluster: Cluster, options: ClusterDriverOptions) {
    this.#ioredis = ioredis;
    this.#cluster = cluster;
    this.#slots = new ClusterSlots(cluster);
    this.#options = options;
  }

  /** Connects the client, which must have been created with `lazyConnect`. The driver closes it. */
  static async open(
    ioredis: Ioredis,
    cluster: Cluster,
    options: ClusterDriverOptions,
    signal?: AbortSignal,
  ): Promise<ClusterDriver> {
    await connectClient(cluster, options.openMs, signal);
    return new ClusterDriver(ioredis, cluster, options);
  }

  // ---- sending ----

  async send(request: Request, format: number, caller: Caller): Promise<Reply> {
    const policy = clusterPolicy(request);
    if (policy !== undefined) return this.#sendToMany(request, format, policy);
    return this.#follow(this.#nodeFor(request), caller, (link) => link.send(request, format));
  }

  /** If one server replies with an error, the call fails with it. What other servers have executed is not undone. */
  async #sendToMany(
    request: Request,
    format: number,
    { audience, combine, isLenient }: ClusterPolicy,
  ): Promise<Reply> {
    const places = audience === 'masters' ? this.#slots.masters() : this.#slots.all();
    if (places.length === 0) throw new StoreError('UNREACHABLE', 'no server of the Cluster is known');
    // All servers must be connected before the first request is sent: what one of them has executed must not be repeated.
    const links = places.map((place) => this.#node(place).line.link);
    const replies = await Promise.all(links.map((link) => link.send(request, format).catch(errorOf)));
    const answers = replies.filter((reply) => !(reply instanceof StoreError));
    if (answers.length === replies.length || (isLenient && answers.length > 0)) return combine(answers);
    throw replies.find((reply) => reply instanceof StoreError);
  }

  /** Sends each request to its own server. Requests for the same server are sent together and in order. */
  async sendMany(requests: readonly Request[], format: number, caller: Caller): Promise<readonly Reply[]> {
    const groups = new Map<Node, number[]>();
    const replies: Promise<Reply>[] = [];
    for (const [index, request] of requests.entries()) {
      if (clusterPolicy(request) !== undefined) {
        replies[index] = this.send(request, format, caller).catch(errorOf);
        continue;
      }
      const node = this.#nodeFor(request);
      const group = groups.get(node);
      if (group === undefined) groups.set(node, [index]);
      else group.push(index);
    }
    for (const [node, indexes] of groups) {
      const group = indexes.map((index) => requests[index] as Request);
      const together = this.#sendGroup(node, group, format, caller);
      for (const [position, index] of indexes.entries()) {
        replies[index] = together.then((all) => all[position] as Reply);
      }
    }
    return Promise.all(replies);
  }

  async #sendGroup(
    node: Node,
    requests: readonly Request[],
    format: number,
    caller: Caller,
  ): Promise<readonly Reply[]> {
    try {
      const replies = [...(await node.line.link.sendMany(requests, format))];
      for (const [index, reply] of replies.entries()) {
        const redirection = redirectionOf(reply);
        if (redirection === undefined || caller.isOver) continue;
        const request = requests[index] as Request;
        replies[index] = await this.#redirect(redirection, caller, (link) =>
          link.send(request, format),
        ).catch(errorOf);
      }
      return replies;
    } catch (error) {
      return requests.map(() => errorOf(error));
    }
  }

  async execute(
    requests: readonly Request[],
    format: number,
    caller: Caller,
  ): Promise<readonly Reply[] | null> {
    const keys = requests.flatMap((request) => this.#keysOf(request));
    if (!haveOneSlot(keys)) throw crossSlot();
    const [key] = keys;
    const node = key === undefined ? this.#anyNode() : this.#node(this.#slots.masterOf(slotOf(key)));
    return this.#follow(node, caller, (link) => link.execute(requests, format));
  }

  /** Does the work on the node's connection, or on the node that it redirects to. */
  async #follow<T>(node: Node, caller: Caller, work: (link: RemoteLink) => Promise<T>): Promise<T> {
    try {
      return await work(node.line.link);
    } catch (error) {
      const redirection = redirectionOf(error);
      if (redirection === undefined || caller.isOver) throw error;
      return this.#redirect(redirection, caller, work);
    }
  }

  async #redirect<T>(
    first: NonNullable<ReturnType<typeof redirectionOf>>,
    caller: Caller,
    work: (link: RemoteLink) => Promise<T>,
  ): Promise<T> {
    let redirection = first;
    for (let left = MAX_REDIRECTIONS; ; left--) {
      const { kind, slot } = redirection;
      const place = this.#slots.mapped(redirection.place);
      if (kind === 'MOVED' && this.#slots.serversOf(slot)[0] !== place) {
        this.#slots.move(slot, place);
        void this.refresh();
      }
      try {
        const { link } = this.#node(place).line;
        // The two are sent together, so no other request comes in between.
        if (kind === 'ASK') link.send({ command: ASKING, args: [] }, 0).catch(() => {});
        return await work(link);
      } catch (error) {
        const next = redirectionOf(error);
        if (next === undefined || left <= 0 || caller.isOver) throw error;
        redirection = next;
      }
    }
  }

  // ---- servers ----

  #keysOf(request: Request): readonly (string | Buffer)[] {
    return makeCommand(this.#ioredis, this.#cluster, request).getKeys() as (string | Buffer)[];
  }

  #nodeFor(request: Request): Node {
    const [name] = request.command.words;
    const [channel] = request.args;
    // Any server accepts PUBLISH, but messages sent to different servers may overtake each other. So all messages of a
    // channel go to the same server.
    const key =
      name === 'PUBLISH' && channel !== undefined ? wireArgument(channel) : this.#keysOf(request)[0];
    if (key === undefined) return this.#anyNode();
    const slot = slotOf(key);
    const { reads } = this.#options;
    return reads === 'master' || !isReadOnly(request)
      ? this.#node(this.#slots.masterOf(slot))
      : this.#readerOf(slot, reads);
  }

  #readerOf(slot: number, reads: 'replica' | 'any'): Node {
    const [master = '', ...replicas] = this.#slots.serversOf(slot);
    const places = reads === 'any' ? [master, ...replicas] : replicas;
    const place = places[Math.floor(Math.random() * places.length)];
    return place === undefined || place === master
      ? this.#node(this.#slots.masterOf(slot))
      : this.#node(place, true);
  }

  /** A random master, for commands without keys. */
  #anyNode(): Node {
    const masters = this.#slots.masters();
    const place = masters[Math.floor(Math.random() * masters.length)];
    if (place === undefined) throw new StoreError('UNREACHABLE', 'no server of the Cluster is known');
    return this.#node(place);
  }

  #node(place: string, readsReplica = false): Node {
    const name = readsReplica ? `${READER}${place}` : place;
    let node = this.#nodes.get(name);
    if (node === undefined) {
      if (this.#isClosed) throw storeClosed();
      node = this.#newNode(place, readsReplica);
      this.#nodes.set(name, node);
    }
    return node;
  }

  #newNode(place: string, readOnly: boolean): Node {
    const split = place.lastIndexOf(':');
    const options = {
      ...this.#cluster.options.redisOptions,
      host: place.slice(0, split),
      port: Number(place.slice(split + 1)),
      readOnly,
    };
    const source = new IoredisSource(this.#ioredis, options, this.#options.openMs);
    const line = new SteadyLink({
      server: place,
      connect: (signal) => source.connect(signal),
      pauseBefore: (attempt) => source.pauseBefore(attempt),
      tell: (name, event) => this.#tell(name, event),
    });
    return { source, line };
  }

  keyOf(request: Request): Argument | undefined {
    return this.#keysOf(request)[0];
  }

  placeOf(key: Argument | undefined): string {
    return this.#slots.masterOf(key === undefined ? 0 : slotOf(wireArgument(key)));
  }

  connect(place: string, signal?: AbortSignal): Promise<RemoteLink> {
    return this.#node(place).source.connect(signal);
  }

  servers(): ReturnType<RemoteDriver['servers']> {
    return this.#slots.masters().map((place) => ({
      name: place,
      send: async (request, format) => this.#node(place).line.link.send(request, format),
      ready: async () => this.#node(place).line.ready(),
      problem: () => this.#nodes.get(place)?.line.problem,
      drop: (_request, reason) => this.#node(place).line.drop(reason),
    }));
  }

  async refresh(): Promise<void> {
    await this.#slots.refresh();
    const known = new Set(this.#slots.all());
    for (const [name, { line }] of this.#nodes) {
      if (known.has(name.replace(READER, ''))) continue;
      this.#nodes.delete(name);
      line.close();
    }
  }

  // ---- outages ----

  /** The server may come back, or a replica may replace it: both are checked. */
  async ready(request: Request | undefined): Promise<void> {
    if (this.#isClosed) throw storeClosed();
    const lines = this.#linesFor(request);
    // The connections were not the problem: a slot is being moved, its new server is not connected yet, or the server is cut off
    // from the others, which have replaced it.
    if (lines.every(({ isConnected }) => isConnected)) {
      await systemTime.sleep(SLOT_MOVE_MS);
      await this.refresh();
      return;
    }
    const all = Promise.all(lines.map((line) => line.ready())).then(
      () => true,
      () => false,
    );
    const isReady =
      lines.length > 0 && (await Promise.race([all, systemTime.sleep(RECHECK_MS).then(() => false)]));
    if (!isReady) await this.refresh();
  }

  /** The connections that the request would use now. */
  #linesFor(request: Request | undefined): readonly SteadyLink[] {
    try {
      if (request === undefined) return [];
      const policy = clusterPolicy(request);
      if (policy === undefined) return [this.#nodeFor(request).line];
      const places = policy.audience === 'masters' ? this.#slots.masters() : this.#slots.all();
      return places.map((place) => this.#node(place).line);
    } catch {
      return [];
    }
  }

  problem(request: Request | undefined): StoreError | undefined {
    return this.#linesFor(request).find(({ isConnected }) => !isConnected)?.problem;
  }

  drop(request: Request | undefined, reason: string): void {
    for (const line of this.#linesFor(request)) line.drop(reason);
  }

  // ---- subscriptions and life cycle ----

  subscribe(
    kind: ChannelKind,
    names: readonly Argument[],
    listener: MessageListener,
    signal?: AbortSignal,
  ): Promise<Closable> {
    const channels = names.map(wireArgument);
    if (kind === 'monitor')
      return this.#node(String(channels[0])).source.subscribe(kind, names, listener, signal);
    if (kind === 'shard' && !haveOneSlot(channels)) return Promise.reject(crossSlot());
    const [channel] = channels;
    const node =
      kind === 'shard' && channel !== undefined
        ? this.#node(this.#slots.masterOf(slotOf(channel)))
        : this.#anyNode();
    return node.source.subscribe(kind, names, listener, signal);
  }

  listen(listener: TransportListener): void {
    this.#tell = listener;
  }

  duplicate(signal?: AbortSignal): Promise<ClusterDriver> {
    const cluster = this.#cluster.duplicate([], { lazyConnect: true });
    return ClusterDriver.open(this.#ioredis, cluster, this.#options, signal);
  }

  close(): void {
    this.#isClosed = true;
    disconnectClient(this.#cluster);
    for (const { line } of this.#nodes.values()) line.close();
    this.#nodes.clear();
  }
}

const READER = 'reader ';
const MAX_REDIRECTIONS = 16;
/** How long to wait for a server before asking the other servers whether it was replaced. */
const RECHECK_MS = 200;
const SLOT_MOVE_MS = 50;
