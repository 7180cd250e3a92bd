import type { WireCommand } from '../command-runner.js';
import { StoreError } from '../store-error.js';
import { aborted, systemTime, throwIfAborted } from '../time.js';
import type { CallOptions, Connection, Reply, Request } from '../transport.js';
import type { Argument } from '../value.js';
import { waitingTime } from '../wire-command.js';
import { redirectionOf } from './cluster-slots.js';
import { HEARTBEAT_MS } from './heartbeat.js';
import { asking, type LinkPool, type PooledLink } from './link-pool.js';
import type { CallLimits, PendingCalls } from './pending-calls.js';
import { pauseBefore } from './reconnecting.js';
import type { RemoteDriver } from './remote-driver.js';
import { changesNothing, isRepeatable } from './repeatable.js';
import { isTemporary } from './steady-subscription.js';

const EXISTS: WireCommand = { words: ['EXISTS'] };
const PING: WireCommand = { words: ['PING'] };

/** Where to make a call: at the server that has the key or, after ASK, at the server that the key's slot moves to. */
interface Target {
  readonly key: Argument | undefined;
  readonly askedAt?: string | undefined;
}

/** A link, and the sender to use for it, which sends ASKING first where needed. */
interface Placed {
  readonly link: PooledLink;
  readonly sender: Pick<PooledLink, 'send' | 'execute'>;
}

/** Calls that have a connection of their own: commands that wait in the server, and transactions that watch keys. */
export class BlockingCalls {
  readonly #driver: RemoteDriver;
  readonly #pool: LinkPool;
  readonly #calls: PendingCalls;
  readonly #commandTimeout: number;
  readonly #waiting = new Set<PooledLink>();
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(driver: RemoteDriver, pool: LinkPool, calls: PendingCalls, commandTimeout: number) {
    this.#driver = driver;
    this.#pool = pool;
    this.#calls = calls;
    this.#commandTimeout = commandTimeout;
  }

  // ---- commands that wait ----

