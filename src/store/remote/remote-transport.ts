import { nameOf, type ReplyTransformer, type WireCommand } from '../command-runner.js';
import { type StoreError, storeClosed } from '../store-error.js';
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
  TransportListener,
} from '../transport.js';
import type { Argument } from '../value.js';
import { BlockingCalls } from './blocking-calls.js';
import { LinkPool } from './link-pool.js';
import { type CallLimits, type PendingCall, PendingCalls } from './pending-calls.js';
import type { RemoteDriver, RemoteSender } from './remote-driver.js';
import { beforeNext, isWorthRepeating, untilAnswered } from './retrying.js';
import { SteadySubscription } from './steady-subscription.js';

/** The state that a transport and its duplicates share. */
export interface RemoteHome {
  /** The clock of their stores. Default: the system's. */
  readonly time?: StoreTime;
  /** The transports to close when their engine is closed. */
  readonly users?: Set<Closable>;
  /** The default time limit of a call, in ms. */
  readonly commandTimeout: number;
}

/** The transport of stores on a server, with any client library. */
export class RemoteTransport implements Transport {
  readonly time: StoreTime;
  readonly #driver: RemoteDriver;
  readonly #home: RemoteHome;
  readonly #pool: LinkPool;
  readonly #calls = new PendingCalls();
  readonly #blocking: BlockingCalls;
  readonly #subscriptions = new Map<SteadySubscription, MessageListener>();
  readonly #listeners = new Set<TransportListener>();
  readonly #closing = new AbortController();
  readonly #defaultLimits: CallLimits;

