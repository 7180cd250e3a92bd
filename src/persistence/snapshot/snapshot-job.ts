import type { Settings } from '../../commands/config/settings.js';
import type { Timers } from '../../engine/timers.js';
import type { Keyspace } from '../../keyspace/keyspace.js';
import { Pace } from '../pace.js';
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

/** A process that stands for a job: if it is killed, the job is aborted. */
export interface JobProcess {
  readonly pid: number;
  onKilled: () => void;
  /** Ends it, without calling `onKilled`. */
  end(): void;
}

/** What a background job is told about others. */
export interface JobHost {
  /** Whether another job is active that must not run at the same time. */
  isOtherActive(): boolean;
  /** Undefined if jobs have no processes. */
  startProcess(): JobProcess | undefined;
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
  /** The output is full. */
  #isWaiting = false;
  /** Waits for `rdb-key-save-delay`. */
  #isSlow = false;
  readonly #pace: Pace;
  #cancel: (() => void) | undefined;
  #failure: Error | undefined;

  constructor(
    host: SnapshotHost,
    format: SnapshotFormat,
    output: SnapshotOutput,
    hasChecksum: boolean,
    process?: JobProcess,
  ) {
    this.#host = host;
    this.#output = output;
    this.#pace = new Pace(host.settings, 'rdb-key-save-delay', process !== undefined);
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
      reusesChunk: output.keepsNothing === true,
    });
    if (process !== undefined) this.#followProcess(process);
    this.#continue();
  }

  #followProcess(process: JobProcess): void {
    process.onKilled = () => this.abort(new Error('its process was killed'));
    const end = (): void => process.end();
    this.finished.then(end, end);
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
    if (!this.#isWalked && (this.#isWaiting || this.#isSlow)) this.#continue();
  }

  /** Finishes an aborted snapshot at once, so that another one can be taken. */
  clearAway(): void {
    if (this.#failure === undefined || this.#isWalked) return;
    this.#cancel?.();
    this.snapshot.step(Number.POSITIVE_INFINITY);
    this.#isWalked = true;
  }

  #continue(): void {
    const { timers } = this.#host;
    this.#isWaiting = false;
    if (this.#isSlow) this.#cancel?.();
    this.#isSlow = this.#failure === undefined && this.snapshot.total > 0 && this.#pace.wait > 0;
    this.#cancel = this.#isSlow
      ? this.#pace.schedule(timers, () => this.#slice())
      : timers.soon(() => this.#slice());
  }

  #slice(): void {
    const until = this.#host.sliceEnd?.(SLICE_MS) ?? performance.now() + SLICE_MS;
    const entries = this.#isSlow ? this.#pace.keys : Number.POSITIVE_INFINITY;
    this.#isSlow = false;
    this.#isWalked = this.snapshot.step(until, entries);
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
