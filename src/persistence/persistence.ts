import type { PersistencePort, ReloadOptions, ShutdownOptions } from '../commands/engine-port.js';
import { CommandError } from '../commands/errors.js';
import type { Engine } from '../engine/engine.js';
import { AppendOnly } from './aof/append-only.js';
import { fileExists, RdbLoading } from './rdb-loading.js';
import { RdbSaving } from './rdb-saving.js';
import type { JobProcess } from './snapshot/snapshot-job.js';
import { removeIfThere, removeStaleFiles } from './temporary-files.js';

const SAVING = new CommandError('ERR Background save already in progress');
const OTHER_JOB = new CommandError(
  "ERR Another child process is active (AOF?): can't BGSAVE right now. Use BGSAVE SCHEDULE in order to schedule a " +
    'BGSAVE whenever possible.',
);
const FAILED = new CommandError('ERR');
const AOF_NOT_LOADED = new CommandError('ERR Error trying to load the AOF files, check server logs.');
const NOT_LOADED = new CommandError('ERR Error trying to load the RDB dump, check server logs.');

type ExitOptions = Pick<ShutdownOptions, 'save' | 'force'>;

/** The progress of loading: times in Unix ms, sizes in bytes. */
interface LoadingProgress {
  readonly startedAt: number;
  readonly position: number;
  readonly size: number;
  /** Memory that the data took when it was saved. */
  readonly usedMemory: number;
}

/** Keeps an engine's data in files. Create it once per engine, before the engine is used; then call `load`. */
export class Persistence implements PersistencePort {
  readonly rdb: RdbSaving;
  readonly aof: AppendOnly;
  /** The auxiliary fields of the RDB file that was loaded at the start. */
  loadedFields: ReadonlyMap<string, string> | undefined;
  /** Why `beforeExit` or `close` could not store the last changes: they are lost. */
  lost: string | undefined;
  /** Starts a process that stands for a background job; undefined if jobs have none. */
  readonly startProcess: () => JobProcess | undefined;
  readonly #engine: Engine;
  /** Whether a job that must not run at the same time as a save is active. */
  readonly #isRdbBlocked: () => boolean;
  readonly #detach: () => void;
  #loading: LoadingProgress | undefined;
  #lastLoaded = 0;
  #lastExpired = 0;

  constructor(engine: Engine, startProcess: () => JobProcess | undefined = () => undefined) {
    this.#engine = engine;
    this.startProcess = startProcess;
    // Also while a snapshot is being sent to replicas.
    const isSnapshotTaken = (): boolean => engine.keyspace.changeGuard !== undefined;
    this.#isRdbBlocked = () => this.aof.rewriting.isActive || isSnapshotTaken();
    this.rdb = new RdbSaving(engine, { startProcess, isOtherActive: this.#isRdbBlocked });
    this.aof = new AppendOnly(engine, {
      startProcess,
      isOtherActive: () => this.rdb.job !== undefined || isSnapshotTaken(),
    });
    this.#detach = engine.attach({
      persistence: this,
      facts: this.#facts(),
      resetCounters: () => this.#resetCounters(),
    });
  }

