import { renameSync } from 'node:fs';
import { CommandError } from '../../commands/errors.js';
import type { Engine } from '../../engine/engine.js';
import { FileOutput } from '../file-output.js';
import { rdbFormat } from '../rdb-options.js';
import type { SnapshotFormat } from '../snapshot/snapshot-format.js';
import { type JobHost, SnapshotJob } from '../snapshot/snapshot-job.js';
import { removeIfThere, temporaryPath } from '../temporary-files.js';
import type { AofFolder } from './aof-folder.js';
import { CommandFormat } from './command-format.js';
import { type Part, withBase } from './manifest.js';

const REWRITING = new CommandError('ERR Background append only file rewriting already in progress');
const NOT_STARTED = new CommandError(
  "ERR Can't execute an AOF background rewriting. Please check the server logs for more information.",
);

interface BaseFormat {
  readonly kind: 'rdb' | 'aof';
  readonly format: SnapshotFormat;
  readonly hasChecksum: boolean;
}

/** The parts of the append-only file that a rewrite uses. */
export interface RewriteTarget {
  readonly folder: AofFolder;
  readonly state: 'off' | 'on' | 'waiting';
  readonly temporaryIncrement: string;
  readonly currentSize: number;
  readonly baseSize: number;
  now(): number;
  readonly jobs: JobHost;
  /** From now on commands are appended to a new file. Throws the system's error. */
  openIncrement(): void;
  /** The rewrite is complete, and the manifest names its base. */
  rewritten(): void;
  rewriteFailed(): void;
}

/**
 * Replaces base and increments by one new base, in the background: on request, when a rewrite was scheduled, and when
 * the files have grown. If anything fails, the old files stay in use.
 */
export class AofRewriting {
  isScheduled = false;
  isLastOk = true;
  /** Of the last rewrite: its duration in seconds (-1: there was none), and the bytes it copied because of commands. */
  lastSeconds = -1;
  lastCopied = 0;
  count = 0;
  consecutiveFailures = 0;
  readonly #engine: Engine;
  readonly #appendOnly: RewriteTarget;
  #job: SnapshotJob | undefined;
  #startedAt = 0;
  /** After failures, no attempt before this time. */
  #notBefore = 0;
  #delayMinutes = 0;

  constructor(engine: Engine, appendOnly: RewriteTarget) {
    this.#engine = engine;
    this.#appendOnly = appendOnly;
  }

  get isActive(): boolean {
    return this.#job !== undefined;
  }

  get currentSeconds(): number {
    return this.#job === undefined ? -1 : this.#appendOnly.now() - this.#startedAt;
  }

