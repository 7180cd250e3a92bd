import { constants, openSync } from 'node:fs';
import { SettingError } from '../../commands/config/kinds.js';
import { CommandError } from '../../commands/errors.js';
import type { Engine } from '../../engine/engine.js';
import type { EffectCommand, EffectsListener } from '../../keyspace/effects.js';
import type { JobHost } from '../snapshot/snapshot-job.js';
import { writeKeyspaceFile } from '../snapshot/write-snapshot.js';
import { AofFolder } from './aof-folder.js';
import { AofLoading } from './aof-loading.js';
import { AofOutput, type SyncPolicy } from './aof-output.js';
import { AofRewriting, type RewriteTarget } from './aof-rewriting.js';
import { withBase } from './manifest.js';

/**
 * The append-only file of an engine: all its changes, as commands, in the folder `appenddirname`. The state is
 * `waiting` from CONFIG SET appendonly yes until the first base file is complete.
 */
export class AppendOnly implements EffectsListener, RewriteTarget {
  state: 'off' | 'on' | 'waiting' = 'off';
  readonly folder: AofFolder;
  readonly output: AofOutput;
  readonly rewriting: AofRewriting;
  /** Bytes of all files after the last rewrite. */
  baseSize = 0;
  /** Bytes of all files but the one being written. */
  #otherBytes = 0;
  /** Ends the process when writes cannot be stored under `always`. Without it, their replies are dropped and writes are refused. */
  onFatal: ((reason: string) => void) | undefined;
  /** Tells of those that must not run at the same time as a rewrite. */
  readonly jobs: JobHost;
  readonly #engine: Engine;
  #unsubscribe: (() => void) | undefined;
  #hasStarted = false;
  #cancelFlush: (() => void) | undefined;

