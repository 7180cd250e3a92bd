import type { ReplyTransformer, WireCommand } from '../command-runner.js';
import { insteadOf } from '../script-binding.js';
import { StoreError, storeClosed } from '../store-error.js';
import { aborted, type StoreTime, unlessAborted } from '../time.js';
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
import { callWhenFree, EmbeddedClient, readPush } from './embedded-client.js';
import type { EmbeddedEngine } from './embedded-engine.js';
import { execute, executeNow } from './embedded-multi.js';
import { subscribeEmbedded } from './embedded-subscription.js';

/** The transport of embedded stores: it calls the engine directly. */
export class EmbeddedTransport implements Transport {
  readonly kind = 'embedded';
  readonly name = 'embedded';
  readonly sendsInFull: boolean = true;
  readonly embedded: EmbeddedEngine;
  readonly database: number;
  readonly client: EmbeddedClient;
  /** Ends each blocked call when the store is closed. */
  readonly #waits = new Set<(error: StoreError) => void>();
  /** The clients of connections, and of transactions that are delayed. */
  readonly #clients = new Set<EmbeddedClient>();
  #isClosed = false;

  constructor(embedded: EmbeddedEngine, database: number) {
    this.embedded = embedded;
    this.database = database;
    this.client = new EmbeddedClient(embedded, database);
    embedded.join();
  }

  get time(): StoreTime {
    return this.embedded.time;
  }

  assertOpen(): void {
    if (this.#isClosed) throw storeClosed();
  }

  send(
    command: WireCommand,
    args: readonly Argument[],
    format: number,
    transform?: ReplyTransformer,
    options?: CallOptions,
  ): Promise<unknown> {
    if (options?.signal !== undefined) {
      return unlessAborted(this.send(command, args, format, transform), options.signal);
    }
    try {
      if (this.#isClosed) throw storeClosed();
      const reply = this.client.call(command, args, format);
      if (reply === undefined) return this.#sendLater(command, args, format, transform);
      if (typeof reply === 'object' && reply instanceof StoreError) {
        const instead = insteadOf(command, args, reply);
        if (instead !== undefined) return this.send(instead.command, instead.args, format, transform);
        return this.#fail(reply);
      }
      const result = transform === undefined ? reply : transform(reply);
      const delay = this.embedded.delay();
      return delay === undefined ? Promise.resolve(result) : delay.then(() => result);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #fail(error: StoreError): Promise<never> {
    const delay = this.embedded.delay();
    return delay === undefined ? Promise.reject(error) : delay.then(() => Promise.reject(error));
  }

  /** Called if CLIENT PAUSE delays the command. */
  async #sendLater(
    command: WireCommand,
    args: readonly Argument[],
    format: number,
    transform: ReplyTransformer | undefined,
  ): Promise<unknown> {
    await this.client.resumed();
    return this.send(command, args, format, transform);
  }

  sendMany(requests: readonly Request[], format: number, options?: CallOptions): Promise<readonly Reply[]> {
    const replies = this.#sendMany(requests, format);
    return options?.signal === undefined ? replies : unlessAborted(replies, options.signal);
  }

  async #sendMany(requests: readonly Request[], format: number): Promise<readonly Reply[]> {
    this.assertOpen();
    const replies: Reply[] = [];
    for (const { command, args } of requests) {
      const reply = this.client.call(command, args, format);
      replies.push(reply ?? (await callWhenFree(this.client, command, args, format)));
    }
    await this.embedded.delay();
    return replies;
  }

  execute(requests: readonly Request[], format: number, options?: CallOptions): Promise<readonly Reply[]> {
    const replies = this.#execute(requests, format);
    return options?.signal === undefined ? replies : unlessAborted(replies, options.signal);
  }

  async #execute(requests: readonly Request[], format: number): Promise<readonly Reply[]> {
    this.assertOpen();
    // Synchronous, so that no other call of the store comes between MULTI and EXEC.
    let replies = executeNow(this.client, requests, format);
    if (replies === undefined) replies = await this.#executeLater(requests, format);
    await this.embedded.delay();
    return replies ?? [];
  }

