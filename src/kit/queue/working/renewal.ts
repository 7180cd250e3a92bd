import type { QueueCore } from '../lua/scripts.js';
import type { CompleteWorkerOptions } from '../options.js';
import { isStoreClosed } from '../store-closed.js';
import { lostTask, type RunningTask } from './running-task.js';

/** Leases are renewed after a third of their time, so two attempts may fail. */
const RENEWALS_PER_LEASE = 3;
/** After a failed attempt, the next one is sooner. */
const ATTEMPTS_PER_LEASE = 10;

/** Renews the leases of all tasks that a worker holds, together, and detects which of them are lost. */
export class LeaseRenewal {
  readonly #core: QueueCore;
  readonly #held: Map<string, RunningTask>;
  readonly #options: CompleteWorkerOptions;
  #isOn = false;
  /** Counts starts: an answer that arrives after the renewal was stopped and started again is ignored. */
  #beginnings = 0;
  #cancelTimer: () => void = () => {};
  /** Time just before the last answered request was sent. */
  #renewedAt = 0;

  readonly #onClosed: () => void;

  constructor(
    core: QueueCore,
    held: Map<string, RunningTask>,
    options: CompleteWorkerOptions,
    onClosed: () => void,
  ) {
    this.#core = core;
    this.#onClosed = onClosed;
    this.#held = held;
    this.#options = options;
  }

  /** Starts the renewal. */
  begin(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#beginnings++;
    this.#renewedAt = this.#core.store.time.monotonic();
    this.#plan(this.#options.lease / RENEWALS_PER_LEASE);
  }

  end(): void {
    this.#isOn = false;
    this.#cancelTimer();
  }

  #plan(ms: number): void {
    this.#cancelTimer = this.#core.store.time.after(ms, () => void this.#renew());
  }

  async #renew(): Promise<void> {
    const { keyList, scripts, store } = this.#core;
    const { lease } = this.#options;
    const since = store.time.monotonic();
    const beginning = this.#beginnings;
    const isCurrent = (): boolean => this.#isOn && this.#beginnings === beginning;
    const tasks = [...this.#held.values()];
    const leases = tasks.flatMap(({ key, token }) => [key, token]);
    try {
      const lost = leases.length === 0 ? [] : await scripts.renew({ keys: keyList, lease, leases });
      this.#renewedAt = since;
      for (const id of lost as readonly string[]) this.#lose(tasks.find((task) => task.key === id));
      if (isCurrent()) this.#plan(lease / RENEWALS_PER_LEASE);
    } catch (error) {
      if (!isCurrent()) return;
      if (await isStoreClosed(this.#core, error)) {
        this.#onClosed();
        return;
      }
      this.#options.onError(error);
      // Disconnected for a whole lease: another worker may have the tasks by now.
      if (store.time.monotonic() - this.#renewedAt >= lease)
        for (const task of tasks) task.end(lostTask(task.id));
      this.#plan(lease / ATTEMPTS_PER_LEASE);
    }
  }

  /** The task may have been settled or lost before the answer arrived. */
  #lose(task: RunningTask | undefined): void {
    if (task !== undefined && this.#held.get(task.key) === task) task.lose(this.#options.onLost);
  }
}