  constructor(driver: RemoteDriver, home: RemoteHome) {
    this.#driver = driver;
    this.#home = home;
    this.#defaultLimits = { timeout: home.commandTimeout };
    this.time = home.time ?? systemTime;
    home.users?.add(this);
    this.#pool = new LinkPool(driver);
    this.#blocking = new BlockingCalls(driver, this.#pool, this.#calls, home.commandTimeout);
    driver.listen((name, event) => {
      for (const listener of this.#listeners) listener(name, event);
    });
  }

  get kind(): RemoteDriver['kind'] {
    return this.#driver.kind;
  }

  #limits(options: CallOptions | undefined): CallLimits {
    if (options === undefined) return this.#defaultLimits;
    return { signal: options.signal, timeout: options.timeout ?? this.#home.commandTimeout };
  }

  // ---- commands ----

  send(
    command: WireCommand,
    args: readonly Argument[],
    format: number,
    transform?: ReplyTransformer,
    options?: CallOptions,
  ): Promise<unknown> {
    return this.#send(this.#driver, { command, args }, format, transform, options);
  }

  #send(
    sender: RemoteSender,
    request: Request,
    format: number,
    transform?: ReplyTransformer,
    options?: CallOptions,
    kind = this.kind,
  ): Promise<unknown> {
    const limits = this.#limits(options);
    const { command } = request;
    return this.#calls.run(
      nameOf(command),
      command.words[0] === 'WAIT' ? withWaiting(limits, request) : limits,
      (call) => {
        this.#dropWhenSilent(call, limits, sender, request);
        return untilAnswered(kind, sender, call, [request], () => sender.send(request, format, call));
      },
      transform,
    );
  }

  sendMany(requests: readonly Request[], format: number, options?: CallOptions): Promise<readonly Reply[]> {
    const driver = this.#driver;
    const limits = this.#limits(options);
    return this.#calls.run('a pipeline', limits, async (call) => {
      this.#dropWhenSilent(call, limits, driver, requests[0]);
      const replies: Reply[] = [];
      let left = requests.map((request, index) => ({ request, index }));
      for (let attempt = 1; ; attempt++) {
        const again: typeof left = [];
        let failure: StoreError | undefined;
        const batch = left.map(({ request }) => request);
        const answers = await untilAnswered(this.kind, driver, call, batch, () =>
          driver.sendMany(batch, format, call),
        );
        for (const [position, answer] of answers.entries()) {
          const { request, index } = left[position] as (typeof left)[number];
          replies[index] = answer;
          if (!isWorthRepeating(this.kind, answer, [request])) continue;
          failure ??= answer;
          again.push({ request, index });
        }
        if (failure === undefined || call.isOver) return replies;
        await beforeNext(driver, call, failure, attempt, again[0]?.request);
        if (call.isOver) return replies;
        left = again;
      }
    });
  }

  execute(requests: readonly Request[], format: number, options?: CallOptions): Promise<readonly Reply[]> {
    const driver = this.#driver;
    const limits = this.#limits(options);
    return this.#calls.run('a transaction', limits, async (call) => {
      this.#dropWhenSilent(call, limits, driver, requests[0]);
      const replies = await untilAnswered(this.kind, driver, call, requests, () =>
        driver.execute(requests, format, call),
      );
      return replies ?? [];
    });
  }

  /**
   * Replaces the connection if a command is not answered within `commandTimeout`: it may be dead. A shorter limit of one
   * call is no reason to interrupt other calls.
   */
  #dropWhenSilent(
    call: PendingCall,
    { timeout }: CallLimits,
    sender: RemoteSender,
    request: Request | undefined,
  ): void {
    if (timeout < this.#home.commandTimeout) return;
    call.onLeave = ({ code }) => {
      if (code === 'TIMEOUT') sender.drop(request, `no answer to ${call.name} within ${timeout} ms`);
    };
  }

  servers(): readonly NamedServer[] {
    this.#assertOpen();
    // A node of a Cluster is asked by itself: that another has the key (MOVED) is its answer.
    const kind = this.kind === 'cluster' ? 'standalone' : this.kind;
    return this.#driver.servers().map((server) => ({
      name: server.name,
      send: (command, args, format, transform, options) =>
        this.#send(server, { command, args }, format, transform, options, kind),
    }));
  }

  // ---- separate connections ----

  sendBlocking(request: Request, format: number, options?: CallOptions): Promise<Reply> {
    return this.#blocking.send(request, format, options);
  }

  connect(key: Argument, options?: CallOptions): Promise<Connection> {
    return this.#blocking.connect(key, this.#limits(options));
  }

  async subscribe(
    kind: ChannelKind,
    names: readonly Argument[],
    listener: MessageListener,
    options?: CallOptions,
  ): Promise<Closable> {
    const subscription = new SteadySubscription(this.#driver, kind, names, listener);
    await this.#calls.run('SUBSCRIBE', this.#limits(options), (call) => {
      call.onLeave = () => void subscription.close();
      return subscription.open((error) => {
        call.offline = () => error;
      });
    });
    this.#subscriptions.set(subscription, listener);
    return {
      close: async () => {
        this.#subscriptions.delete(subscription);
        await subscription.close();
      },
    };
  }

  // ---- life cycle ----

  listen(listener: TransportListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async duplicate(): Promise<RemoteTransport> {
    const driver = await this.#calls.run('duplicate', this.#defaultLimits, async (call) => {
      const leaving = new AbortController();
      call.onLeave = (error) => leaving.abort(error);
      const made = await this.#driver.duplicate(leaving.signal);
      if (call.isOver) made.close();
      return made;
    });
    return new RemoteTransport(driver, this.#home);
  }

  /** Ends all running calls at once, even if the server does not answer. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#home.users?.delete(this);
    this.#calls.close();
    for (const [subscription, listener] of this.#subscriptions) {
      listener.ended(storeClosed());
      void subscription.close();
    }
    this.#subscriptions.clear();
    this.#pool.close();
    this.#driver.close();
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw storeClosed();
  }
}

/** Adds WAIT's own timeout to the limit; 0 means no timeout. */
function withWaiting({ signal, timeout }: CallLimits, { args }: Request): CallLimits {
  const waiting = Number(args[1]) || Number.POSITIVE_INFINITY;
  return { signal, timeout: timeout + waiting };
}
