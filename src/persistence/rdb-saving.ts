import { resolve } from 'node:path';
import { CommandError } from '../commands/errors.js';
import type { Engine } from '../engine/engine.js';
import { FileOutput } from './file-output.js';
import { rdbFormat } from './rdb-options.js';
import { type JobHost, type JobProcess, SnapshotJob } from './snapshot/snapshot-job.js';
import { writeKeyspaceFile } from './snapshot/write-snapshot.js';
import { systemReason } from './system-error.js';
import { temporaryPath } from './temporary-files.js';

/** A save is due after `changes` changes, and `seconds` seconds since the last save. */
interface SaveRule {
  readonly seconds: number;
  readonly changes: number;
}

const STOPPED = new CommandError(
  "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. Commands that may " +
    'modify the data set are disabled, because this instance is configured to report errors during writes if RDB ' +
    'snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error.',
);

/** The server itself has aborted the save, which is no failure. */
const ABORTED = new Error('aborted');

/** Saves to the file that `dbfilename` names: on request, in the background, and by the `save` rules. */
export class RdbSaving {
  /** When a save last succeeded, in Unix seconds; initially the time of start. */
  lastSave: number;
  isLastSaveOk = true;
  /** Why `saveNow` failed last. */
  lastFailure: string | undefined;
  /** Of the last background save: its duration in seconds (-1: there was none), and the bytes it copied because of commands. */
  lastSeconds = -1;
  lastCopied = 0;
  saves = 0;
  backgroundSaves = 0;
  /** `repl-stream-db`, `repl-id` and `repl-offset` of a server that has replicas. */
  replicationFields: () => readonly (readonly [string, string])[] = () => [];
  /** Whether a snapshot is being sent to replicas, which INFO shows as a background save; and how it is aborted. */
  isSnapshotSent: () => boolean = () => false;
  abortSent: () => void = () => {};
  readonly #engine: Engine;
  readonly #jobs: JobHost;
  #rules: readonly SaveRule[] = [];
  #savedDirty = 0;
  #job: SnapshotJob | undefined;
  #startedAt = 0;
  #lastTry = 0;
  #isScheduled = false;

