import { ReplyFormat } from '../resp/reply-reader.js';
import { CommandBatch, pick } from './command-batch.js';
import type { CommandRunner, ReplyTransformer, WireCommand } from './command-runner.js';
import { mixCommands } from './commands/index.js';
import { namedCommand } from './named-command.js';
import { runTransaction, type TransactionBuilder } from './optimistic-transaction.js';
import { scanHash, scanKeys, scanSet, scanSortedSet } from './scanning.js';
import type { ScriptDefinition } from './script.js';
import { compileScript } from './script-binding.js';
import type {
  KeyScanOptions,
  PipelineOptions,
  ScanOptions,
  SubscribeOptions,
  WatchOptions,
} from './store.js';
import { StoreError } from './store-error.js';
import { BufferedSubscription } from './subscription.js';
import { type StoreTime, throwIfAborted, unlessAborted } from './time.js';
import type { ChannelKind, Transport } from './transport.js';
import type { Argument, Queued } from './value.js';
import { blocks } from './wire-command.js';

/**
 * The `Store` on any transport. A store and its views (`bytes`, `exact`, `with`) share the transport and differ in what
 * they make of replies. The public types (`Store<S>`) say more than this class does: it holds for every shape at once.
 */
export class StoreClient implements CommandRunner {
  readonly transport: Transport;
  readonly format: number;
  readonly signal: AbortSignal | undefined;

  constructor(transport: Transport, format = 0, signal?: AbortSignal) {
    this.transport = transport;
    this.format = format;
    this.signal = signal;
  }

  get kind(): Transport['kind'] {
    return this.transport.kind;
  }

  get time(): StoreTime {
    return this.transport.time;
  }

  // ---- views ----

  protected view(format: number, signal: AbortSignal | undefined): StoreClient {
    return new StoreClient(this.transport, format, signal);
  }

  get bytes(): StoreClient {
    return this.view(this.format | ReplyFormat.bytes, this.signal);
  }

  get exact(): StoreClient {
    return this.view(this.format | ReplyFormat.exact, this.signal);
  }

  with({ signal }: { readonly signal?: AbortSignal }): StoreClient {
    return this.view(this.format, signal ?? this.signal);
  }

  // ---- commands ----

  run(command: WireCommand, args: readonly Argument[], transform?: ReplyTransformer): Promise<unknown> {
    if (this.signal !== undefined || (command.blocks !== undefined && command.blocks !== false)) {
      return this.#runWaiting(command, args, transform);
    }
    return this.transport.send(command, args, this.format, transform);
  }

  async #runWaiting(
    command: WireCommand,
    args: readonly Argument[],
    transform: ReplyTransformer | undefined,
  ): Promise<unknown> {
    const { signal, transport, format } = this;
    throwIfAborted(signal);
    if (!blocks(command, args)) {
      const reply = transport.send(command, args, format, transform);
      return signal === undefined ? reply : unlessAborted(reply, signal);
    }
    const reply = await transport.sendBlocking({ command, args }, format, signal);
    return transform === undefined ? reply : transform(reply);
  }

  /** What typed methods do with options that are mistaken. */
  refuse(error: unknown): Promise<never> {
    return Promise.reject(error);
  }

  send(name: string, ...args: Argument[]): Promise<unknown> {
    try {
      return this.run(namedCommand(name, args), args);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  script(definition: ScriptDefinition): (inputs: Readonly<Record<string, unknown>>) => Promise<unknown> {
    const script = compileScript(definition);
    return async (inputs) => {
      const parameters = script.parameters(inputs);
      try {
        return await this.run(script.byDigest, [script.digest, ...parameters], definition.reply);
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'NOSCRIPT') throw error;
      }
      return this.run(script.inFull, [script.source, ...parameters], definition.reply);
    };
  }

  async pipeline(
    build: (queue: CommandBatch) => readonly Queued<unknown>[],
    { settle = false }: PipelineOptions = {},
  ): Promise<unknown[]> {
    throwIfAborted(this.signal);
    const batch = new CommandBatch();
    const queued = build(batch);
    const waiting = batch.requests.find(({ command, args }) => blocks(command, args));
    if (waiting !== undefined) {
      const name = waiting.command.words.join(' ');
      throw new StoreError('MISUSE', `${name} would hold up all others in a pipeline: call it by itself`);
    }
    if (batch.requests.length === 0) return [];
    const replies = await this.#unlessAborted(this.transport.sendMany(batch.requests, this.format));
    const results = batch.results(replies);
    return settle ? queued.map(({ index }) => results[index]) : pick(results, queued);
  }

  async transaction(
    ...given:
      | [build: (queue: CommandBatch) => readonly Queued<unknown>[]]
      | [options: WatchOptions, build: TransactionBuilder]
  ): Promise<unknown[] | undefined> {
    throwIfAborted(this.signal);
    if (given.length === 2) return runTransaction(this, ...given);
    const batch = new CommandBatch();
    const queued = given[0](batch);
    if (batch.requests.length === 0) return [];
    const replies = await this.#unlessAborted(this.transport.execute(batch.requests, this.format));
    return pick(batch.results(replies), queued);
  }

  #unlessAborted<T>(promise: Promise<T>): Promise<T> {
    return this.signal === undefined ? promise : unlessAborted(promise, this.signal);
  }

  // ---- subscribing ----

  subscribe(channels: Argument | readonly Argument[], options?: SubscribeOptions): Promise<unknown> {
    return this.#subscribe('channel', channels, options);
  }

  psubscribe(patterns: Argument | readonly Argument[], options?: SubscribeOptions): Promise<unknown> {
    return this.#subscribe('pattern', patterns, options);
  }

  ssubscribe(channels: Argument | readonly Argument[], options?: SubscribeOptions): Promise<unknown> {
    return this.#subscribe('shard', channels, options);
  }

  #subscribe(
    kind: ChannelKind,
    names: Argument | readonly Argument[],
    options: SubscribeOptions | undefined,
  ): Promise<BufferedSubscription> {
    const isBytes = (this.format & ReplyFormat.bytes) !== 0;
    const list = Array.isArray(names) ? names : [names as Argument];
    return BufferedSubscription.open(
      this.transport,
      kind,
      list,
      { signal: this.signal, ...options },
      isBytes,
    );
  }

  // ---- scanning ----

  scan(options?: KeyScanOptions): AsyncIterableIterator<unknown> {
    return scanKeys(this, options);
  }

  hscan(key: Argument, options?: ScanOptions): AsyncIterableIterator<unknown> {
    return scanHash(this, key, options);
  }

  sscan(key: Argument, options?: ScanOptions): AsyncIterableIterator<unknown> {
    return scanSet(this, key, options);
  }

  zscan(key: Argument, options?: ScanOptions): AsyncIterableIterator<unknown> {
    return scanSortedSet(this, key, options);
  }

  // ---- life ----

  async duplicate(): Promise<StoreClient> {
    return new StoreClient(await this.transport.duplicate(), this.format, this.signal);
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

mixCommands(StoreClient.prototype);
