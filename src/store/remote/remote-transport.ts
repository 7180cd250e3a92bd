import type { ReplyTransformer, WireCommand } from '../command-runner.js';
import { EngineClosed } from '../connector/engine-closed.js';
import { StoreError } from '../store-error.js';
import { type StoreTime, systemTime, throwIfAborted } from '../time.js';
import type {
  ChannelKind,
  Closable,
  Connection,
  MessageListener,
  Reply,
  Request,
  Transport,
} from '../transport.js';
import type { Argument } from '../value.js';
import { LinkPool, type PooledLink } from './link-pool.js';
import type { RemoteDriver } from './remote-driver.js';

const EXISTS: WireCommand = { words: ['EXISTS'] };

/** What a transport and its duplicates have in common. */
export interface RemoteHome {
  /** Time as their stores see it. Default: the system's. */
  readonly time?: StoreTime;
  /** Those who are to be closed when the place they lead to is no more. */
  readonly users?: Set<Closable>;
}

/** The way to a server, by whatever client. */
export class RemoteTransport implements Transport {
  readonly time: StoreTime;
  readonly #driver: RemoteDriver;
  readonly #home: RemoteHome;
  readonly #pool: LinkPool;
  /** What waits, to be ended with the store. */
  readonly #waits = new Set<(error: StoreError) => void>();
  #closed: Promise<void> | undefined;

  constructor(driver: RemoteDriver, home: RemoteHome = {}) {
    this.#driver = driver;
    this.#home = home;
    this.time = home.time ?? systemTime;
    home.users?.add(this);
    this.#pool = new LinkPool(driver);
  }

  get kind(): RemoteDriver['kind'] {
    return this.#driver.kind;
  }

  async send(
    command: WireCommand,
    args: readonly Argument[],
    format: number,
    transform?: ReplyTransformer,
  ): Promise<unknown> {
    this.#assertOpen();
    const reply = await this.#driver.send({ command, args }, format);
    return transform === undefined ? reply : transform(reply);
  }

  async sendMany(requests: readonly Request[], format: number): Promise<readonly Reply[]> {
    this.#assertOpen();
    return this.#driver.sendMany(requests, format);
  }