  /**
   * The call has `commandTimeout` to reach the server, then as long as the command's own timeout says. If the connection
   * is lost, a command that only reads (XREAD) is sent again. A command that removes elements (BLPOP) is not: the server
   * may have executed it.
   *
   * WAIT covers the writes before the last command of its own connection, but other connections made them. So a PING is sent
   * first: WAIT then covers every write whose reply has arrived.
   */
  async send(request: Request, format: number, { signal, timeout }: CallOptions = {}): Promise<Reply> {
    const key = this.#driver.keyOf(request);
    const placing = { timeout: timeout ?? this.#commandTimeout, signal };
    const waiting = waitingTime(request.command, request.args);
    const end = systemTime.monotonic() + waiting;
    let target: Target = { key };
    for (let attempt = 1; ; attempt++) {
      throwIfAborted(signal);
      const placed = await this.#place(request.command.words.join(' '), target, placing);
      try {
        const left = Math.max(0, end - systemTime.monotonic());
        return await this.#wait(placed, request, format, left + (timeout ?? this.#commandTimeout), signal);
      } catch (error) {
        if (!mayBeRepeated(error, request) || attempt >= MAX_ATTEMPTS) throw error;
        if (attempt > 1 && systemTime.monotonic() >= end) return null;
        target = { key, askedAt: await this.#nextPlace(error, attempt) };
      }
    }
  }

  #wait(
    { link, sender }: Placed,
    request: Request,
    format: number,
    timeout: number,
    signal: AbortSignal | undefined,
  ): Promise<Reply> {
    return this.#calls.run(request.command.words.join(' '), { timeout }, async (call) => {
      call.mayHaveRun = !changesNothing(request);
      call.onLeave = () => this.#pool.discard(link);
      let unblocked: Promise<void> | undefined;
      const onAbort = (): void => {
        unblocked = this.#pool.unblock(link, () => call.isOver || isAnswered);
      };
      let isAnswered = false;
      signal?.addEventListener('abort', onAbort, { once: true });
      if (signal?.aborted === true) onAbort();
      this.#watch(link);
      try {
        if (request.command.words[0] === 'WAIT') await sender.send({ command: PING, args: [] }, 0);
        const reply = await sender.send(request, format);
        // An element that the server removed before the signal came is returned: it would be lost otherwise.
        if (reply === null) throwIfAborted(signal);
        return reply;
      } catch (error) {
        if (signal?.aborted === true) throw aborted(signal, error instanceof StoreError && error.mayHaveRun);
        throw error;
      } finally {
        isAnswered = true;
        signal?.removeEventListener('abort', onAbort);
        this.#unwatch(link);
        // CLIENT UNBLOCK must not reach the next command on the link.
        await unblocked;
        if (!call.isOver) this.#pool.giveBack(link);
      }
    });
  }

  // ---- transactions that watch ----

  async connect(key: Argument, limits: CallLimits): Promise<Connection> {
    const { link, sender } = await this.#place('WATCH', { key }, limits, true);
    const { timeout } = limits;
    let isUsable = true;
    let isClean = true;
    const bounded = <T>(request: Request | undefined, work: () => Promise<T>): Promise<T> =>
      this.#calls.run(request?.command.words.join(' ') ?? 'a transaction', { timeout }, async (call) => {
        call.mayHaveRun = request === undefined || !changesNothing(request);
        call.onLeave = () => {
          isUsable = false;
          this.#pool.discard(link);
        };
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof StoreError) || error.code === 'UNREACHABLE') isUsable = false;
          throw error;
        }
      });
    return {
      send: (request, format) => {
        const [name] = request.command.words;
        if (name === 'WATCH') isClean = false;
        else if (name === 'UNWATCH') isClean = true;
        return bounded(request, () => sender.send(request, format));
      },
      execute: async (requests, format) => {
        const replies = await bounded(undefined, () => sender.execute(requests, format));
        isClean = true;
        return replies;
      },
      close: async () => {
        if (isUsable && isClean) this.#pool.giveBack(link);
        else this.#pool.discard(link);
      },
    };
  }

  // ---- links ----

  /** Takes a link to the server that has the key. In a Cluster with `isProven`, asks that server to confirm it. */
  #place(name: string, first: Target, limits: CallLimits, isProven = false): Promise<Placed> {
    return this.#calls.run(name, limits, async (call) => {
      let target = first;
      for (let attempt = 1; ; attempt++) {
        try {
          const placed = await this.#take(target, isProven);
          if (call.isOver) this.#pool.giveBack(placed.link);
          return placed;
        } catch (error) {
          if (call.isOver || !isRetriable(error)) throw error;
          call.offline = () => error;
          target = { key: first.key, askedAt: await this.#nextPlace(error, attempt) };
          if (call.isOver) throw error;
        }
      }
    });
  }

  async #take({ key, askedAt }: Target, isProven: boolean): Promise<Placed> {
    const link = await this.#pool.take(askedAt ?? this.#driver.placeOf(key));
    const sender = askedAt === undefined ? link : asking(link);
    if (!isProven || this.#driver.kind !== 'cluster' || key === undefined) return { link, sender };
    try {
      await sender.send({ command: EXISTS, args: [key] }, 0);
      return { link, sender };
    } catch (error) {
      this.#pool.discard(link);
      throw error;
    }
  }

  /** Waits until another attempt may help. Returns the server that an ASK redirection names, if there was one. */
  async #nextPlace(error: StoreError, attempt: number): Promise<string | undefined> {
    const redirection = redirectionOf(error);
    if (redirection?.kind === 'ASK') return redirection.place;
    await systemTime.sleep(pauseBefore(attempt));
    if (this.#driver.kind === 'cluster') await this.#driver.refresh();
    return undefined;
  }

  // ---- servers that do not answer ----

  #watch(link: PooledLink): void {
    this.#waiting.add(link);
    this.#heartbeat ??= setInterval(() => this.#probe(), HEARTBEAT_MS).unref();
  }

  #unwatch(link: PooledLink): void {
    this.#waiting.delete(link);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  /** Without this, an endless wait would not notice a server that has gone without closing the connection. */
  #probe(): void {
    const byPlace = new Map([...this.#waiting].map((link) => [link.place, link]));
    for (const [place] of byPlace) {
      const links = [...this.#waiting].filter((link) => link.place === place);
      void this.#pool.probe(place, this.#commandTimeout).then((answers) => {
        if (!answers) for (const link of links) link.close();
      });
    }
  }
}

function isRetriable(error: unknown): error is StoreError {
  return error instanceof StoreError && (isTemporary(error) || error.code === 'ASK');
}

function mayBeRepeated(error: unknown, request: Request): error is StoreError {
  return isRetriable(error) && (!error.mayHaveRun || isRepeatable(request));
}

const MAX_ATTEMPTS = 20;
