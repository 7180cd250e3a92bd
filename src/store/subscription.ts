import type { SubscribeOptions } from './store.js';
import { StoreError } from './store-error.js';
import { checkSignal, throwIfAborted } from './time.js';
import type { CallOptions, ChannelKind, Closable, MessageListener, Transport } from './transport.js';
import type { Argument } from './value.js';

type Text = string | Buffer;

interface Message {
  readonly channel: Text;
  readonly message: Text;
  readonly pattern: Text | null;
}

type Options = {
  readonly [Name in keyof SubscribeOptions]: SubscribeOptions[Name] | undefined;
} & CallOptions;

const BUFFER = 10_000;
const OVERFLOWS: readonly string[] = ['error', 'drop-oldest', 'drop-newest'];
const DONE: IteratorResult<Message> = { done: true, value: undefined };

/** A subscription with a bounded buffer of unread messages. */
export class BufferedSubscription implements MessageListener {
  dropped = 0;
  readonly #isBytes: boolean;
  readonly #capacity: number;
  readonly #overflow: NonNullable<SubscribeOptions['overflow']>;
  readonly #messages: Message[] = [];
  /** The index of the oldest message. Removing each message from the front of the array would copy it. */
  #head = 0;
  readonly #readers: {
    resolve(result: IteratorResult<Message>): void;
    reject(error: unknown): void;
  }[] = [];
  #connection: Closable | undefined;
  #isClosed = false;
  /** Why the subscription ended. Thrown once, after the buffered messages have been read. */
  #failure: StoreError | undefined;
  #stopListening: () => void = () => {};

  private constructor(options: Options, isBytes: boolean) {
    this.#isBytes = isBytes;
    this.#capacity = options.buffer ?? BUFFER;
    this.#overflow = options.overflow ?? 'error';
    if (!(this.#capacity >= 1)) throw new StoreError('OPTION', '`buffer` must be at least 1');
    if (!OVERFLOWS.includes(this.#overflow))
      throw new StoreError('OPTION', `\`overflow\` must be one of ${OVERFLOWS.join(', ')}`);
  }

  static async open(
    transport: Transport,
    kind: ChannelKind,
    names: readonly Argument[],
    options: Options,
    isBytes: boolean,
  ): Promise<BufferedSubscription> {
    const { signal } = options;
    checkSignal(signal);
    throwIfAborted(signal);
    if (names.length === 0) throw new StoreError('MISUSE', 'name at least one channel to subscribe to');
    const subscription = new BufferedSubscription(options, isBytes);
    const { timeout } = options;
    subscription.#connection = await transport.subscribe(kind, names, subscription, { signal, timeout });
    if (signal !== undefined) subscription.#endWith(signal);
    return subscription;
  }

  #endWith(signal: AbortSignal): void {
    const onAbort = (): void => void this.close();
    signal.addEventListener('abort', onAbort, { once: true });
    this.#stopListening = () => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  }

  // ---- receiving ----

  message(channel: Buffer, message: Buffer, pattern: Buffer | null): void {
    if (this.#isClosed || this.#failure !== undefined) return;
    const received: Message = {
      channel: this.#text(channel),
      message: this.#text(message),
      pattern: pattern === null ? null : this.#text(pattern),
    };
    const reader = this.#readers.shift();
    if (reader !== undefined) reader.resolve({ done: false, value: received });
    else if (this.#messages.length - this.#head < this.#capacity) this.#messages.push(received);
    else this.#overflowWith(received);
  }

  #text(bytes: Buffer): Text {
    return this.#isBytes ? bytes : bytes.toString();
  }

  #overflowWith(received: Message): void {
    if (this.#overflow === 'error') {
      this.ended(
        new StoreError(
          'OVERFLOW',
          `more than ${this.#capacity} messages are waiting to be read: read faster, or raise \`buffer\``,
        ),
      );
      return;
    }
    this.dropped++;
    if (this.#overflow === 'drop-newest') return;
    this.#take();
    this.#messages.push(received);
  }

  ended(error: StoreError): void {
    if (this.#isClosed) return;
    this.#failure ??= error;
    for (const reader of this.#readers.splice(0)) reader.reject(this.#failure);
    void this.#disconnect();
  }

  // ---- reading ----

  next(): Promise<IteratorResult<Message>> {
    if (this.#head < this.#messages.length) return Promise.resolve({ done: false, value: this.#take() });
    if (this.#isClosed) return Promise.resolve(DONE);
    if (this.#failure !== undefined) {
      this.#isClosed = true;
      return Promise.reject(this.#failure);
    }
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
  }

  #take(): Message {
    const message = this.#messages[this.#head] as Message;
    this.#head++;
    if (this.#head * 2 > this.#messages.length) {
      this.#messages.splice(0, this.#head);
      this.#head = 0;
    }
    return message;
  }

  async return(): Promise<IteratorResult<Message>> {
    await this.close();
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#messages.length = 0;
    this.#head = 0;
    for (const reader of this.#readers.splice(0)) reader.resolve(DONE);
    await this.#disconnect();
  }

  async #disconnect(): Promise<void> {
    this.#stopListening();
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
