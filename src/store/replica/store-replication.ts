import type { Replication } from '../../replication/replication.js';
import type { ReplicationState, StoreReplication } from '../store.js';
import { StoreError } from '../store-error.js';
import { aborted, type StoreTime } from '../time.js';
import type { CallOptions } from '../transport.js';

/** Asks the master for the offset of its stream. */
export type AskOffset = (options?: CallOptions) => Promise<number>;

/** A moment at which the master was asked, and the offset that it had. */
interface Probe {
  readonly askedAt: number;
  readonly offset: number;
}

interface Waiter {
  readonly offset: number;
  end(error?: StoreError): void;
}

/**
 * What an embedded replica knows about its master. How old its data may be is measured: the master is asked for its offset
 * regularly, and once the replica has reached it, its data is no older than the question.
 */
export class FollowedMaster implements StoreReplication {
  readonly #replication: Replication;
  readonly #time: StoreTime;
  readonly #askOffset: AskOffset;
  readonly #probeMs: number;
  readonly #listeners = new Set<(replication: StoreReplication) => void>();
  #probes: Probe[] = [];
  #waiters: Waiter[] = [];
  /** When the data was last known to be complete, by the monotonic clock. */
  #freshAt = Number.NEGATIVE_INFINITY;
  #lastState: ReplicationState | undefined;
  #cancelProbe: (() => void) | undefined;
  #isClosed = false;

  constructor(replication: Replication, time: StoreTime, askOffset: AskOffset, probeMs: number) {
    this.#replication = replication;
    this.#time = time;
    this.#askOffset = askOffset;
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

  on(name: 'change', listener: (replication: StoreReplication) => void): () => void {
    if (name !== 'change' || typeof listener !== 'function') {
      throw new StoreError('MISUSE', "on() takes 'change' and a function");
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async catchUp(options: CallOptions = {}): Promise<void> {
    await this.reached(await this.#askOffset(options), options);
  }

  /** Resolves when the replica has applied the master's stream up to this offset. */
  reached(offset: number, { signal, timeout = DEFAULT_TIMEOUT }: CallOptions = {}): Promise<void> {
    if (this.#has(offset)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const end = (error?: StoreError): void => {
        cancel();
        signal?.removeEventListener('abort', onAbort);
        this.#waiters = this.#waiters.filter((each) => each !== waiter);
        if (error === undefined) resolve();
        else reject(error);
      };
      const onAbort = (): void => end(aborted(signal as AbortSignal, true));
      const waiter: Waiter = { offset, end };
      const cancel = this.#time.after(Math.min(timeout, MAX_TIMEOUT), () => {
        const message = `the master's changes have not arrived within ${timeout} ms: the replica is ${this.state}`;
        end(new StoreError('TIMEOUT', message, { mayHaveRun: true }));
      });
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiters.push(waiter);
    });
  }

  #has(offset: number): boolean {
    return this.state === 'connected' && this.offset >= offset;
  }

  #changed(): void {
    while (this.#probes.length > 0 && this.#has((this.#probes[0] as Probe).offset)) {
      this.#freshAt = (this.#probes.shift() as Probe).askedAt;
    }
    for (const { offset, end } of [...this.#waiters]) if (this.#has(offset)) end();
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
      const offset = await this.#askOffset({ timeout: Math.max(this.#probeMs, 1000) });
      this.#probes.push({ askedAt, offset });
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
const MAX_TIMEOUT = 0x7fffffff;
const MAX_PROBES = 100;
