import { ReplyFormat } from '../resp/reply-reader.js';
import { asQueued, CommandBatch, pick } from './command-batch.js';
import type { CommandRunner, ReplyTransformer, WireCommand } from './command-runner.js';
import { mixCommands } from './commands/index.js';
import { checkFields } from './commands/options.js';
import { runTransaction, type TransactionBuilder } from './optimistic-transaction.js';
import { scanHash, scanKeys, scanSet, scanSortedSet } from './scanning.js';
import type { ScriptDefinition } from './script.js';
import { compileScript, insteadOf } from './script-binding.js';
import type {
  KeyScanOptions,
  PipelineOptions,
  ScanOptions,
  StoreEvents,
  SubscribeOptions,
  WatchOptions,
} from './store.js';
import { StoreError } from './store-error.js';
import { BufferedSubscription } from './subscription.js';
import { checkSignal, type StoreTime, throwIfAborted } from './time.js';
import type { CallOptions, ChannelKind, Transport } from './transport.js';
import type { Argument, Queued } from './value.js';
import { blocks, commandNamed } from './wire-command.js';

/**
 * The implementation of `Store` on any transport. A store and its views (`bytes`, `exact`, `with`) share the transport and
 * differ in how they convert replies. This class is the same for all shapes; the public types (`Store<S>`) are exact.
 */
export class StoreClient implements CommandRunner {
  readonly transport: Transport;
  readonly format: number;
  /** The limits of all calls, if this is a view made by `with`. */
  readonly options: CallOptions | undefined;

  constructor(transport: Transport, format = 0, options?: CallOptions) {
    this.transport = transport;
    this.format = format;
    this.options = options;
  }

  get signal(): AbortSignal | undefined {
    return this.options?.signal;
  }

  get kind(): Transport['kind'] {
    return this.transport.kind;
  }

  get time(): StoreTime {
    return this.transport.time;
  }

  // ---- views ----

  protected view(format: number, options: CallOptions | undefined): StoreClient {
    return new StoreClient(this.transport, format, options);
  }

  get bytes(): StoreClient {
    return this.view(this.format | ReplyFormat.bytes, this.options);
  }

  get exact(): StoreClient {
    return this.view(this.format | ReplyFormat.exact, this.options);
  }

  with(options: CallOptions): StoreClient {
    checkFields('with', options, ['signal', 'timeout']);
    const { signal = this.options?.signal, timeout = this.options?.timeout } = options;
    checkSignal(signal);
    if (timeout !== undefined && !(timeout > 0)) {
      throw new StoreError('OPTION', '`timeout` must be a number of milliseconds above 0, or Infinity');
    }
    return this.view(this.format, { signal, timeout });
  }

  // ---- commands ----

  run(command: WireCommand, args: readonly Argument[], transform?: ReplyTransformer): Promise<unknown> {
    const { options } = this;
    if (options?.signal !== undefined || (command.blocks !== undefined && command.blocks !== false)) {
      return this.#runLimited(command, args, transform);
    }
    return this.transport.send(command, args, this.format, transform, options);
  }

  async #runLimited(
    command: WireCommand,
    args: readonly Argument[],
    transform: ReplyTransformer | undefined,
  ): Promise<unknown> {
    const { options, transport, format } = this;
    throwIfAborted(options?.signal);
    if (!blocks(command, args)) return transport.send(command, args, format, transform, options);
    const reply = await transport.sendBlocking({ command, args }, format, options);
    return transform === undefined ? reply : transform(reply);
  }

  /** Called by typed methods if their options are invalid. */
  refuse(error: unknown): Promise<never> {
    return Promise.reject(error);
  }

  send(name: string, ...args: Argument[]): Promise<unknown> {
    try {
      return this.run(commandNamed(name, args), args);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  script(definition: ScriptDefinition): (inputs: Readonly<Record<string, unknown>>) => Promise<unknown> {
    const { byDigest, parameters } = compileScript(definition);
    const { reply } = definition;
    const { sendsInFull } = this.transport;
    // Not `async`: most calls of the kit come through here, and each promise costs time.
    return (inputs) => {
      try {
        const args = parameters(inputs);
        const sent = this.run(byDigest, args, reply);
        if (sendsInFull === true) return sent;
        return sent.catch((error: unknown) => {
          const instead = insteadOf(byDigest, args, error);
          if (instead === undefined) throw error;
          return this.run(instead.command, instead.args, reply);
        });
      } catch (error) {
        return Promise.reject(error);
      }
    };
  }

  async pipeline(
    build: (queue: CommandBatch) => readonly Queued<unknown>[],
    options: PipelineOptions = {},
  ): Promise<unknown[]> {
    checkFields('pipeline', options, ['settle']);
    throwIfAborted(this.signal);
    const batch = new CommandBatch();
    const queued = asQueued(build(batch));
    const waiting = batch.requests.find(({ command, args }) => blocks(command, args));
    if (waiting !== undefined) {
      const name = waiting.command.words.join(' ');
      throw new StoreError(
        'MISUSE',
        `${name} would block all other commands of the pipeline: call it separately`,
      );
    }
    if (batch.requests.length === 0) return [];
    const replies = await this.transport.sendMany(batch.requests, this.format, this.options);
    const results = batch.results(replies);
    return options.settle === true ? queued.map(({ index }) => results[index]) : pick(results, queued);
  }

  async transaction(
    ...given:
      | [build: (queue: CommandBatch) => readonly Queued<unknown>[]]
      | [options: WatchOptions, build: TransactionBuilder]
  ): Promise<unknown[] | undefined> {
    throwIfAborted(this.signal);
    if (given.length === 2) return runTransaction(this, ...given);
    const batch = new CommandBatch();
    const queued = asQueued(given[0](batch));
    if (batch.requests.length === 0) return [];
    const replies = await this.transport.execute(batch.requests, this.format, this.options);
    return pick(batch.results(replies), queued);
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

  async #subscribe(
    kind: ChannelKind,
    names: Argument | readonly Argument[],
    options: SubscribeOptions | undefined,
  ): Promise<BufferedSubscription> {
    if (options !== undefined) checkFields('subscribe', options, ['buffer', 'overflow', 'signal']);
    const isBytes = (this.format & ReplyFormat.bytes) !== 0;
    const list = Array.isArray(names) ? names : [names as Argument];
    return BufferedSubscription.open(this.transport, kind, list, { ...this.options, ...options }, isBytes);
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

  // ---- life cycle ----

  async duplicate(): Promise<StoreClient> {
    return new StoreClient(await this.transport.duplicate(), this.format, this.options);
  }

  on<Name extends keyof StoreEvents>(name: Name, listener: (event: StoreEvents[Name]) => void): () => void {
    if (!EVENTS.has(name) || typeof listener !== 'function') {
      const names = [...EVENTS].join("', '");
      throw new StoreError('MISUSE', `on() takes one of '${names}' and a function`);
    }
    return this.transport.listen((told: string, event) => {
      if (told === name) tell(listener, event as unknown as StoreEvents[Name]);
    });
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const EVENTS: ReadonlySet<string> = new Set<keyof StoreEvents>(['disconnected', 'reconnected']);

/** A listener that throws must not stop the store from reconnecting. Its error is reported as uncaught. */
function tell<Event>(listener: (event: Event) => void, event: Event): void {
  try {
    listener(event);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

mixCommands(StoreClient.prototype);