  async execute(requests: readonly Request[], format: number): Promise<readonly Reply[]> {
    this.#assertOpen();
    return (await this.#driver.execute(requests, format)) ?? [];
  }

  // ---- waiting ----

  async sendBlocking(request: Request, format: number, signal: AbortSignal | undefined): Promise<Reply> {
    for (let attempt = 1; ; attempt++) {
      this.#assertOpen();
      throwIfAborted(signal);
      try {
        return await this.#sendBlockingOnce(request, format, signal);
      } catch (error) {
        if (!isPassing(error) || attempt >= MOST_ATTEMPTS || this.#closed !== undefined) throw error;
        await this.#pauseAfter(error, attempt, signal);
      }
    }
  }

  async #pauseAfter({ code }: StoreError, attempt: number, signal?: AbortSignal): Promise<void> {
    if (code === 'MOVED') return this.#driver.refresh();
    const pause = Math.min(attempt * 50, LONGEST_PAUSE_MS);
    await systemTime.sleep(pause, signal === undefined ? {} : { signal });
    // A replica may have taken the place of a master that is gone.
    if (this.kind === 'cluster') await this.#driver.refresh();
  }

  async #sendBlockingOnce(request: Request, format: number, signal: AbortSignal | undefined): Promise<Reply> {
    const link = await this.#pool.take(this.#driver.keyOf(request));
    let isOver = false;
    let unblocked: Promise<void> | undefined;
    const onAbort = (): void => {
      unblocked = this.#pool.unblock(link, () => isOver);
    };
    const end = (): void => link.close();
    this.#waits.add(end);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    try {
      const reply = await link.send(request, format);
      // Whoever was served before the signal came gets what was taken for it: it would be lost otherwise.
      if (reply === null) throwIfAborted(signal);
      return reply;
    } catch (error) {
      this.#assertOpen();
      throwIfAborted(signal);
      throw error;
    } finally {
      isOver = true;
      signal?.removeEventListener('abort', onAbort);
      this.#waits.delete(end);
      // It must not hit the next command on the link.
      await unblocked;
      this.#pool.giveBack(link);
    }
  }

  // ---- connections of one's own ----

  async connect(key: Argument): Promise<Connection> {
    this.#assertOpen();
    const link = await this.#takeLinkTo(key);
    let isUsable = true;
    const guard = async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await work;
      } catch (error) {
        if (!(error instanceof StoreError) || !isReply(error)) isUsable = false;
        throw error;
      }
    };
    let isClean = true;
    return {
      send: (request, format) => {
        const [name] = request.command.words;
        if (name === 'WATCH') isClean = false;
        else if (name === 'UNWATCH') isClean = true;
        return guard(link.send(request, format));
      },
      execute: async (requests, format) => {
        const replies = await guard(link.execute(requests, format));
        isClean = true;
        return replies;
      },
      close: async () => {
        if (isUsable && isClean) this.#pool.giveBack(link);
        else this.#pool.discard(link);
      },
    };
  }

  /** Tried again like a command: nothing has been done yet. */
  async #takeLinkTo(key: Argument): Promise<PooledLink> {
    for (let attempt = 1; ; attempt++) {
      this.#assertOpen();
      try {
        return await this.#takeProvenLink(key);
      } catch (error) {
        this.#assertOpen();
        if (!isPassing(error) || attempt >= MOST_ATTEMPTS) throw error;
        await this.#pauseAfter(error, attempt);
      }
    }
  }

  /** In a Cluster the server says itself whether it has the key. */
  async #takeProvenLink(key: Argument): Promise<PooledLink> {
    const link = await this.#pool.take(key);
    if (this.kind !== 'cluster') return link;
    try {
      await link.send({ command: EXISTS, args: [key] }, 0);
      return link;
    } catch (error) {
      this.#pool.discard(link);
      throw error;
    }
  }

  async subscribe(
    kind: ChannelKind,
    names: readonly Argument[],
    listener: MessageListener,
  ): Promise<Closable> {
    this.#assertOpen();
    const subscription = await this.#driver.subscribe(kind, names, listener);
    if (this.#closed !== undefined) {
      await subscription.close();
      throw closed();
    }
    const end = (error: StoreError): void => listener.ended(error);
    this.#waits.add(end);
    return {
      close: async () => {
        this.#waits.delete(end);
        await subscription.close();
      },
    };
  }

  servers(): readonly Pick<Transport, 'send'>[] {
    this.#assertOpen();
    return this.#driver.servers().map((server) => ({
      send: (command: WireCommand, args: readonly Argument[], format: number) =>
        server.send({ command, args }, format),
    }));
  }

  // ---- life ----

  async duplicate(): Promise<RemoteTransport> {
    this.#assertOpen();
    return new RemoteTransport(await this.#driver.duplicate(), this.#home);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#home.users?.delete(this);
    const error = closed();
    for (const end of [...this.#waits]) end(error);
    this.#pool.close();
    await this.#driver.close();
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw closed();
  }
}

function closed(): StoreError {
  return new StoreError('CLOSED', 'the store is closed');
}

/** Whether trying again may help: the connection broke, or the key has moved. */
function isPassing(error: unknown): error is StoreError {
  return (
    error instanceof StoreError &&
    !(error instanceof EngineClosed) &&
    (error.code === 'CLOSED' ||
      error.code === 'UNREACHABLE' ||
      error.code === 'MOVED' ||
      error.code === 'LOADING')
  );
}

/** Whether the server said so, and the connection is as good as before. */
function isReply({ code }: StoreError): boolean {
  return code !== 'CLOSED' && code !== 'UNREACHABLE' && code !== 'TIMEOUT';
}

const MOST_ATTEMPTS = 20;
const LONGEST_PAUSE_MS = 2_000;
