import { closeSync, fdatasync, fdatasyncSync, fstatSync, ftruncateSync, writeSync } from 'node:fs';
import type { EffectCommand } from '../../keyspace/effects.js';
import { MemorySink } from '../../rdb/byte-sink.js';
import { CommandStream } from '../command-stream.js';
import { systemReason } from '../system-error.js';

/** When written bytes are synced to disk: `appendfsync`. */
export type SyncPolicy = 'always' | 'everysec' | 'no';

/** What the output needs from its owner. */
export interface AofOutputHost {
  /** Unix seconds. */
  now(): number;
  /** The same in ms. */
  milliseconds(): number;
  log(level: 'notice' | 'warning', message: string): void;
  /** Under `always`, writes cannot be stored. A server's process ends here; elsewhere it returns, and writing is tried again. */
  fail(reason: string): void;
  /** Writing now fails for this reason, or works again if undefined. */
  statusChanged(reason: string | undefined): void;
  /** Whether a snapshot is being written: `no-appendfsync-on-rewrite`. */
  isJobActive(): boolean;
  /** Measures how long clients wait for the file. */
  readonly latency: LatencyMeter;
}

/** LATENCY: what the output uses of the monitor. */
export interface LatencyMeter {
  start(): number;
  since(start: number): number;
  note(milliseconds: number, ...names: readonly string[]): void;
}

/**
 * The end of the append-only file: collects the commands of each turn, writes them with one call, and syncs them as
 * the policy says. A write that fails leaves the file unchanged and is retried until it succeeds.
 */
export class AofOutput {
  policy: SyncPolicy = 'everysec';
  /** `no-appendfsync-on-rewrite` */
  yieldsToJobs = false;
  /** `aof-timestamp-enabled` */
  hasTimestamps = false;
  /** Size of the file in bytes. */
  offset = 0;
  /** How many of them are synced to disk. */
  #synced = 0;
  /** How many writes gave up waiting for a running sync: `aof_delayed_fsync`. */
  delayedSyncs = 0;
  /** Syncs running in the background. */
  pendingSyncs = 0;
  readonly #host: AofOutputHost;
  readonly #buffer = new MemorySink(1 << 16);
  readonly #stream = new CommandStream(this.#buffer, 'file');
  #fd = -1;
  #timestamp = 0;
  #lastSync = 0;
  #postponedSince = 0;
  #writeFailure: string | undefined;
  #syncFailure: string | undefined;
  #lastWarning = 0;

  constructor(host: AofOutputHost) {
    this.#host = host;
  }

  get isOpen(): boolean {
    return this.#fd >= 0;
  }

  get bufferLength(): number {
    return this.#buffer.length;
  }

  get isWriteOk(): boolean {
    return this.#writeFailure === undefined;
  }

  /** Why what was collected cannot be stored; undefined if it can. */
  get failure(): string | undefined {
    return this.#writeFailure ?? this.#syncFailure;
  }

