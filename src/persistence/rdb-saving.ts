import { resolve } from 'node:path';
import { CommandError } from '../commands/errors.js';
import type { Engine } from '../engine/engine.js';
import { FileOutput } from './file-output.js';
import { rdbFormat } from './rdb-options.js';
import { SnapshotJob } from './snapshot-job.js';
import { temporaryPath } from './temporary-files.js';
import { writeKeyspaceFile } from './write-snapshot.js';

/** So many changes, and so many seconds since the last save: time for another one. */
interface SaveRule {
  readonly seconds: number;
  readonly changes: number;
}

const STOPPED = new CommandError(
  "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. Commands that may " +
    'modify the data set are disabled, because this instance is configured to report errors during writes if RDB ' +
    'snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error.',
);

/** Saving to the file that `dbfilename` names: on request, in the background, and by the `save` rules. */
export class RdbSaving {
  /** When a save last succeeded, in Unix seconds; to begin with, the time of start. */
  lastSave: number;
  isLastSaveOk = true;
  /** Of the last save in the background: seconds it took (-1: there was none), bytes of memory it needed. */
  lastSeconds = -1;
  lastKept = 0;
  saves = 0;
  backgroundSaves = 0;
  /** `repl-stream-db`, `repl-id` and `repl-offset` of a server that has replicas. */
  replicationFields: () => readonly (readonly [string, string])[] = () => [];
  /** Whether something else is going on that must not happen at the same time as a save: a rewrite of the AOF. */
  isOtherJobActive: () => boolean = () => false;
  readonly #engine: Engine;
  #rules: readonly SaveRule[] = [];
  #savedDirty = 0;
  #job: SnapshotJob | undefined;
  #startedAt = 0;
  #lastTry = 0;
  #isScheduled = false;

  constructor(engine: Engine) {
    this.#engine = engine;
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

  /** The save that is going on in the background. */
  get job(): SnapshotJob | undefined {
    return this.#job;
  }

  /** Seconds since it began; -1 if there is none. */
  get currentSeconds(): number {
    return this.#job === undefined ? -1 : this.#now() - this.#startedAt;
  }

  /** Saves while everybody waits. False, with the reason in the log, if that failed. */
  saveNow(): boolean {
    const { keyspace, settings } = this.#engine;
    this.saves++;
    try {
      const format = rdbFormat(this.#engine, { replication: this.replicationFields() });
      const paths = { temporaryPath: this.#newTemporaryPath(), path: this.path };
      writeKeyspaceFile(keyspace, format, settings.isOn('rdbchecksum'), paths);
    } catch (error) {
      this.#log('warning', `Error saving DB on disk: ${(error as Error).message}`);
      return false;
    }
    this.#log('notice', 'DB saved on disk');
    this.#succeeded(keyspace.effects.dirty);
    return true;
  }

  /** Begins to save in the background. */
  start(): void {
    const { keyspace, settings } = this.#engine;
    const { dirty } = keyspace.effects;
    this.#isScheduled = false;
    this.#lastTry = this.#now();
    this.#startedAt = this.#now();
    this.saves++;
    this.backgroundSaves++;
    const format = rdbFormat(this.#engine, { replication: this.replicationFields() });
    const output = new FileOutput(
      this.#newTemporaryPath(),
      this.path,
      settings.isOn('rdb-save-incremental-fsync'),
    );
    const job = new SnapshotJob(this.#engine, format, output, settings.isOn('rdbchecksum'));
    this.#job = job;
    this.#log('notice', 'Background saving started');
    job.finished.then(
      () => this.#finished(job, dirty),
      (error: Error) => this.#finished(job, dirty, error),
    );
  }

  /** Saves in the background as soon as nothing else is in the way. */
  schedule(): void {
    this.#isScheduled = true;
  }

  /** Gives up a save in the background; resolves when nothing remains of it. */
  async abort(): Promise<void> {
    const job = this.#job;
    if (job === undefined) return;
    job.abort(new Error('given up'));
    job.clearAway();
    await job.finished.catch(() => {});
  }

  /** What is in memory now is what the file holds: it has just been loaded. */
  loaded(): void {
    this.#savedDirty = this.#engine.keyspace.effects.dirty;
  }

  #finished(job: SnapshotJob, dirty: number, error?: Error): void {
    this.#job = undefined;
    this.lastSeconds = this.#now() - this.#startedAt;
    this.lastKept = job.snapshot.mostKept;
    // The walk over the rest of a failed snapshot need not be over yet; the next one must not wait for it.
    job.clearAway();
    if (error === undefined) {
      this.#log('notice', 'Background saving terminated with success');
      this.#succeeded(dirty);
    } else {
      this.#log('warning', `Background saving error: ${error.message}`);
      this.isLastSaveOk = false;
      this.#reviewStatus();
    }
  }

  #succeeded(dirty: number): void {
    this.#savedDirty = dirty;
    this.lastSave = this.#now();
    this.isLastSaveOk = true;
    this.#reviewStatus();
  }

  #tick(): void {
    if (this.#job !== undefined || this.isOtherJobActive() || this.#engine.isLoading) return;
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

  /** Writes are refused while saving fails, if so configured and saving is wanted at all. */
  #reviewStatus(): void {
    const stops = this.#engine.settings.isOn('stop-writes-on-bgsave-error');
    this.#engine.refuseWrites('rdb', !this.isLastSaveOk && stops && this.hasRules ? STOPPED : undefined);
  }

  #newTemporaryPath(): string {
    return temporaryPath(this.#engine.settings.text('dir'), '', 'rdb');
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

/** After a failure, so long passes before the next try. */
const RETRY_SECONDS = 5;