  constructor(engine: Engine, jobs: JobHost) {
    this.#engine = engine;
    this.jobs = jobs;
    this.folder = new AofFolder(engine.settings);
    this.output = new AofOutput({
      now: () => this.now(),
      milliseconds: () => engine.keyspace.clock.now(),
      log: (level, message) => engine.host.log(level, message),
      fail: (reason) => {
        const text = this.onFatal === undefined ? reason : `${reason} Exiting...`;
        engine.host.log('warning', text);
        this.onFatal?.(text);
      },
      statusChanged: (reason) => this.#reviewStatus(reason),
      isJobActive: () => this.rewriting.isActive || this.jobs.isOtherActive(),
      latency: engine.latencyMonitor,
    });
    this.rewriting = new AofRewriting(engine, this);
    this.#obeySettings();
    engine.background.everyTick(() => this.#tick());
  }

  get currentSize(): number {
    return this.#otherBytes + this.output.offset;
  }

  now(): number {
    return Math.floor(this.#engine.keyspace.clock.now() / 1000);
  }

  #obeySettings(): void {
    const engine = this.#engine;
    const { settings } = engine;
    const { output } = this;
    settings.onChange('appendfsync', (policy) => {
      if (engine.holdsReplies) this.flushTurn();
      output.policy = policy as SyncPolicy;
      // Commands written under another policy are synced, too.
      if (policy === 'always') output.flush(true);
    });
    settings.onChange('no-appendfsync-on-rewrite', (text) => {
      output.yieldsToJobs = text === 'yes';
    });
    settings.onChange('aof-timestamp-enabled', (text) => {
      output.hasTimestamps = text === 'yes';
    });
    settings.onChange('aof-disable-auto-gc', (text) => {
      if (this.#hasStarted && text === 'no')
        this.folder.removeHistory((message) => this.#log('notice', message));
    });
    settings.onChange('appendonly', (text) => {
      if (!this.#hasStarted) return;
      if (text === 'yes' && this.state === 'off') this.#turnOn();
      else if (text === 'no' && this.state !== 'off') this.#turnOff();
    });
  }

  // ---- starting and stopping ----

  /** Whether the settings ask for an append-only file. */
  get isWanted(): boolean {
    return this.#engine.settings.isOn('appendonly');
  }

  /**
   * Reads the manifest, and moves the file of an older Redis into the folder. Throws `FolderLocked` if another
   * process writes to these files.
   */
  prepare(): void {
    if (!this.isWanted) {
      this.folder.read();
      return;
    }
    this.folder.lock();
    this.folder.read();
    this.folder.removeTemporaryFiles();
    if (!this.folder.upgrade()) return;
    const { fileName, folderName } = this.folder;
    this.#log(
      'notice',
      `Successfully migrated an old-style AOF configuration (${fileName}) into the AOF directory (${folderName}).`,
    );
  }

  /** The files to load; undefined if there are none. */
  loading(): AofLoading | undefined {
    return this.folder.isEmpty ? undefined : new AofLoading(this.#engine, this.folder);
  }

  /** Called after loading: starts recording, if configured. Throws the system's error. */
  start(): void {
    this.#hasStarted = true;
    if (!this.isWanted) return;
    if (this.folder.isEmpty) this.#createBase();
    this.#openLastIncrement();
    this.#measure();
    this.baseSize =
      this.folder.manifest.base === undefined ? 0 : this.folder.sizeOf(this.folder.manifest.base);
    this.state = 'on';
    this.#record();
    this.folder.removeHistory((message) => this.#log('notice', message));
  }

  #createBase(): void {
    const { folder } = this;
    const { kind, format, hasChecksum } = this.rewriting.format();
    const base = folder.nextBase(kind);
    this.#log('notice', `Creating AOF base file ${base.name} on server start`);
    const path = folder.pathOf(base.name);
    const temporaryPath = folder.pathOf(`temp-${base.name}`);
    writeKeyspaceFile(this.#engine.keyspace, format, hasChecksum, { temporaryPath, path });
    folder.persist(withBase(folder.manifest, base, 0));
  }

  #openLastIncrement(): void {
    const { folder, output } = this;
    const last = folder.manifest.increments.at(-1);
    if (last !== undefined) {
      output.switchTo(openSync(folder.pathOf(last.name), 'a', 0o644));
      this.#log('notice', `Opening AOF incr file ${last.name} on server start`);
      return;
    }
    const { manifest, part } = folder.withIncrement();
    output.switchTo(openSync(folder.pathOf(part.name), 'a', 0o644));
    folder.persist(manifest);
    this.#log('notice', `Creating AOF incr file ${part.name} on server start`);
  }

  /** CONFIG SET appendonly yes: the first step is to write a base. */
  #turnOn(): void {
    this.#lock();
    this.state = 'waiting';
    const { rewriting } = this;
    if (this.jobs.isOtherActive()) {
      rewriting.schedule();
      this.#log(
        'warning',
        'AOF was enabled but there is already another background operation. An AOF background was scheduled to ' +
          'start when possible.',
      );
      return;
    }
    if (this.#engine.transactions.isExecuting) {
      // The commands of the transaction would be both in the base and in the appended commands.
      rewriting.schedule();
      this.#log(
        'warning',
        'AOF was enabled during a transaction. An AOF background was scheduled to start when possible.',
      );
      return;
    }
    if (rewriting.isActive) {
      this.#log(
        'warning',
        'AOF was enabled but there is already an AOF rewriting in background. Stopping background AOF and starting ' +
          'a rewrite now.',
      );
      void rewriting.abort();
    }
    if (rewriting.start()) return;
    this.state = 'off';
    this.folder.unlock();
    throw new SettingError('Unable to turn on AOF. Check server logs.');
  }