  /** The format of a base, as configured. */
  format(): BaseFormat {
    const { settings, keyspace } = this.#engine;
    if (settings.isOn('aof-use-rdb-preamble')) {
      const hasChecksum = settings.isOn('rdbchecksum');
      return { kind: 'rdb', format: rdbFormat(this.#engine, { isAofBase: true }), hasChecksum };
    }
    const timestamp = settings.isOn('aof-timestamp-enabled') ? this.#appendOnly.now() : undefined;
    const functions = this.#engine.scripting.libraryCodes();
    return { kind: 'aof', format: new CommandFormat(keyspace, { timestamp, functions }), hasChecksum: false };
  }

  /** BGREWRITEAOF; with `later` it starts after the running transaction. */
  request(when: 'now' | 'later'): 'started' | 'scheduled' {
    if (this.isActive) throw REWRITING;
    if (when === 'later' || this.#appendOnly.jobs.isOtherActive()) {
      this.schedule();
      this.consecutiveFailures = 0;
      return 'scheduled';
    }
    if (!this.start()) throw NOT_STARTED;
    return 'started';
  }

  schedule(): void {
    this.isScheduled = true;
  }

  unschedule(): void {
    this.isScheduled = false;
  }

  /** Starts now. Returns false, after logging the reason, if that failed. */
  start(): boolean {
    const { folder } = this.#appendOnly;
    this.isScheduled = false;
    try {
      folder.create();
      this.#appendOnly.openIncrement();
    } catch (error) {
      this.#log('warning', `Can't start rewriting the append only file: ${(error as Error).message}`);
      this.isLastOk = false;
      return false;
    }
    this.count++;
    this.#startedAt = this.#appendOnly.now();
    const { kind, format, hasChecksum } = this.format();
    const base = folder.nextBase(kind);
    const { settings } = this.#engine;
    const directory = settings.text('dir');
    const path = temporaryPath(directory, 'rewriteaof-bg-', 'aof');
    const syncsAsItGoes = settings.isOn('aof-rewrite-incremental-fsync');
    const output = new FileOutput(temporaryPath(directory, 'rewriteaof-', 'aof'), path, syncsAsItGoes);
    const job = new SnapshotJob(
      this.#engine,
      format,
      output,
      hasChecksum,
      this.#appendOnly.jobs.startProcess(),
    );
    this.#job = job;
    this.#log('notice', 'Background append only file rewriting started');
    job.finished.then(
      () => this.#written(job, base, path),
      (error: Error) => this.#failed(job, error, path),
    );
    return true;
  }

  /** Aborts the rewrite; resolves when its files are removed. */
  async abort(): Promise<void> {
    const job = this.#job;
    if (job === undefined) return;
    this.#job = undefined;
    this.lastCopied = job.snapshot.copied;
    job.abort(new Error('aborted'));
    job.clearAway();
    await job.finished.catch(() => {});
  }

  #written(job: SnapshotJob, base: Part, path: string): void {
    try {
      if (this.#job === job) this.#switchTo(base, path);
    } catch (error) {
      this.#failed(job, error as Error, path);
      return;
    }
    if (this.#job !== job) {
      removeIfThere(path);
      return;
    }
    this.#ended(job);
    this.isLastOk = true;
    this.consecutiveFailures = 0;
    this.#delayMinutes = 0;
    this.#appendOnly.rewritten();
    this.#log('notice', 'Background AOF rewrite finished successfully');
  }

  /** The base is on disk. It is used as soon as the manifest names it. */
  #switchTo(base: Part, path: string): void {
    const { folder, state, temporaryIncrement } = this.#appendOnly;
    let { manifest } = folder;
    renameSync(path, folder.pathOf(base.name));
    if (state === 'waiting') {
      const added = folder.withIncrement();
      manifest = added.manifest;
      renameSync(folder.pathOf(temporaryIncrement), folder.pathOf(added.part.name));
    }
    folder.persist(withBase(manifest, base, state === 'off' ? 0 : 1));
  }

  #failed(job: SnapshotJob, error: Error, path: string): void {
    removeIfThere(path);
    if (this.#job !== job) return;
    this.#ended(job);
    // The walk of a failed snapshot may not be finished; the next snapshot must not wait for it.
    job.clearAway();
    this.isLastOk = false;
    this.#log('warning', `Background AOF rewrite terminated with error: ${error.message}`);
    this.consecutiveFailures++;
    this.#appendOnly.rewriteFailed();
  }

  #ended(job: SnapshotJob): void {
    this.#job = undefined;
    this.lastSeconds = this.#appendOnly.now() - this.#startedAt;
    this.lastCopied = job.snapshot.copied;
  }

  /**
   * Whether a rewrite that no client asked for must wait. After three failures in a row, attempts are one minute apart, then two, up to an hour: each one puts a heavy load
   * on the disk.
   */
  #isLimited(): boolean {
    if (this.consecutiveFailures < FAILURES_UNTIL_LIMIT) {
      this.#delayMinutes = this.#notBefore = 0;
      return false;
    }
    const now = this.#appendOnly.now();
    if (this.#notBefore !== 0) {
      if (now < this.#notBefore) return true;
      this.#notBefore = 0;
      return false;
    }
    this.#delayMinutes = this.#delayMinutes === 0 ? 1 : Math.min(this.#delayMinutes * 2, MAX_DELAY_MINUTES);
    this.#notBefore = now + this.#delayMinutes * 60;
    this.#log(
      'warning',
      `Background AOF rewrite has repeatedly failed and triggered the limit, will retry in ${this.#delayMinutes} minutes`,
    );
    return true;
  }

  tick(): void {
    if (this.isActive || this.#appendOnly.jobs.isOtherActive() || this.#engine.isLoading) return;
    if (this.isScheduled) {
      if (!this.#isLimited()) this.start();
    } else if (this.#appendOnly.state === 'on') this.#startIfGrown();
  }

  #startIfGrown(): void {
    const { settings } = this.#engine;
    const { currentSize, baseSize } = this.#appendOnly;
    const percentage = settings.number('auto-aof-rewrite-percentage');
    if (percentage === 0 || currentSize <= settings.number('auto-aof-rewrite-min-size')) return;
    const growth = Math.floor((currentSize * 100) / (baseSize || 1)) - 100;
    if (growth < percentage || this.#isLimited()) return;
    this.#log('notice', `Starting automatic rewriting of AOF on ${growth}% growth`);
    this.start();
  }

  #log(level: 'notice' | 'warning', message: string): void {
    this.#engine.host.log(level, message);
  }
}

const FAILURES_UNTIL_LIMIT = 3;
const MAX_DELAY_MINUTES = 60;
