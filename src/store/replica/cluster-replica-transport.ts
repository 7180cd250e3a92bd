import { Bytes } from '../../bytes/bytes.js';
import { keySlot } from '../../bytes/crc16.js';
import { visitKeys } from '../../commands/key-positions.js';
import { ReplyFormat } from '../../resp/reply-reader.js';
import type { ReplyTransformer, WireCommand } from '../command-runner.js';
import { ArgumentList } from '../embedded/argument-list.js';
import { EmbeddedTransport } from '../embedded/embedded-transport.js';
import { KnownCommands } from '../embedded/known-commands.js';
import { paused, type SyncTransport } from '../embedded/sync-client.js';
import { clusterPolicy } from '../remote/cluster-policy.js';
import { crossSlot } from '../remote/cluster-slots.js';
import { StoreError, storeClosed } from '../store-error.js';
import { type StoreTime, systemTime } from '../time.js';
import type {
  CallOptions,
  ChannelKind,
  Closable,
  Connection,
  MessageListener,
  NamedServer,
  Reply,
  Request,
  Transport,
} from '../transport.js';
import type { Argument } from '../value.js';
import { commandNamed } from '../wire-command.js';
import type { ClusterReplica } from './cluster-replica.js';
import { ForwardedCommands } from './forwarded-commands.js';
import { ASK_PLACE, placeIn } from './master-place.js';
import type { ShardReplica } from './shard-replica.js';
import { SlotOfKeys } from './slot-of-keys.js';
import type { Place } from './store-replication.js';

export type Writes = 'refuse' | 'forward';

/**
 * The transport of a replica of a whole Cluster. Commands with keys run in the engine that has them; as in a Cluster, all keys of a command
 * or transaction must be in one slot. Commands without keys run in all engines where Redis says how to combine the replies.
 */
export class ClusterReplicaTransport implements Transport, SyncTransport {
  readonly kind = 'cluster';
  readonly client = {
    call: (command: WireCommand, args: readonly Argument[], format: number): Reply | undefined =>
      this.#callNow(command, args, format),
  };
  readonly replica: ClusterReplica;
  readonly #cluster: Transport;
  readonly #writes: Writes;
  readonly #engines = new Map<ShardReplica, EmbeddedTransport>();
  readonly #request = new ArgumentList();
  readonly #keys = new SlotOfKeys();
  /** The same in all engines. */
  readonly #commands: KnownCommands;
  readonly #forwarded: ForwardedCommands;
  readonly #stopListening: () => void;
  #isClosed = false;

  /** `cluster` is the Cluster itself, for what is not read from the replica. */
  constructor(replica: ClusterReplica, cluster: Transport, writes: Writes) {
    this.replica = replica;
    this.#cluster = cluster;
    this.#writes = writes;
    const { table } = this.#anyShard().embedded.engine;
    this.#commands = new KnownCommands(table);
    this.#forwarded = new ForwardedCommands(table);
    replica.join();
    this.#stopListening = replica.onRetired((shard) => this.#leave(shard));
  }

  get time(): StoreTime {
    return systemTime;
  }

  assertOpen(): void {
    if (this.#isClosed) throw storeClosed();
  }

  // ---- which engine ----

  #anyShard(): ShardReplica {
    const shard = this.replica.shards.find(({ isReady }) => isReady);
    if (shard === undefined) throw new StoreError('UNREACHABLE', 'no master of the Cluster is followed');
    return shard;
  }