  /** `jobs` tells of those that must not run at the same time as a save. */
  constructor(engine: Engine, jobs: JobHost) {
    this.#engine = engine;
    this.#jobs = jobs;
    this.lastSave = Math.floor(engine.startedAt / 1000);
    const { settings } = engine;
    settings.onChange('save', (text) => {
      this.#rules = saveRules(text);
      this.#reviewStatus();
    });
    settings.onChange('stop-writes-on-bgsave-error', () => this.#reviewStatus());
    engine.background.everyTick(() => this.#tick());
  }

  get path(): string {
    const { settings } = this.#engine;
    return resolve(settings.text('dir'), settings.text('dbfilename'));
  }

  /** Changes since the last save. */
  get changes(): number {
    return this.#engine.keyspace.effects.dirty - this.#savedDirty;
  }

  get hasRules(): boolean {
    return this.#rules.length > 0;
  }

  /** The background save that is running. */
  get job(): SnapshotJob | undefined {
    return this.#job;
  }

  /** Seconds since the running save began; -1 if there is none. */
  get currentSeconds(): number {
    return this.#job === undefined ? -1 : this.#now() - this.#startedAt;
  }

  /** Saves while all clients wait. Returns false, after logging the reason (`lastFailure`), if that failed. */
  saveNow(): boolean {
    const { keyspace, settings } = this.#engine;
    this.saves++;
    try {
      const format = rdbFormat(this.#engine, { replication: this.replicationFields() });
      const paths = { temporaryPath: this.#newTemporaryPath(), path: this.path };
      writeKeyspaceFile(keyspace, format, settings.isOn('rdbchecksum'), paths);
    } catch (error) {
      this.lastFailure = systemReason(error);
      this.#log('warning', `Error saving DB on disk: ${this.lastFailure}`);
      return false;
    }
    this.#log('notice', 'DB saved on disk');
    this.#succeeded(keyspace.effects.dirty);
    return true;
  }

  /** Starts a background save. */
  start(): void {
    this.#isScheduled = false;
    this.#lastTry = this.#now();
    this.backgroundSaves++;
    const child = this.#jobs.startProcess();
    void this.#startJob(child?.pid, child);
    this.#log('notice', `Background saving started by pid ${child?.pid ?? process.pid}`);
  }

  /** Whether `rdb-key-save-delay` slows saves down. */
  get isDelayed(): boolean {
    return this.#engine.settings.number('rdb-key-save-delay') > 0;
  }

  /** Like `saveNow`, but with the delay, and signals are handled meanwhile. The caller makes all clients wait. */
  async saveWithDelay(): Promise<boolean> {
    return this.#startJob(process.pid);
  }

  /** Resolves to whether the data is saved. The temporary file is named after the process that Redis would write it in. */
  #startJob(pid: number | undefined, child?: JobProcess): Promise<boolean> {
    const { keyspace, settings } = this.#engine;
    const { dirty } = keyspace.effects;
    this.#startedAt = this.#now();
    this.saves++;
    const format = rdbFormat(this.#engine, { replication: this.replicationFields() });
    const syncsAsItGoes = settings.isOn('rdb-save-incremental-fsync');
    const output = new FileOutput(this.#newTemporaryPath(pid), this.path, syncsAsItGoes);
    const job = new SnapshotJob(this.#engine, format, output, settings.isOn('rdbchecksum'), child);
    if (pid !== undefined) output.open();
    this.#job = job;
    return job.finished.then(
      () => this.#finished(job, dirty),
      (error: Error) => this.#finished(job, dirty, error),
    );
  }

  /** Starts a background save as soon as no other job is running. */
  schedule(): void {
    this.#isScheduled = true;
  }

  /** Aborts the background save; resolves when its files are removed. */
  async abort(): Promise<void> {
    const job = this.#job;
    if (job === undefined) return;
    job.abort(ABORTED);
    job.clearAway();
    await job.finished.catch(() => {});
  }

  /** The data in memory now equals the file: it has just been loaded. */
  loaded(): void {
    this.#savedDirty = this.#engine.keyspace.effects.dirty;
  }

  /** Returns whether the data is saved. */
  #finished(job: SnapshotJob, dirty: number, error?: Error): boolean {
    this.#job = undefined;
    this.lastSeconds = this.#now() - this.#startedAt;
    this.lastCopied = job.snapshot.copied;
    // The walk of a failed snapshot may not be finished; the next snapshot must not wait for it.
    job.clearAway();
    if (error === undefined) {
      this.#log('notice', 'Background saving terminated with success');
      this.#succeeded(dirty);
    } else {
      this.#log('warning', `Background saving error: ${error.message}`);
      if (error !== ABORTED) this.isLastSaveOk = false;
      this.#reviewStatus();
    }
    return error === undefined;
  }

  #succeeded(dirty: number): void {
    this.#savedDirty = dirty;
    this.lastSave = this.#now();
    this.isLastSaveOk = true;
    this.#reviewStatus();
  }

  #tick(): void {
    if (this.#job !== undefined || this.#jobs.isOtherActive() || this.#engine.isLoading) return;
    const mayTry = this.isLastSaveOk || this.#now() - this.#lastTry > RETRY_SECONDS;
    if (this.#isScheduled && mayTry) {
      this.start();
      return;
    }
    const age = this.#now() - this.lastSave;
    const due = this.#rules.find(({ seconds, changes }) => this.changes >= changes && age > seconds);
    if (due === undefined || !mayTry) return;
    this.#log('notice', `${due.changes} changes in ${due.seconds} seconds. Saving...`);
    this.start();
  }

  /** Refuses writes while saving fails, if configured and if there are save rules. */
  #reviewStatus(): void {
    const stops = this.#engine.settings.isOn('stop-writes-on-bgsave-error');
    this.#engine.refuseWrites('rdb', !this.isLastSaveOk && stops && this.hasRules ? STOPPED : undefined);
  }

  #newTemporaryPath(pid?: number): string {
    return temporaryPath(this.#engine.settings.text('dir'), '', 'rdb', pid);
  }

  #now(): number {
    return Math.floor(this.#engine.keyspace.clock.now() / 1000);
  }

  #log(level: 'notice' | 'warning', message: string): void {
    this.#engine.host.log(level, message);
  }
}

function saveRules(text: string): SaveRule[] {
  const numbers = text
    .split(' ')
    .filter((word) => word !== '')
    .map(Number);
  const rules: SaveRule[] = [];
  for (let i = 0; i + 1 < numbers.length; i += 2) {
    rules.push({ seconds: numbers[i] as number, changes: numbers[i + 1] as number });
  }
  return rules;
}

/** Time before the next attempt after a failure. */
const RETRY_SECONDS = 5;