  /**
   * Loads the data of the last process and starts recording if configured. With `appendonly yes` only the append-only
   * file is loaded, never the RDB file. Meanwhile commands are refused unless their rows allow them during loading.
   */
  async load(): Promise<void> {
    this.#engine.loading.hold(this);
    try {
      removeStaleFiles(this.#engine.settings.text('dir') || '.');
      this.aof.prepare();
      if (this.aof.isWanted) await this.#loadAppendOnly();
      else if (fileExists(this.rdb.path)) await this.#loadFile();
      this.aof.start();
    } catch (error) {
      this.aof.folder.unlock();
      throw error;
    } finally {
      this.#engine.loading.release(this);
      this.#loading = undefined;
    }
  }

  async #loadAppendOnly(): Promise<void> {
    const loading = this.aof.loading();
    if (loading === undefined) return;
    this.#loading = loading;
    await loading.load(this.#progressLog(loading));
    const { host, keyspace } = this.#engine;
    const seconds = ((keyspace.clock.now() - loading.startedAt) / 1000).toFixed(3);
    host.log('notice', `DB loaded from append only file: ${seconds} seconds`);
    this.rdb.loaded();
  }

  async #loadFile(): Promise<void> {
    const loading = new RdbLoading(this.#engine, this.rdb.path);
    const { file, loader, startedAt } = loading;
    const progress: LoadingProgress = {
      startedAt,
      size: file.size,
      get position() {
        return file.position;
      },
      get usedMemory() {
        return Number(loader.auxiliary.get('used-mem') ?? 0);
      },
    };
    this.#loading = progress;
    await loading.load(this.#progressLog(progress));
    this.loadedFields = loader.auxiliary;
    this.#loaded(loading);
  }

  /** Returns a function to be called repeatedly, which logs the loading progress every two seconds. */
  #progressLog(progress: LoadingProgress): () => void {
    const { host, keyspace } = this.#engine;
    let loggedAt = progress.startedAt;
    return () => {
      const now = keyspace.clock.now();
      if (now - loggedAt < MS_BETWEEN_PROGRESS) return;
      loggedAt = now;
      const { position, size } = progress;
      const left = Math.ceil(((now - progress.startedAt) * (size - position)) / Math.max(position, 1) / 1000);
      host.log(
        'notice',
        `Loading: ${percentOf(position, size)}% of ${(size / 1e6).toFixed(1)} MB, about ${left} seconds to go`,
      );
    };
  }

  /**
   * Runs before SHUTDOWN and on signals. Returns false if the data could not be saved, and the process should not
   * exit.
   */
  beforeExit(options: ExitOptions): boolean {
    if (!this.#endJobs(options)) return false;
    if (!this.#savesAtExit(options)) return true;
    this.#logFinalSave();
    return this.#isSaved(this.rdb.saveNow(), options);
  }

  /** Whether SHUTDOWN and signals must use `beforeSlowExit`, so that a second signal ends the process during the save. */
  exitsSlowly(options: ExitOptions): boolean {
    const { rdb } = this;
    const canStart = rdb.job !== undefined || !this.#isRdbBlocked();
    return rdb.isDelayed && canStart && this.#savesAtExit(options);
  }

  async beforeSlowExit(options: ExitOptions): Promise<boolean> {
    if (!this.#endJobs(options)) return false;
    // An aborted background save must be gone before the next one.
    await this.rdb.abort();
    this.#logFinalSave();
    return this.#isSaved(await this.rdb.saveWithDelay(), options);
  }

  #logFinalSave(): void {
    this.#engine.host.log('notice', 'Saving the final RDB snapshot before exiting.');
  }

  /** Returns false if the append-only file could not be completed. */
  #endJobs({ force }: ExitOptions): boolean {
    const { host } = this.#engine;
    if (this.rdb.job !== undefined) {
      host.log('warning', 'A background save is running. Aborting it!');
      void this.rdb.abort();
    }
    return this.aof.beforeExit(force);
  }

  #savesAtExit({ save }: ExitOptions): boolean {
    return (save ?? this.rdb.hasRules) && !this.#engine.isLoading;
  }

  #isSaved(isSaved: boolean, { force }: ExitOptions): boolean {
    if (!isSaved) {
      this.#engine.host.log('warning', "Error trying to save the DB, can't exit.");
      if (force) this.lost = this.rdb.lastFailure;
    }
    return isSaved || force;
  }

  /** Aborts background jobs and closes the files. */
  async close(): Promise<void> {
    await this.rdb.abort();
    const lost = await this.aof.close();
    this.lost ??= lost;
    this.#detach();
  }

  /** `rdb-del-sync-files`: removes a file that was only written for replication, if nothing else keeps the data in files. */
  removeSyncFile(): void {
    const isKept = this.rdb.hasRules || this.aof.isWanted;
    if (this.#engine.settings.isOn('rdb-del-sync-files') && !isKept) removeIfThere(this.rdb.path);
  }

  // ---- called by commands ----

  get lastSave(): number {
    return this.rdb.lastSave;
  }

  save(): void {
    if (this.rdb.job !== undefined) throw SAVING;
    if (!this.rdb.saveNow()) throw FAILED;
  }

  saveInBackground(when: 'now' | 'possible' | 'later'): 'started' | 'scheduled' {
    if (this.rdb.job !== undefined) throw SAVING;
    const isBusy = this.#isRdbBlocked();
    if (isBusy && when === 'now') throw OTHER_JOB;
    if (isBusy || when === 'later') {
      this.rdb.schedule();
      return 'scheduled';
    }
    this.rdb.start();
    return 'started';
  }

  flushed(): void {
    void this.rdb.abort();
    this.rdb.abortSent();
    if (this.rdb.hasRules) this.rdb.saveNow();
  }

  reload({ saves, flushes, merges }: ReloadOptions): void {
    const { host } = this.#engine;
    if (saves && !this.rdb.saveNow()) throw FAILED;
    if (flushes) this.#empty();
    try {
      const loading = new RdbLoading(this.#engine, this.rdb.path, { replaces: merges });
      loading.loadNow();
      this.#loaded(loading);
    } catch (error) {
      host.log('warning', `Error loading ${this.rdb.path}: ${(error as Error).message}`);
      throw NOT_LOADED;
    }
    host.log('warning', 'DB reloaded by DEBUG RELOAD');
  }

  settle(): void {
    if (this.#engine.holdsReplies) this.aof.flushTurn();
  }

  rewriteInBackground(when: 'now' | 'later'): 'started' | 'scheduled' {
    return this.aof.rewriting.request(when);
  }

  /** DEBUG LOADAOF */
  reloadAppendOnly(): void {
    const { host } = this.#engine;
    this.aof.output.flush(true);
    this.#empty();
    this.#engine.loading.hold(this);
    try {
      this.aof.folder.readAgain();
      this.aof.loading()?.loadNow();
    } catch (error) {
      host.log('warning', `Error loading the append only file: ${(error as Error).message}`);
      throw AOF_NOT_LOADED;
    } finally {
      this.#engine.loading.release(this);
    }
    this.rdb.loaded();
    host.log('warning', 'Append Only File loaded by DEBUG LOADAOF');
  }

  /** Removes data and functions, before those of a file are loaded. */
  #empty(): void {
    const { keyspace, scripting } = this.#engine;
    keyspace.empty();
    scripting.flushLibraries();
  }

  #loaded({ loader }: RdbLoading): void {
    this.#lastLoaded = loader.loaded;
    this.#lastExpired = loader.expired;
    this.rdb.loaded();
  }

  // ---- INFO ----

  #resetCounters(): void {
    const { rdb } = this;
    const { rewriting, output } = this.aof;
    rdb.saves =
      rdb.backgroundSaves =
      rewriting.count =
      rewriting.consecutiveFailures =
      output.delayedSyncs =
        0;
  }

