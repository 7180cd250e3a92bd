import { setImmediate } from 'node:timers';
import { seededRandom } from '../../bytes/random.js';
import { configureAll } from '../../commands/config/program-settings.js';
import { type AbsentParts, Settings } from '../../commands/config/settings.js';
import { Engine } from '../../engine/engine.js';
import { keepRunning, systemTimers } from '../../engine/timers.js';
import type { Persistence } from '../../persistence/persistence.js';
import { ValueReply } from '../../resp/value-reply.js';
import type { EmbeddedOptions } from '../options.js';
import { StoreError } from '../store-error.js';
import { type StoreTime, systemTime, timeOf } from '../time.js';
import { ArgumentList } from './argument-list.js';
import { KnownCommands } from './known-commands.js';

/** An engine in this process. It is closed when its last user leaves. */
export class EmbeddedEngine {
  readonly engine: Engine;
  readonly time: StoreTime;
  /** Shared by all clients: each command ends before the next begins. */
  readonly request = new ArgumentList();
  readonly commands: KnownCommands;
  readonly reply = new ValueReply<StoreError>((text) => StoreError.fromReply(text));
  /** The files in which the data is kept; undefined in memory. */
  files: Persistence | undefined;
  #users = 0;
  readonly #closing: (() => void | Promise<void>)[] = [];
  #closed: Promise<void> | undefined;
  #waiting: Waiting[] = [];
  #callsInTurn = 0;
  #waits = 0;
  #awake: NodeJS.Timeout | undefined;

  constructor(options: EmbeddedOptions, files: 'kept' | 'none' = 'none') {
    const settings = new Settings(files === 'kept' ? ABSENT : IN_MEMORY);
    const values = { ...(files === 'kept' ? {} : { save: '' }), ...options.settings };
    configureAll(settings, values, (_, message) => new StoreError('OPTION', message));
    for (const warning of settings.takeWarnings()) process.emitWarning(warning, 'SorrelWarning');
    const { clock, seed } = options;
    this.time = clock === undefined ? systemTime : timeOf(clock);
    this.engine = new Engine({
      settings,
      databases: settings.number('databases'),
      timers: clock ?? systemTimers,
      ...(clock === undefined ? {} : { clock }),
      ...(seed === undefined ? {} : { random: seededRandom(seed) }),
    });
    this.engine.scripting.timeLimit = options.scriptTimeout ?? DEFAULT_SCRIPT_TIMEOUT;
    this.commands = new KnownCommands(this.engine.table);
    this.engine.attach({
      repliesReleased: () => this.#release(),
      repliesLost: (reason) => this.#fail(reason),
    });
    if (clock === undefined) this.engine.background.start();
    else this.#closing.push(clock.onMove(() => this.engine.background.tick()));
  }

  /** Every user of the engine calls this first, and `leave` at the end. */
  join(): void {
    this.#users++;
  }

  async leave(): Promise<void> {
    if (--this.#users === 0) await this.close();
  }

  /** Registers work to do when the engine closes, last registered first. The returned function cancels it. */
  onClose(work: () => void | Promise<void>): () => void {
    this.#closing.push(work);
    return () => {
      const at = this.#closing.indexOf(work);
      if (at >= 0) this.#closing.splice(at, 1);
    };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** All of it is closed, whatever fails. Rejects with the first failure. */
  async #close(): Promise<void> {
    const failures: unknown[] = [];
    for (let work = this.#closing.pop(); work !== undefined; work = this.#closing.pop()) {
      try {
        await work();
      } catch (error) {
        failures.push(error);
      }
    }
    this.engine.close();
    this.#release();
    if (failures.length > 0) throw failures[0];
  }

  // ---- returning results ----

  /**
   * When a new result may be returned; undefined means at once. It is delayed if the append-only file does not have the
   * change yet. It is also delayed from time to time to let the event loop run: otherwise a program that awaits one command
   * after the other would block timers and sockets.
   */
  delay(): Promise<void> | undefined {
    if (this.engine.holdsReplies) {
      return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
    }
    if (++this.#callsInTurn < CALLS_PER_TURN) return undefined;
    this.#callsInTurn = 0;
    return new Promise((resolve) => setImmediate(resolve));
  }

  /** Writes changes to disk as the settings require, before a synchronous call returns. */
  syncNow: () => void = () => {};

  /** Writes all changes to disk, whatever the settings are. Returns false if there is no append-only file. */
  syncFiles: () => Promise<boolean> = async () => false;

  /** Keeps the process alive while a caller waits for the engine. The returned function ends that. */
  stayAwake(): () => void {
    if (this.#waits++ === 0) this.#awake = keepRunning();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#waits === 0) clearInterval(this.#awake);
    };
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { resolve } of waiting) resolve();
  }

  #fail(reason: string): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reject } of waiting) reject(notStored(reason));
  }
}

/** A call whose result is held back. */
interface Waiting {
  resolve(): void;
  reject(error: StoreError): void;
}

/** The error of a call that has changed data in memory, but not in the files. */
export function notStored(reason: string): StoreError {
  return new StoreError(
    'FILES',
    `the change could not be written to the append-only file: ${reason}. It is in memory, and is lost if the store ends before ` +
      'the file can be written again',
    { mayHaveRun: true },
  );
}

/** Why settings of a server have no effect in an embedded engine. */
const ABSENT: AbsentParts = {
  sockets: 'an embedded store opens no sockets by itself: use store.listen({ port }) or store.unixSocket()',
  log: 'an embedded store writes no log',
  process: 'the process belongs to the program that embeds the store',
  users: 'an embedded store reads no ACL file: define users with ACL SETUSER',
  master: "an embedded store follows a master with open(address, { replicaOf: 'redis://…' })",
  cluster: "an embedded store is no node of a cluster: start nodes with openCluster() of 'sorrel/server'",
};

const IN_MEMORY: AbsentParts = {
  ...ABSENT,
  files: "this store keeps its data in memory only: open('file:./folder') keeps it in files",
};

/** About one millisecond of work. */
const CALLS_PER_TURN = 512;

const DEFAULT_SCRIPT_TIMEOUT = 5000;
