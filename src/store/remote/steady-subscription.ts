import { EngineClosed } from '../connector/engine-closed.js';
import { StoreError } from '../store-error.js';
import { systemTime } from '../time.js';
import type { ChannelKind, Closable, MessageListener } from '../transport.js';
import type { Argument } from '../value.js';
import { pauseBefore } from './reconnecting.js';
import type { RemoteDriver } from './remote-driver.js';

/** A subscription that is made again when its connection is lost. Messages published in between are missed. */
export class SteadySubscription implements Closable, MessageListener {
  readonly #driver: RemoteDriver;
  readonly #kind: ChannelKind;
  readonly #names: readonly Argument[];
  readonly #listener: MessageListener;
  readonly #closing = new AbortController();
  #connection: Closable | undefined;

  constructor(
    driver: RemoteDriver,
    kind: ChannelKind,
    names: readonly Argument[],
    listener: MessageListener,
  ) {
    this.#driver = driver;
    this.#kind = kind;
    this.#names = names;
    this.#listener = listener;
  }

  /** Resolves when the server has confirmed the subscription. Tries again while there is no connection. */
  async open(onFailure: (error: StoreError) => void): Promise<void> {
    const { signal } = this.#closing;
    for (let attempt = 1; ; attempt++) {
      try {
        const connection = await this.#driver.subscribe(this.#kind, this.#names, this, signal);
        if (signal.aborted) await connection.close();
        else this.#connection = connection;
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof StoreError) || !isTemporary(error)) throw error;
        onFailure(error);
        if (error.code === 'MOVED') await this.#driver.refresh();
        await systemTime.sleep(pauseBefore(attempt), { signal }).catch(() => {});
        if (signal.aborted) return;
        if (this.#driver.kind === 'cluster') await this.#driver.refresh();
      }
    }
  }

  message(channel: Buffer, message: Buffer, pattern: Buffer | null): void {
    this.#listener.message(channel, message, pattern);
  }

  /** The connection was lost. */
  ended(): void {
    if (this.#closing.signal.aborted) return;
    this.#connection = undefined;
    this.open(() => {}).catch((error: StoreError) => this.#listener.ended(error));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connection?.close();
    this.#connection = undefined;
  }
}

/** Whether trying again may help. */
export function isTemporary(error: StoreError): boolean {
  return !(error instanceof EngineClosed) && TEMPORARY.has(error.code);
}

const TEMPORARY: ReadonlySet<string> = new Set([
  'UNREACHABLE',
  'MOVED',
  'LOADING',
  'CLUSTERDOWN',
  'TRYAGAIN',
]);
