import { MAX_TIMEOUT } from '../../engine/timers.js';
import type { Replication } from '../../replication/replication.js';
import type { ReplicationState, StoreReplication } from '../embedded-store.js';
import { StoreError } from '../store-error.js';
import { aborted, type StoreTime } from '../time.js';
import type { CallOptions } from '../transport.js';

/** A place in a master's history. After a failover, offsets of the former history say nothing. */
export interface Place {
  readonly id: string;
  readonly offset: number;
}

/** Asks the master how far its stream is. */
export type AskPlace = (options?: CallOptions) => Promise<Place>;

/** A moment at which the master was asked, and the place that it had. */
interface Probe {
  readonly askedAt: number;
  readonly place: Place;
}

interface Waiter {
  readonly place: Place;
  end(error?: StoreError): void;
}

/**
 * What an embedded replica knows about its master. How old its data may be is measured: the master is asked for its offset
 * regularly, and once the replica has reached it, its data is no older than the question.
 */
export class FollowedMaster implements StoreReplication {
  readonly #replication: Replication;
  readonly #time: StoreTime;
  readonly #askPlace: AskPlace;
  readonly #probeMs: number;
  readonly #listeners = new Set<(replication: StoreReplication) => void>();
  #probes: Probe[] = [];
  #waiters: Waiter[] = [];
  /** When the data was last known to be complete, by the monotonic clock. */
  #freshAt = Number.NEGATIVE_INFINITY;
  #lastState: ReplicationState | undefined;
  #cancelProbe: (() => void) | undefined;
  #isClosed = false;

  constructor(replication: Replication, time: StoreTime, askPlace: AskPlace, probeMs: number) {
    this.#replication = replication;
    this.#time = time;
    this.#askPlace = askPlace;
    this.#probeMs = probeMs;
    replication.onChange = () => this.#changed();
    this.#probeLater(0);
  }

  get state(): ReplicationState {
    const { link } = this.#replication;
    if (link?.state === 'connected') return 'connected';
    return link?.state === 'sync' ? 'synchronizing' : 'connecting';
  }

  get master(): string {
    const { link } = this.#replication;
    return link === undefined ? '' : `${link.address.host}:${link.address.port}`;
  }

  get offset(): number {
    return this.#replication.stream.history.offset;
  }

  get lag(): number {
    return this.#time.monotonic() - this.#freshAt;
  }

  /** Everything that the master had at this moment, by the monotonic clock, is here. */
  get freshAt(): number {
    return this.#freshAt;
  }

  on(name: 'change', listener: (replication: StoreReplication) => void): () => void {
    if (name !== 'change' || typeof listener !== 'function') {
      throw new StoreError('MISUSE', "on() takes 'change' and a function");
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async catchUp(options: CallOptions = {}): Promise<void> {
    const askedAt = this.#time.monotonic();
    await this.reached(await this.#askPlace(options), askedAt, options);
  }

  /** Resolves when the replica has applied the master's stream up to this place. The master was asked for it at `askedAt`. */
  async reached(place: Place, askedAt: number, options?: CallOptions): Promise<void> {
    await this.#untilReached(place, options);
    this.#freshAt = Math.max(this.#freshAt, askedAt);
  }

  #untilReached(place: Place, { signal, timeout = DEFAULT_TIMEOUT }: CallOptions = {}): Promise<void> {
    if (this.#has(place)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const end = (error?: StoreError): void => {
        cancel();
        signal?.removeEventListener('abort', onAbort);
        this.#waiters = this.#waiters.filter((each) => each !== waiter);
        if (error === undefined) resolve();
        else reject(error);
      };
      const onAbort = (): void => end(aborted(signal as AbortSignal, true));
      const waiter: Waiter = { place, end };
      const cancel = this.#time.after(Math.min(timeout, MAX_TIMEOUT), () => {
        const message = `the master's changes have not arrived within ${timeout} ms: the replica is ${this.state}`;
        end(new StoreError('TIMEOUT', message, { mayHaveRun: true }));
      });
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiters.push(waiter);
    });
  }

  #has({ id, offset }: Place): boolean {
    const { history } = this.#replication.stream;
    return this.state === 'connected' && history.id === id && history.offset >= offset;
  }

  #changed(): void {
    // Those of another history, from before a failover, are never reached: newer ones replace them.
    const reached = this.#probes.filter(({ place }) => this.#has(place));
    for (const { askedAt } of reached) this.#freshAt = Math.max(this.#freshAt, askedAt);
    if (reached.length > 0) this.#probes = this.#probes.filter((probe) => !reached.includes(probe));
    for (const { place, end } of [...this.#waiters]) if (this.#has(place)) end();
    const { state } = this;
    if (state === this.#lastState) return;
    this.#lastState = state;
    for (const listener of this.#listeners) listener(this);
  }

  #probeLater(ms: number): void {
    if (this.#isClosed) return;
    this.#cancelProbe = this.#time.after(ms, () => void this.#probe(), { background: true });
  }

  async #probe(): Promise<void> {
    const askedAt = this.#time.monotonic();
    try {
      const place = await this.#askPlace({ timeout: Math.max(this.#probeMs, 1000) });
      this.#probes.push({ askedAt, place });
      // A replica that does not catch up must not collect questions forever: the newest one is enough.
      if (this.#probes.length > MAX_PROBES) this.#probes.splice(0, 1);
      this.#changed();
    } catch {
      // The master is away: the lag grows.
    }
    this.#probeLater(this.#probeMs);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelProbe?.();
    this.#replication.onChange = () => {};
    const closed = new StoreError('CLOSED', 'the store is closed', { mayHaveRun: true });
    for (const { end } of [...this.#waiters]) end(closed);
  }
}

const DEFAULT_TIMEOUT = 5000;
const MAX_PROBES = 100;