  #facts(): Record<string, () => string | number> {
    const { rdb } = this;
    return {
      loading: () => (this.#engine.isLoading ? 1 : 0),
      async_loading: () => (this.#engine.isAsyncLoading ? 1 : 0),
      current_cow_peak: () => rdb.job?.snapshot.copied ?? 0,
      current_cow_size: () => rdb.job?.snapshot.copied ?? 0,
      current_save_keys_processed: () => rdb.job?.snapshot.written ?? 0,
      current_save_keys_total: () => rdb.job?.snapshot.total ?? 0,
      current_fork_perc: () => percentOf(rdb.job?.snapshot.written ?? 0, rdb.job?.snapshot.total ?? 0),
      rdb_changes_since_last_save: () => rdb.changes,
      rdb_bgsave_in_progress: () => (rdb.job !== undefined || rdb.isSnapshotSent() ? 1 : 0),
      rdb_last_save_time: () => rdb.lastSave,
      rdb_last_bgsave_status: () => (rdb.isLastSaveOk ? 'ok' : 'err'),
      rdb_last_bgsave_time_sec: () => rdb.lastSeconds,
      rdb_current_bgsave_time_sec: () => rdb.currentSeconds,
      rdb_saves: () => rdb.saves,
      // Redis forks for each of these, and for nothing else that exists here.
      total_forks: () => rdb.backgroundSaves + this.aof.rewriting.count,
      rdb_last_cow_size: () => rdb.lastCopied,
      rdb_last_load_keys_expired: () => this.#lastExpired,
      rdb_last_load_keys_loaded: () => this.#lastLoaded,
      ...this.#loadingFacts(),
      ...appendOnlyFacts(this.aof),
    };
  }

  #loadingFacts(): Record<string, () => string | number> {
    const read = (): number => this.#loading?.position ?? 0;
    const size = (): number => this.#loading?.size ?? 0;
    const started = (): number => Math.floor((this.#loading?.startedAt ?? 0) / 1000);
    return {
      loading_start_time: started,
      loading_total_bytes: size,
      loading_rdb_used_mem: () => this.#loading?.usedMemory ?? 0,
      loading_loaded_bytes: read,
      loading_loaded_perc: () => percentOf(read(), size()),
      loading_eta_seconds: () => {
        const elapsed = Math.floor(this.#engine.keyspace.now / 1000) - started();
        return read() === 0 ? 1 : Math.floor((elapsed * (size() - read())) / read());
      },
    };
  }
}

function appendOnlyFacts(aof: AppendOnly): Record<string, () => string | number> {
  const { rewriting, output } = aof;
  return {
    aof_enabled: () => (aof.state === 'off' ? 0 : 1),
    aof_rewrite_in_progress: () => (rewriting.isActive ? 1 : 0),
    aof_rewrite_scheduled: () => (rewriting.isScheduled ? 1 : 0),
    aof_last_rewrite_time_sec: () => rewriting.lastSeconds,
    aof_current_rewrite_time_sec: () => rewriting.currentSeconds,
    aof_last_bgrewrite_status: () => (rewriting.isLastOk ? 'ok' : 'err'),
    aof_rewrites: () => rewriting.count,
    aof_rewrites_consecutive_failures: () => rewriting.consecutiveFailures,
    aof_last_write_status: () => (output.isWriteOk ? 'ok' : 'err'),
    aof_last_cow_size: () => rewriting.lastCopied,
    aof_current_size: () => aof.currentSize,
    aof_base_size: () => aof.baseSize,
    aof_pending_rewrite: () => (rewriting.isScheduled ? 1 : 0),
    aof_buffer_length: () => output.bufferLength,
    aof_pending_bio_fsync: () => output.pendingSyncs,
    aof_delayed_fsync: () => output.delayedSyncs,
    mem_aof_buffer: () => output.bufferLength,
  };
}

const MS_BETWEEN_PROGRESS = 2000;

function percentOf(part: number, whole: number): string {
  return (whole === 0 ? 0 : (part / whole) * 100).toFixed(2);
}
