import type { Settings } from '../commands/config/settings.js';
import type { Timers } from '../engine/timers.js';
import type { Keyspace } from '../keyspace/keyspace.js';
import { Snapshot } from './snapshot.js';
import type { SnapshotFormat, SnapshotOutput } from './snapshot-format.js';

/** What a snapshot job needs of an engine. */
export interface SnapshotHost {
  readonly keyspace: Keyspace;
  readonly timers: Timers;
  readonly settings?: Settings;
}

/**
 * Takes a snapshot of the keyspace as it is now and writes it in the background, about half a millisecond at a time, with
 * input served in between. One job at a time (`Keyspace.changeGuard`).
 *
 *     const job = new SnapshotJob(engine, format, new FileOutput(temporary, path), true);
 *     await job.finished;                              // rejects with what went wrong; nothing remains then
 *
 * `job.isActive` is true until the keyspace is free for the next one, which may be a little later than a failure.
 */
export class SnapshotJob {
  readonly snapshot: Snapshot;
  readonly finished: Promise<void>;
  readonly #host: SnapshotHost;
  readonly #output: SnapshotOutput;
  #resolve!: () => void;
  #reject!: (error: Error) => void;
  /** Everything has been walked: the keyspace is not needed any more. */
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

  /** `rdb-key-save-delay`, by which tests make snapshots slow: µs for each key. Here all of it comes before the first, in ms. */
  #artificialDelay(): number {
    const { settings, keyspace } = this.#host;
    const micros = settings?.number('rdb-key-save-delay') ?? 0;
    return micros <= 0 ? 0 : (micros * keyspace.databases.reduce((keys, db) => keys + db.size, 0)) / 1000;
  }

  /** Looks again and again whether the setting has been taken back: then it goes on at once. */
  #wait(ms: number): void {
    if (ms <= 0 || this.#artificialDelay() === 0) {
      this.#continue();
      return;
    }
    this.#isWaiting = true;
    const slice = Math.min(ms, DELAY_SLICE_MS);
    this.#cancelDelay = this.#host.timers.after(slice, () => this.#wait(ms - slice));
  }

  /** Whether it still stands in the way of another snapshot. */
  get isActive(): boolean {
    return !this.#isWalked;
  }

  /** Gives the snapshot up; `finished` rejects with this reason when nothing remains of it. */
  abort(reason: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    this.snapshot.discard();
    void this.#output.discard().then(() => this.#reject(reason));
    if (!this.#isWalked && this.#isWaiting) this.#continue();
  }

  /** Does at once what a given-up snapshot has left to do, so that another one can be taken. */
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
    this.#isWalked = this.snapshot.step(performance.now() + SLICE_MS);
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
