import { EngineClosed } from '../connector/engine-closed.js';
import { StoreError } from '../store-error.js';
import { systemTime } from '../time.js';
import type { TransportListener } from '../transport.js';
import type { RemoteLink } from './remote-driver.js';

export interface SteadyLinkOptions {
  /** The server's name in error texts. */
  readonly server: string;
  connect(signal: AbortSignal): Promise<RemoteLink>;
  /** How long to wait before an attempt to reconnect, counted from 1; null to give up. */
  pauseBefore(attempt: number): number | null;
  readonly tell: TransportListener;
}

/** A connection that is made again when it is lost, until it is closed. */
export class SteadyLink {
  readonly #options: SteadyLinkOptions;
  readonly #closing = new AbortController();
  #link: RemoteLink | undefined;
  /** While there is no connection: what calls wait for. */
  #gate: Gate | undefined;
  /** Why there is no connection. */
  #reason: StoreError;

  /** If no link is given, the first connection is made now. */
  constructor(options: SteadyLinkOptions, link?: RemoteLink) {
    this.#options = options;
    this.#reason = new StoreError('UNREACHABLE', `there is no connection to ${options.server} yet`);
    if (link !== undefined) this.#use(link);
    else void this.#reconnect(undefined);
  }

  /** The connection. Throws `UNREACHABLE` while there is none. */
  get link(): RemoteLink {
    const link = this.#link;
    if (link === undefined || this.#gate !== undefined) throw this.#reason;
    if (!link.isAlive) {
      this.#lost(link, undefined);
      throw this.#reason;
    }
    return link;
  }

  get isConnected(): boolean {
    return this.#gate === undefined && this.#link?.isAlive === true;
  }

  /** The latest reason why there is no connection; undefined if there is one. */
  get problem(): StoreError | undefined {
    return this.isConnected ? undefined : this.#reason;
  }

  /** Resolves when there is a connection. Waiting calls continue in the order in which they came. */
  ready(): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.reject(this.#reason);
    return this.#gate?.opened ?? Promise.resolve();
  }

  /** Replaces the connection. */
  drop(reason: string): void {
    const link = this.#link;
    if (link === undefined) return;
    this.#lost(link, new Error(reason));
    link.close();
  }

  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#end(new StoreError('CLOSED', 'the connection was closed'));
    this.#link?.close();
    this.#link = undefined;
  }

  #end(reason: StoreError): void {
    this.#reason = reason;
    this.#closing.abort();
    this.#gate?.fail(reason);
  }

  #use(link: RemoteLink): void {
    this.#link = link;
    link.onEnd((error) => this.#lost(link, error));
  }

  #lost(link: RemoteLink, cause: Error | undefined): void {
    if (this.#link !== link || this.#closing.signal.aborted) return;
    this.#link = undefined;
    const { server, tell } = this.#options;
    const text = `the connection to ${server} was lost${cause === undefined ? '' : `: ${cause.message}`}`;
    this.#reason = new StoreError('UNREACHABLE', text, { cause });
    void this.#reconnect(systemTime.monotonic());
    tell('disconnected', { server, error: this.#reason });
  }

  async #reconnect(lostAt: number | undefined): Promise<void> {
    const gate = new Gate();
    this.#gate = gate;
    // This handler comes first: the gate is removed before the first waiting call continues.
    gate.opened.then(
      () => {
        this.#gate = undefined;
      },
      () => {},
    );
    const { signal } = this.#closing;
    const { server, tell } = this.#options;
    for (let attempt = 1; !signal.aborted; attempt++) {
      const link = await this.#attempt(lostAt === undefined ? attempt - 1 : attempt);
      if (link === undefined) continue;
      if (signal.aborted) {
        link.close();
        return;
      }
      this.#use(link);
      gate.open();
      if (lostAt !== undefined) {
        tell('reconnected', {
          server,
          downFor: Math.round(systemTime.monotonic() - lostAt),
          attempts: attempt,
        });
      }
      return;
    }
  }

  async #attempt(number: number): Promise<RemoteLink | undefined> {
    const { connect, pauseBefore } = this.#options;
    const { signal } = this.#closing;
    try {
      const pause = number === 0 ? 0 : pauseBefore(number);
      if (pause === null) {
        this.#end(this.#reason);
        return undefined;
      }
      if (pause > 0) await systemTime.sleep(pause, { signal });
      return await connect(signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof EngineClosed) this.#end(error);
      else if (error instanceof StoreError) this.#reason = unreachable(error);
      else throw error;
      return undefined;
    }
  }
}

/** Makes an `UNREACHABLE` error of any reason (a changed password, a server that loads its data): nothing could be sent. */
function unreachable(error: StoreError): StoreError {
  if (error.code === 'UNREACHABLE') return error;
  return new StoreError('UNREACHABLE', error.message, { cause: error });
}

/** A promise that is settled from outside. */
class Gate {
  open!: () => void;
  fail!: (error: StoreError) => void;
  readonly opened: Promise<void>;

  constructor() {
    this.opened = new Promise((resolve, reject) => {
      this.open = resolve;
      this.fail = reject;
    });
    this.opened.catch(() => {});
  }
}
