import type { Settings } from '../commands/config/settings.js';
import type { Timers } from '../engine/timers.js';
import type { Keyspace } from '../keyspace/keyspace.js';
import { Snapshot } from './snapshot.js';
import type { SnapshotFormat, SnapshotOutput } from './snapshot-format.js';

/** The parts of an engine that a snapshot job needs. */
export interface SnapshotHost {
  readonly keyspace: Keyspace;
  readonly timers: Timers;
  readonly settings?: Settings;
  /** When a slice of work that should take this long ends; by default, the system's clock says so. */
  sliceEnd?(ms: number): number;
}

/**
 * Takes a snapshot of the keyspace as it is now and writes it in the background, about half a millisecond at a time,
 * and serves input in between. Only one job runs at a time (`Keyspace.changeGuard`).
 *
 *     const job = new SnapshotJob(engine, format, new FileOutput(temporary, path), true);
 *     await job.finished;                    // rejects if something failed; no file remains then
 *
 * `job.isActive` is true until the keyspace is free for the next job, which may be a little later than a failure.
 */
export class SnapshotJob {
  readonly snapshot: Snapshot;
  readonly finished: Promise<void>;
  readonly #host: SnapshotHost;
  readonly #output: SnapshotOutput;
  #resolve!: () => void;
  #reject!: (error: Error) => void;
  /** All entries are written: the keyspace is no longer needed. */
  #isWalked = false;
  #isWaiting = false;
  #cancel: (() => void) | undefined;
  #cancelDelay: (() => void) | undefined;
  #failure: Error | undefined;

  constructor(host: SnapshotHost, format: SnapshotFormat, output: SnapshotOutput, hasChecksum: boolean) {
    this.#host = host;
    this.#output = output;
    this.finished = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    output.onFailure = (error) => this.abort(error);
    output.onRoom = () => {
      if (this.#isWaiting) this.#continue();
    };
    this.snapshot = new Snapshot(host.keyspace, format, {
      hasChecksum,
      onChunk: (chunk) => output.write(chunk),
    });
    this.#wait(this.#artificialDelay());
  }

  /**
   * `rdb-key-save-delay`: µs per key, to make snapshots slow in tests. Here the whole delay comes before the first
   * key, in ms.
   */
  #artificialDelay(): number {
    const { settings, keyspace } = this.#host;
    const micros = settings?.number('rdb-key-save-delay') ?? 0;
    return micros <= 0 ? 0 : (micros * keyspace.databases.reduce((keys, db) => keys + db.size, 0)) / 1000;
  }

  /** Checks repeatedly whether the setting was removed; if so, continues at once. */
  #wait(ms: number): void {
    if (ms <= 0 || this.#artificialDelay() === 0) {
      this.#continue();
      return;
    }
    this.#isWaiting = true;
    const slice = Math.min(ms, DELAY_SLICE_MS);
    this.#cancelDelay = this.#host.timers.after(slice, () => this.#wait(ms - slice));
  }

  /** Whether this job still prevents another snapshot. */
  get isActive(): boolean {
    return !this.#isWalked;
  }

  /** Aborts the snapshot; `finished` rejects with this reason when its files are removed. */
  abort(reason: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    this.snapshot.discard();
    void this.#output.discard().then(() => this.#reject(reason));
    if (!this.#isWalked && this.#isWaiting) this.#continue();
  }

  /** Finishes an aborted snapshot at once, so that another one can be taken. */
  clearAway(): void {
    if (this.#failure === undefined || this.#isWalked) return;
    this.#cancel?.();
    this.snapshot.step(Number.POSITIVE_INFINITY);
    this.#isWalked = true;
  }

  #continue(): void {
    this.#cancelDelay?.();
    this.#cancelDelay = undefined;
    this.#isWaiting = false;
    this.#cancel = this.#host.timers.soon(() => this.#slice());
  }

  #slice(): void {
    this.#isWalked = this.snapshot.step(this.#host.sliceEnd?.(SLICE_MS) ?? performance.now() + SLICE_MS);
    if (this.#isWalked) {
      if (this.#failure === undefined) void this.#finish();
    } else if (this.#output.isFull && this.#failure === undefined) {
      this.#isWaiting = true;
    } else {
      this.#continue();
    }
  }

  async #finish(): Promise<void> {
    try {
      await this.#output.finish();
      if (this.#failure === undefined) this.#resolve();
    } catch (error) {
      this.abort(error as Error);
    }
  }
}

const SLICE_MS = 0.5;
const DELAY_SLICE_MS = 50;