  #engineOf(shard: ShardReplica): EmbeddedTransport {
    let engine = this.#engines.get(shard);
    if (engine === undefined) {
      if (!this.replica.shards.includes(shard)) {
        throw new StoreError(
          'TRYAGAIN',
          `TRYAGAIN ${shard.followed.master} is no master of the Cluster any more`,
        );
      }
      engine = new EmbeddedTransport(shard.embedded, 0);
      this.#engines.set(shard, engine);
    }
    return engine;
  }

  #leave(shard: ShardReplica): void {
    const engine = this.#engines.get(shard);
    this.#engines.delete(shard);
    void engine?.close();
  }

  /** Notes the keys of a command, in addition to those of commands before it, and the slot that they are in. */
  #noteKeys({ command, args }: Request): void {
    const known = this.#commands.of(command);
    this.#request.fill(known.words, args);
    const { args: all, argc } = this.#request;
    const found = known.withArguments(all, argc);
    // The engine reports what is wrong with it.
    if (found === undefined) return;
    visitKeys(found, all, argc, this.#keys);
    if (this.#keys.areInSeveralSlots) throw crossSlot();
  }

  /** The replica that the command reads from; undefined if it has no keys. */
  #holderOf(request: Request): ShardReplica | undefined {
    const keys = this.#keys;
    keys.clear();
    this.#noteKeys(request);
    return keys.slot < 0 ? undefined : this.replica.holderOf(keys.slot, keys.found, keys.count);
  }

  /** The same. A key that may be on its way between two masters is waited for; rejects if it cannot be known whether it exists. */
  async #surelyHolderOf(
    request: Request,
    options: CallOptions | undefined,
  ): Promise<ShardReplica | undefined> {
    const holder = this.#holderOf(request);
    const { slot, found, count } = this.#keys;
    if (slot < 0 || !this.replica.mayBeOnTheWay(slot, found, count)) return holder;
    await this.replica.settle(slot, options);
    this.assertOpen();
    return this.#holderOf(request);
  }

  // ---- reading ----

  #callNow(command: WireCommand, args: readonly Argument[], format: number): Reply | undefined {
    const request = { command, args };
    try {
      const holder = this.#holderOf(request);
      if (holder !== undefined) return this.#engineOf(holder).client.call(command, args, format);
      return this.#callWithoutKeys(request, format);
    } catch (error) {
      if (error instanceof StoreError) return error;
      throw error;
    }
  }

  #callWithoutKeys(request: Request, format: number): Reply | undefined {
    const { command, args } = request;
    refuseUseless(request);
    const policy = clusterPolicy(request);
    if (policy === undefined) return this.#engineOf(this.#anyShard()).client.call(command, args, format);
    const name = command.words[0];
    if (name === 'DBSIZE' && args.length === 0) {
      const sizes = this.replica.shards.map((shard) => this.replica.visibleKeys(shard));
      const size = sizes.reduce((sum, each) => sum + each, 0);
      return (format & ReplyFormat.exact) === 0 ? size : BigInt(size);
    }
    const replies: Reply[] = [];
    for (const shard of this.replica.shards) {
      const reply =
        name === 'KEYS' || name === 'RANDOMKEY'
          ? this.#visibleOnly(shard, request, format)
          : this.#engineOf(shard).client.call(command, args, format);
      if (reply === undefined || reply instanceof StoreError) return reply;
      replies.push(reply);
    }
    return policy.combine(replies);
  }

  /** The reply to SCAN, KEYS or RANDOMKEY of one engine, without keys that clients of the Cluster do not see. */
  #visibleOnly(shard: ShardReplica, { command, args }: Request, format: number): Reply | undefined {
    const { client } = this.#engineOf(shard);
    const reply = client.call(command, args, format | ReplyFormat.bytes);
    if (reply === undefined || reply instanceof StoreError) return reply;
    const shown = (bytes: Buffer): Reply => ((format & ReplyFormat.bytes) === 0 ? String(bytes) : bytes);
    const visible = (keys: readonly Buffer[]): Reply =>
      keys.filter((key) => this.#isVisible(shard, key)).map(shown);
    switch (command.words[0]) {
      case 'SCAN': {
        const [cursor, keys] = reply as unknown as [Buffer, Buffer[]];
        return [shown(cursor), visible(keys)];
      }
      case 'KEYS':
        return visible(reply as unknown as Buffer[]);
      default: {
        const key = reply as Buffer | null;
        return key === null || !this.#isVisible(shard, key) ? null : shown(key);
      }
    }
  }

  #isVisible(shard: ShardReplica, key: Buffer): boolean {
    return this.replica.isVisible(shard, keySlot(key, 0, key.length), new Bytes(key));
  }

  async send(
    command: WireCommand,
    args: readonly Argument[],
    format: number,
    transform?: ReplyTransformer,
    options?: CallOptions,
  ): Promise<unknown> {
    this.assertOpen();
    const request = { command, args };
    const reply = this.#isForMaster(request)
      ? await this.#forward(request, format, options)
      : await this.#read(request, format, options);
    return transform === undefined ? reply : transform(reply);
  }

  async #read(request: Request, format: number, options: CallOptions | undefined): Promise<Reply> {
    const { command, args } = request;
    const holder = await this.#surelyHolderOf(request, options);
    if (holder !== undefined) {
      return (await this.#engineOf(holder).send(command, args, format, undefined, options)) as Reply;
    }
    const reply = this.#callWithoutKeys(request, format);
    if (reply instanceof StoreError) throw reply;
    if (reply === undefined) throw paused();
    return reply;
  }

  async sendMany(
    requests: readonly Request[],
    format: number,
    options?: CallOptions,
  ): Promise<readonly Reply[]> {
    this.assertOpen();
    if (this.#areForMaster(requests)) {
      return this.#withChanges(this.#cluster.sendMany(requests, format, options), requests, options);
    }
    const replies: Reply[] = [];
    for (const request of requests) {
      replies.push(await this.#read(request, format, options).catch((error: StoreError) => error as Reply));
    }
    return replies;
  }

  async execute(
    requests: readonly Request[],
    format: number,
    options?: CallOptions,
  ): Promise<readonly Reply[]> {
    this.assertOpen();
    if (this.#areForMaster(requests)) {
      return this.#withChanges(this.#cluster.execute(requests, format, options), requests, options);
    }
    return this.#engineOf(this.#holderOfAll(requests)).execute(requests, format, options);
  }

  /** The engine of a transaction. */
  #holderOfAll(requests: readonly Request[]): ShardReplica {
    const keys = this.#keys;
    keys.clear();
    const copies: Bytes[] = [];
    for (const request of requests) {
      refuseUseless(request);
      const before = keys.count;
      this.#noteKeys(request);
      // The next command reuses the buffer in which the keys are.
      for (let i = before; i < keys.count; i++) copies.push(new Bytes((keys.found[i] as Bytes).toBuffer()));
    }
    return keys.slot < 0 ? this.#anyShard() : this.replica.holderOf(keys.slot, copies, copies.length);
  }

  /** Like `execute`, but synchronous. */
  executeNow(requests: readonly Request[], format: number): readonly Reply[] | null | undefined {
    return this.#engineOf(this.#holderOfAll(requests)).executeNow(requests, format);
  }

  /** Nothing is kept in files. */
  flushNow(): void {}

  async sendBlocking(request: Request, format: number, options?: CallOptions): Promise<Reply> {
    this.assertOpen();
    if (this.#isForMaster(request)) {
      return this.#withChanges(this.#cluster.sendBlocking(request, format, options), [request], options);
    }
    const holder = (await this.#surelyHolderOf(request, options)) ?? this.#anyShard();
    return this.#engineOf(holder).sendBlocking(request, format, options);
  }

  // ---- writing ----

  #isForMaster({ command, args }: Request): boolean {
    return this.#writes === 'forward' && this.#forwarded.has(command, args);
  }

  #areForMaster(requests: readonly Request[]): boolean {
    return requests.some((request) => this.#isForMaster(request));
  }

  async #forward(request: Request, format: number, options: CallOptions | undefined): Promise<Reply> {
    const reply = this.#cluster.send(request.command, request.args, format, undefined, options);
    return (await this.#withChanges(reply, [request], options)) as Reply;
  }

  /** The masters' replies, when what the requests have changed is here, too. */
  async #withChanges<T>(
    replies: Promise<T>,
    requests: readonly Request[],
    options: CallOptions | undefined,
  ): Promise<T> {
    const arrived = await replies;
    await this.#comeBack(requests, options);
    return arrived;
  }

  /** Resolves when what the requests have changed is here. */
  async #comeBack(requests: readonly Request[], options: CallOptions | undefined): Promise<void> {
    const keyBySlot = new Map<number, Buffer>();
    const keys = this.#keys;
    for (const request of requests) {
      keys.clear();
      this.#noteKeys(request);
      // It may have changed any key.
      if (keys.slot < 0 && this.#isForMaster(request)) return this.replica.catchUp(options);
      if (keys.slot >= 0) keyBySlot.set(keys.slot, (keys.found[0] as Bytes).toBuffer());
    }
    await Promise.all([...keyBySlot].map(([slot, key]) => this.#slotComesBack(slot, key, options)));
  }

  /** Its owner says how far its stream is, unless it has given the slot away: then the other masters are waited for as well. */
  async #slotComesBack(slot: number, key: Buffer, options: CallOptions | undefined): Promise<void> {
    const owner = this.replica.ownerOf(slot);
    const askedAt = this.time.monotonic();
    const questions = [{ command: EXISTS, args: [key] }, ASK_PLACE];
    let place: Place;
    try {
      const { connections } = this.replica;
      const [found, info] = await connections.askAll(owner.master.address, questions, options);
      // A redirection.
      if (found instanceof StoreError) throw found;
      place = placeIn(info as Reply);
    } catch {
      return this.replica.catchUp(options);
    }
    return owner.followed.reached(place, askedAt, options);
  }

  // ---- connections ----

  /** For WATCH. If writes are forwarded, what is read and written belongs together, so all of it runs on the master. */
  async connect(key: Argument, options?: CallOptions): Promise<Connection> {
    this.assertOpen();
    if (this.#writes === 'refuse') {
      const request = { command: EXISTS, args: [key] };
      return this.#engineOf((await this.#surelyHolderOf(request, options)) ?? this.#anyShard()).connect();
    }
    const connection = await this.#cluster.connect(key, options);
    return {
      send: (request, format) => connection.send(request, format),
      execute: (requests, format) =>
        this.#withChanges(connection.execute(requests, format), requests, options),
      close: () => connection.close(),
    };
  }

  /** Messages are not part of the masters' streams: nodes pass them to each other. */
  subscribe(
    kind: ChannelKind,
    names: readonly Argument[],
    listener: MessageListener,
    options?: CallOptions,
  ): Promise<Closable> {
    this.assertOpen();
    return this.#cluster.subscribe(kind, names, listener, options);
  }

  servers(): readonly NamedServer[] {
    return this.replica.shards
      .filter(({ isReady }) => isReady)
      .map((shard) => ({
        name: shard.followed.master,
        send: async (command, args, format, transform, options) => {
          if (command.words[0] !== 'SCAN') {
            return this.#engineOf(shard).send(command, args, format, transform, options);
          }
          const reply = this.scanNow(shard, { command, args }, format);
          return transform === undefined ? reply : transform(reply);
        },
      }));
  }

  /** One page of the keys of an engine. */
  scanNow(shard: ShardReplica, request: Request, format: number): Reply {
    this.assertOpen();
    const reply = this.#visibleOnly(shard, request, format);
    if (reply === undefined) throw paused();
    if (reply instanceof StoreError) throw reply;
    return reply;
  }

  /** The engines have no connection that could be lost; `replication` tells about those to the masters. */
  listen(): () => void {
    return () => {};
  }

  async duplicate(): Promise<ClusterReplicaTransport> {
    this.assertOpen();
    return new ClusterReplicaTransport(this.replica, this.#cluster, this.#writes);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopListening();
    for (const engine of this.#engines.values()) await engine.close();
    await this.replica.leave();
  }
}

/** What would have no effect, or only in one of the engines, which come and go with the masters of the Cluster. */
function refuseUseless({ command: { words }, args }: Request): void {
  const [name = '', subcommand = String(args[0] ?? '').toUpperCase()] = words;
  const full = `${name} ${subcommand}`;
  if (full === 'CONFIG SET' || full === 'ACL SETUSER') {
    throw new StoreError(
      'MISUSE',
      `${full} has no effect on engines of masters that join later: pass 'settings' to open()`,
    );
  }
  if (name === 'PUBLISH' || name === 'SPUBLISH') {
    throw new StoreError(
      'READONLY',
      `READONLY ${name} reaches no client from a replica of a Cluster: open it with writes: 'forward'`,
    );
  }
}

const EXISTS = commandNamed('EXISTS');