  /** Continues with another file. The open file is synced and closed in the background. */
  switchTo(fd: number): void {
    if (this.#fd >= 0) this.#syncInBackground(this.#fd, true);
    this.#fd = fd;
    this.offset = fstatSync(fd).size;
    this.#synced = this.offset;
    this.#lastSync = this.#host.now();
    this.#stream.reselect();
  }

  /** Writes and syncs everything, and closes the file. Returns why changes are lost; undefined if none are. */
  close(): string | undefined {
    if (this.#fd < 0) return undefined;
    this.flush(true);
    let reason = this.#buffer.length > 0 ? this.#writeFailure : undefined;
    try {
      fdatasyncSync(this.#fd);
    } catch (error) {
      reason ??= systemReason(error);
      this.#host.log('warning', `Fail to fsync the AOF file: ${systemReason(error)}`);
    }
    this.discard();
    return reason;
  }

  /** Closes the file at once. Drops bytes that are not written yet, and forgets failures. */
  discard(): void {
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#fd = -1;
    this.offset = 0;
    this.#synced = 0;
    this.#buffer.reset();
    this.#stream.reselect();
    this.#postponedSince = 0;
    this.#setFailures(undefined, undefined);
  }

  /** Adds the commands of an atomic unit. Returns false if none of them is for the file. */
  append(commands: readonly EffectCommand[], independent: boolean): boolean {
    if (!this.#stream.concerns(commands)) return false;
    if (this.hasTimestamps) this.#annotate();
    this.#stream.write(commands, independent);
    return true;
  }

  /** Writes the time once a second, for `check-aof --truncate-to-timestamp`. */
  #annotate(): void {
    const now = this.#host.now();
    if (now <= this.#timestamp) return;
    this.#timestamp = now;
    const line = Buffer.from(`#TS:${now}\r\n`);
    this.#stream.bytes(line, 0, line.length);
  }

  /**
   * Writes the collected bytes and syncs them if the policy says so. Under `everysec`, a write would wait for a sync
   * that is still running. Unless `force`, it is postponed for up to a second. Commands acknowledged in that time
   * would be lost with the process: everysec may lose up to two seconds of writes, not more.
   */
  flush(force = false): void {
    if (this.#fd < 0) return;
    if (this.#buffer.length > 0) {
      if (!force && this.#isPostponed()) return;
      this.#postponedSince = 0;
      if (!this.#write()) return;
    }
    if (this.#synced !== this.offset) this.#sync();
  }

  /** Writes and syncs everything up to now, regardless of the policy. Rejects if writing fails. */
  async syncNow(): Promise<void> {
    this.flush(true);
    if (this.#buffer.length > 0)
      throw new Error(`the append only file cannot be written: ${this.#writeFailure}`);
    await new Promise<void>((resolve, reject) => {
      fdatasync(this.#fd, (error) => {
        // If the file was closed meanwhile, it was synced before.
        if (error === null || error.code === 'EBADF') resolve();
        else
          reject(
            new Error(`the append only file cannot be synced: ${systemReason(error)}`, { cause: error }),
          );
      });
    });
  }

  #isPostponed(): boolean {
    if (this.policy !== 'everysec' || this.pendingSyncs === 0) return false;
    const now = this.#host.milliseconds();
    if (this.#postponedSince === 0) {
      this.#postponedSince = now;
      return true;
    }
    if (now - this.#postponedSince < MAX_POSTPONED_MS) return true;
    this.delayedSyncs++;
    this.#host.log(
      'notice',
      'Asynchronous AOF fsync is taking too long (disk is busy?). Writing the AOF buffer without waiting for fsync ' +
        'to complete, this may slow down the server.',
    );
    return false;
  }

  #write(): boolean {
    const { buffer, length } = this.#buffer;
    const { latency } = this.#host;
    const began = latency.start();
    let written = 0;
    try {
      while (written < length) {
        const count = writeSync(this.#fd, buffer, written, length - written);
        if (count === 0) throw new Error('nothing was written');
        written += count;
      }
    } catch (error) {
      this.#failedWrite(error, written);
      return false;
    }
    latency.note(latency.since(began), this.#writeEvent, 'aof-write');
    this.offset += length;
    this.#buffer.reset();
    if (this.#writeFailure !== undefined) {
      this.#host.log('warning', 'AOF write error looks solved. The server can write again.');
      this.#setFailures(undefined, this.#syncFailure);
    }
    return true;
  }

  /** The event that tells what else kept the disk busy. */
  get #writeEvent(): string {
    if (this.pendingSyncs > 0) return 'aof-write-pending-fsync';
    return this.#host.isJobActive() ? 'aof-write-active-child' : 'aof-write-alone';
  }

  /** Leaves no part of a command in the file: the next write would make it unreadable. */
  #failedWrite(error: unknown, written: number): void {
    const reason = systemReason(error);
    this.#warn(`Error writing to the AOF file: ${reason}`);
    if (written > 0) this.#undo(written);
    if (this.policy === 'always') {
      this.#host.fail("Can't recover from AOF write error when the AOF fsync policy is 'always'.");
    }
    this.#setFailures(reason, this.#syncFailure);
  }

  #undo(written: number): void {
    try {
      ftruncateSync(this.#fd, this.offset);
    } catch (error) {
      this.#warn(
        'Could not remove short write from the append-only file. The server may refuse to load the AOF the next ' +
          `time it starts. ftruncate: ${systemReason(error)}`,
      );
      // The written part stays in the file: the next write continues after it.
      this.offset += written;
      const rest = Buffer.from(this.#buffer.buffer.subarray(written, this.#buffer.length));
      this.#buffer.reset();
      this.#buffer.bytes(rest, 0, rest.length);
    }
  }

  #sync(): void {
    if (this.yieldsToJobs && this.#host.isJobActive()) return;
    if (this.policy === 'always') {
      const { latency } = this.#host;
      const began = latency.start();
      try {
        fdatasyncSync(this.#fd);
      } catch (error) {
        const reason = systemReason(error);
        this.#host.fail(
          `Can't persist AOF for fsync error when the AOF fsync policy is 'always': ${reason}.`,
        );
        this.#setFailures(this.#writeFailure, reason);
        return;
      }
      this.#setFailures(this.#writeFailure, undefined);
      latency.note(latency.since(began), 'aof-fsync-always');
      this.#synced = this.offset;
      this.#lastSync = this.#host.now();
    } else if (this.policy === 'everysec' && this.#host.now() > this.#lastSync) {
      this.#lastSync = this.#host.now();
      if (this.pendingSyncs > 0) return;
      this.#synced = this.offset;
      this.#syncInBackground(this.#fd, false);
    }
  }

  #syncInBackground(fd: number, closes: boolean): void {
    // Writes need not wait for the sync of a file that is not written to any more.
    if (!closes) this.pendingSyncs++;
    fdatasync(fd, (error) => {
      if (closes) closeSync(fd);
      else this.pendingSyncs--;
      // If the file was closed meanwhile, it was synced before.
      if (error !== null && error.code === 'EBADF') return;
      if (error !== null) {
        this.#warn(`Fail to fsync the AOF file: ${systemReason(error)}`);
        // Try again, even without further writes: writes are refused until a sync succeeds.
        this.#synced = NOTHING;
      }
      this.#setFailures(this.#writeFailure, error === null ? undefined : systemReason(error));
    });
  }

  #setFailures(write: string | undefined, sync: string | undefined): void {
    const before = this.failure;
    this.#writeFailure = write;
    this.#syncFailure = sync;
    if ((write ?? sync) !== before) this.#host.statusChanged(write ?? sync);
  }

  /** Logs only now and then: the disk may be full for a long time. */
  #warn(message: string): void {
    const now = this.#host.now();
    if (now - this.#lastWarning < SECONDS_BETWEEN_WARNINGS) return;
    this.#lastWarning = now;
    this.#host.log('warning', message);
  }
}

const NOTHING = -1;
const MAX_POSTPONED_MS = 1000;
const SECONDS_BETWEEN_WARNINGS = 30;