  #lock(): void {
    try {
      this.folder.lock();
    } catch (error) {
      throw new SettingError((error as Error).message);
    }
  }

  #turnOff(): void {
    this.#stopRecording();
    this.state = 'off';
    if (this.rewriting.isActive)
      this.#log('notice', 'Killing the running AOF rewrite (it has no child process)');
    void this.rewriting.abort();
    this.rewriting.unschedule();
    this.output.close();
    this.folder.unlock();
    this.#engine.replyHolders.release(this);
  }

  /** Stops recording, because all data is about to be replaced: by that of a master. */
  suspend(): void {
    if (this.state !== 'off') this.#turnOff();
  }

  /** Writes a new base of the replaced data, and records from then on. */
  resume(): void {
    if (!this.#hasStarted || !this.isWanted || this.state !== 'off') return;
    try {
      this.#turnOn();
    } catch (error) {
      this.#log('warning', `Unable to restart the append only file: ${(error as SettingError).reason}`);
    }
  }

  /** Writes and syncs everything, before SHUTDOWN. Returns false if the process should not exit. */
  beforeExit(force: boolean): boolean {
    if (this.rewriting.isActive) {
      if (this.state === 'waiting') {
        this.#log(
          'warning',
          force ? 'Writing initial AOF. Exit anyway.' : "Writing initial AOF, can't exit.",
        );
        if (!force) return false;
      }
      this.#log('warning', 'A background rewrite of the AOF is running. Aborting it!');
      void this.rewriting.abort();
    }
    if (this.state === 'off') return true;
    this.#log('notice', 'Calling fsync() on the AOF file.');
    this.output.flush(true);
    return true;
  }

  /** Returns why the last changes are not in the file; undefined if they are. */
  async close(): Promise<string | undefined> {
    this.#stopRecording();
    if (this.#cancelFlush !== undefined) this.flushTurn();
    await this.rewriting.abort();
    const lost = this.output.close();
    this.folder.unlock();
    this.#engine.replyHolders.release(this);
    this.state = 'off';
    this.#hasStarted = false;
    return lost;
  }

  // ---- recording ----

  #record(): void {
    this.#unsubscribe ??= this.#engine.keyspace.effects.subscribe(this);
  }

  #stopRecording(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  batch(commands: readonly EffectCommand[], independent: boolean): void {
    if (!this.output.append(commands, independent)) return;
    this.#engine.replyHolders.hold(this);
    this.#cancelFlush ??= this.#engine.timers.soon(() => this.flushTurn());
  }

  /**
   * Called after all waiting input of all clients was processed: one write, and under `always` one sync, serves all
   * of them. Then their replies are sent. If the file cannot be written under `always`, they would not be true: they are dropped.
   */
  flushTurn(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    this.output.flush();
    const { policy, failure } = this.output;
    if (policy === 'always' && failure !== undefined && this.#engine.holdsReplies) {
      this.#engine.parts.repliesLost(failure);
    }
    this.#engine.replyHolders.release(this);
  }

  /** Writes and syncs all changes up to now. Returns false if they are not kept in a file. */
  async sync(): Promise<boolean> {
    if (this.state !== 'on') return false;
    this.flushTurn();
    await this.output.syncNow();
    return true;
  }

  /** Opens the file for commands from now on, while the rewrite writes the data up to now. */
  openIncrement(): void {
    const { folder, output } = this;
    if (this.state === 'off') return;
    if (this.state === 'waiting') {
      output.discard();
      output.switchTo(openSync(folder.pathOf(this.temporaryIncrement), NEW_FILE, 0o644));
      this.#record();
      return;
    }
    output.flush(true);
    // The buffered commands would go to the new file, where another database is selected.
    if (output.bufferLength > 0)
      throw new Error('earlier commands could not be written to the append only file');
    this.#engine.replyHolders.release(this);
    const { manifest, part } = folder.withIncrement();
    const fd = openSync(folder.pathOf(part.name), NEW_FILE, 0o644);
    folder.persist(manifest);
    this.#otherBytes += output.offset;
    output.switchTo(fd);
  }

  get temporaryIncrement(): string {
    return `temp-${this.folder.fileName}.incr`;
  }

  /** A rewrite is complete, and the manifest names its base. */
  rewritten(): void {
    if (this.state === 'waiting') this.state = 'on';
    if (this.state === 'on') {
      this.#measure();
      this.baseSize = this.currentSize;
    }
    this.folder.removeHistory((message) => this.#log('notice', message));
  }

  /** The rewrite failed: without a base no commands can be appended. Another attempt follows. */
  rewriteFailed(): void {
    if (this.state !== 'waiting') return;
    this.#stopRecording();
    this.output.discard();
    this.#engine.replyHolders.release(this);
    this.#log('notice', `Removing the temp incr aof file ${this.temporaryIncrement} in the background`);
    this.folder.removeFile(this.temporaryIncrement);
    this.rewriting.schedule();
  }

  #measure(): void {
    const { folder, output } = this;
    const total = folder.parts.reduce((sum, part) => sum + folder.sizeOf(part), 0);
    this.#otherBytes = total - output.offset;
  }

  #reviewStatus(reason: string | undefined): void {
    const error =
      reason === undefined
        ? undefined
        : new CommandError(`MISCONF Errors writing to the AOF file: ${reason}`);
    this.#engine.refuseWrites('aof', error);
  }

  #tick(): void {
    if (!this.#hasStarted) return;
    if (this.state !== 'off' && this.#cancelFlush === undefined) this.output.flush();
    this.rewriting.tick();
  }

  #log(level: 'notice' | 'warning', message: string): void {
    this.#engine.host.log(level, message);
  }
}

/** Opened for appending, so that writes go to the new end after a truncation. */
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND;