  /** Called if CLIENT PAUSE delays the transaction. It waits in a separate session. */
  async #executeLater(requests: readonly Request[], format: number): Promise<readonly Reply[] | null> {
    const client = this.#newClient();
    try {
      return await execute(client, requests, format);
    } finally {
      this.#leave(client);
    }
  }

  /** Like `execute`, but synchronous; undefined if CLIENT PAUSE delays it. */
  executeNow(requests: readonly Request[], format: number): readonly Reply[] | null | undefined {
    return executeNow(this.client, requests, format);
  }

  /** Writes changes to disk as the settings require, before a synchronous call returns. */
  flushNow(): void {
    if (this.embedded.engine.holdsReplies) this.embedded.syncNow();
  }

  async sendBlocking(
    { command, args }: Request,
    format: number,
    { signal }: CallOptions = {},
  ): Promise<Reply> {
    this.assertOpen();
    const client = new EmbeddedClient(this.embedded, this.database);
    try {
      let reply = client.callWaiting(command, args, format);
      while (reply === undefined && client.isPaused) {
        await this.#unlessEnded(client.resumed(), signal);
        reply = client.callWaiting(command, args, format);
      }
      reply ??= await this.#wait(client, format, signal);
      await this.embedded.delay();
      if (reply instanceof StoreError) throw reply;
      return reply;
    } finally {
      client.leave();
    }
  }

  /** The reply that the session receives when it is unblocked. */
  #wait(client: EmbeddedClient, format: number, signal: AbortSignal | undefined): Promise<Reply> {
    const reply = new Promise<Reply>((resolve, reject) => {
      client.onPush = (bytes) => resolve(readPush(bytes, format));
      client.onClose = () => reject(new StoreError('CLOSED', 'the blocked call was ended by CLIENT KILL'));
    });
    return this.#unlessEnded(reply, signal);
  }

  /** Waits for the promise, until the signal aborts or the store is closed. Keeps the process alive meanwhile. */
  async #unlessEnded<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const release = this.embedded.stayAwake();
    let fail: (error: StoreError) => void = () => {};
    const onAbort = (): void => fail(aborted(signal as AbortSignal));
    try {
      return await new Promise<T>((resolve, reject) => {
        fail = reject;
        this.#waits.add(reject);
        promise.then(resolve, reject);
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#waits.delete(fail);
      release();
    }
  }

  async connect(): Promise<Connection> {
    this.assertOpen();
    const client = this.#newClient();
    return {
      send: async ({ command, args }, format) => {
        this.assertOpen();
        const reply = await callWhenFree(client, command, args, format);
        await this.embedded.delay();
        if (reply instanceof StoreError) throw reply;
        return reply;
      },
      execute: async (requests, format) => {
        this.assertOpen();
        const replies = await execute(client, requests, format);
        await this.embedded.delay();
        return replies;
      },
      close: async () => this.#leave(client),
    };
  }

  #newClient(): EmbeddedClient {
    const client = new EmbeddedClient(this.embedded, this.database);
    this.#clients.add(client);
    return client;
  }

  #leave(client: EmbeddedClient): void {
    this.#clients.delete(client);
    client.leave();
  }

  async subscribe(
    kind: ChannelKind,
    names: readonly Argument[],
    listener: MessageListener,
  ): Promise<Closable> {
    this.assertOpen();
    const fail = (error: StoreError): void => listener.ended(error);
    const subscription = subscribeEmbedded(this.embedded, kind, names, listener);
    this.#waits.add(fail);
    return {
      close: async () => {
        this.#waits.delete(fail);
        subscription.leave();
      },
    };
  }

  servers(): readonly NamedServer[] {
    return [this];
  }

  /** An embedded store has no connection that could be lost. */
  listen(): () => void {
    return () => {};
  }

  async duplicate(): Promise<EmbeddedTransport> {
    this.assertOpen();
    return new EmbeddedTransport(this.embedded, this.database);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const end of [...this.#waits]) end(storeClosed());
    for (const client of [this.client, ...this.#clients]) client.end();
    await this.embedded.leave();
  }
}
