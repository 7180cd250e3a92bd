import { type QueueCore, wakeKindKey } from '../lua/scripts.js';
import type { CompleteWorkerOptions } from '../options.js';
import { isStoreClosed } from '../store-closed.js';

export interface WakeupListener {
  /** There may be work. */
  onWake(): void;
  /** Whether the worker could take a task. */
  hasRoom(): boolean;
  onClosed(): void;
}

const RETRY_MS = 200;

/**
 * Lets an idle worker wait without polling: for the element that scripts put into the list `wake` when
 * there may be work, or into the list of one of the worker's kinds when tasks of it were set aside; and for the next due
 * time.
 *
 * The worker that takes the element must check, and wake the next one if there is more. It may die first, so no worker
 * waits longer than a lease, the time after which a dead worker's tasks are taken over.
 */
export class WorkerWakeups {
  readonly #core: QueueCore;
  readonly #options: CompleteWorkerOptions;
  readonly #listener: WakeupListener;
  readonly #keys: readonly string[];
  #stop = new AbortController();
  #listening: Promise<void> | undefined;
  #cancelTimer: () => void = () => {};
  /** Whether the worker has a timer for the next due time. */
  isPlanned = false;
  isStopped = false;

  constructor(
    core: QueueCore,
    kinds: readonly string[],
    options: CompleteWorkerOptions,
    listener: WakeupListener,
  ) {
    this.#core = core;
    this.#keys = [core.keys.wake, ...kinds.map((kind) => wakeKindKey(core.keys, kind))];
    this.#options = options;
    this.#listener = listener;
  }

  /** A task or schedule is due after this many ms. */
  at(ms: number | undefined): void {
    this.#cancelTimer();
    this.isPlanned = ms !== undefined && !this.#stop.signal.aborted;
    if (ms === undefined || !this.isPlanned) return;
    this.#cancelTimer = this.#core.store.time.after(ms, () => this.#listener.onWake());
  }

  /** Starts to wait for a wake-up. Afterwards the worker checks, and waits again if needed. */
  listen(): void {
    const { signal } = this.#stop;
    if (this.#listening !== undefined || signal.aborted) return;
    this.#listening = this.#wait(signal).then((isClosed) => {
      this.#listening = undefined;
      if (isClosed) this.#listener.onClosed();
      else if (!signal.aborted) this.#listener.onWake();
    });
  }

  /** Returns when the worker should check; true if the store is closed. */
  async #wait(signal: AbortSignal): Promise<boolean> {
    const { store } = this.#core;
    try {
      const reply = await store.with({ signal }).send('BLPOP', ...this.#keys, this.#options.lease / 1000);
      if (reply !== null && !this.#listener.hasRoom()) await this.#passOn();
    } catch (error) {
      if (signal.aborted) return false;
      if (await isStoreClosed(this.#core, error)) return true;
      this.#options.onError(error);
      await store.time.sleep(RETRY_MS, { signal }).catch(() => {});
    }
    return false;
  }

  /** Passes the wake-up on to a worker with room. */
  async #passOn(): Promise<void> {
    const { keyList, scripts, keepEvents: bound } = this.#core;
    await scripts.control({ keys: keyList, verb: 'wake', first: '', second: '', bound });
  }

  /** Stops waiting until `listen` is called again. */
  async interrupt(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const before = this.#stop;
    this.#stop = new AbortController();
    await this.#end(before);
  }

  async stop(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    await this.#end(this.#stop);
    this.isStopped = true;
  }

  /** The wait may have taken a wake-up at the last moment: it is passed on, and so is the timer for the next due time. */
  async #end(wait: AbortController): Promise<void> {
    this.#cancelTimer();
    const hadTimer = this.isPlanned;
    this.isPlanned = false;
    const wasListening = this.#listening;
    wait.abort();
    await wasListening;
    if (wasListening !== undefined || hadTimer) await this.#passOn().catch(() => {});
  }
}
