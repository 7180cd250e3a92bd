import type { ShutdownOptions, Wait } from '../commands/engine-port.js';
import { CommandError } from '../commands/errors.js';
import type { Session } from '../commands/session.js';
import { Type } from '../keyspace/kinds.js';
import type { Persistence } from '../persistence/persistence.js';
import type { Server } from './server.js';

/**
 * Ends a server, by SHUTDOWN or a signal. If replicas have not received everything, it waits up to `shutdown-timeout` seconds
 * for them; writes wait meanwhile. SHUTDOWN ABORT cancels that. Clients that have sent SHUTDOWN get no reply unless the server stays.
 */
export class Shutdown {
  readonly #server: Server;
  /** What a signal demands at the next tick. */
  #signalled: { readonly signal: string; readonly options: ShutdownOptions } | undefined;
  /** A shutdown that waits for replicas. */
  #late: { readonly options: ShutdownOptions; readonly deadline: number } | undefined;
  /** The last save is being written, slowly: see `Persistence.exitsSlowly`. */
  #isSaving = false;
  /** Clients that have sent SHUTDOWN and wait. */
  #waiting: Session[] = [];

  constructor(server: Server) {
    this.#server = server;
  }

  get isWaiting(): boolean {
    return this.#late !== undefined || this.#signalled !== undefined || this.#isSaving;
  }

  /** A signal demands it. As in Redis, the server ends at the next tick, unless SHUTDOWN ABORT comes first. */
  signal(signal: string, options: ShutdownOptions): void {
    this.#log(`Received ${signal} scheduling shutdown...`);
    this.#signalled = { signal, options };
  }

  /** For INFO: how long it will wait for replicas at most; undefined if no shutdown waits. */
  get remainingMs(): number | undefined {
    if (this.#late === undefined) return undefined;
    return Math.max(0, this.#late.deadline - this.#server.engine.keyspace.now);
  }

  /** Returns false if the server cannot end. Otherwise the session that sent SHUTDOWN, if there is one, waits. */
  request(options: ShutdownOptions, session?: Session): boolean {
    if (this.#late === undefined && !this.#isSaving) {
      const { engine, ownReplication } = this.#server;
      this.#log('User requested shutdown...');
      const seconds = engine.settings.number('shutdown-timeout');
      const replicas = ownReplication?.replicas;
      if (replicas === undefined || replicas.isCaughtUp || options.now || seconds === 0) {
        const isEnding = this.#end(options);
        if (this.#isSaving) this.#wait(session);
        return isEnding;
      }
      this.#server.log('notice', 'Waiting for replicas before shutting down.');
      engine.pause.pause('write', Number.MAX_SAFE_INTEGER, 'shutdown');
      replicas.askForAcknowledgement();
      this.#late = { options, deadline: engine.keyspace.clock.now() + seconds * 1000 };
    }
    this.#wait(session);
    return true;
  }

  #wait(session: Session | undefined): void {
    if (session === undefined) return;
    this.#waiting.push(session);
    this.#server.engine.block(session, UNTIL_THE_END);
  }

  /** Called at ticks: ends the server after a signal, and when the replicas have caught up, or the time is over. */
  review(): void {
    const signalled = this.#signalled;
    this.#signalled = undefined;
    if (signalled !== undefined && !this.request(signalled.options)) {
      this.#log(`${signalled.signal} received but errors trying to shut down the server, check the logs`);
    }
    if (this.#late === undefined || this.#isSaving) return;
    const { options, deadline } = this.#late;
    const isCaughtUp = this.#server.ownReplication?.replicas.isCaughtUp ?? true;
    if (!isCaughtUp && this.#server.engine.keyspace.now < deadline) return;
    if (!this.#end(options)) this.#cancel();
  }

  /** SHUTDOWN ABORT. False if there is nothing to abort. */
  abort(): boolean {
    if (!this.isWaiting || this.#isSaving) return false;
    this.#signalled = undefined;
    if (this.#late !== undefined) this.#cancel();
    this.#server.log('notice', 'Shutdown manually aborted.');
    return true;
  }

  #cancel(): void {
    const { engine } = this.#server;
    this.#late = undefined;
    engine.pause.unpause('shutdown');
    for (const session of this.#waiting.splice(0)) engine.unblock(session, SHUTDOWN_FAILED);
  }

  #end(options: ShutdownOptions): boolean {
    const server = this.#server;
    server.ownReplication?.replicas.logShutdown();
    const isBusy = server.engine.scripting.busyError !== undefined;
    // The first append-only file cannot be completed while a script runs: waiting for it would never end.
    const force = options.force || isBusy;
    if (!isBusy && server.files?.exitsSlowly(options) === true) {
      this.#isSaving = true;
      void this.#saveAndExit(server.files, options);
      return true;
    }
    const isSaved = server.files?.beforeExit({ ...options, force }) !== false;
    if (isSaved) this.#exit(isBusy);
    else this.#logFailure();
    return isSaved;
  }

  /** All clients wait, as they do for every last save. */
  async #saveAndExit(files: Persistence, options: ShutdownOptions): Promise<void> {
    this.#server.engine.pause.pause('all', Number.MAX_SAFE_INTEGER, 'shutdown');
    const isSaved = await files.beforeSlowExit(options);
    this.#isSaving = false;
    if (isSaved) {
      this.#exit(false);
    } else {
      this.#logFailure();
      this.#cancel();
    }
  }

  #logFailure(): void {
    this.#log('Errors trying to shut down the server. Check the logs for more information.');
  }

  #exit(isBusy: boolean): void {
    const server = this.#server;
    this.#late = undefined;
    if (isBusy) {
      // Nothing else can run until the script ends, and its incomplete changes must not be saved.
      server.onShutdown();
      server.engine.scripting.abandon();
    }
    void server.close().then(() => {
      this.#log('Sorrel is now ready to exit, bye bye...');
      server.onShutdown();
    });
  }

  #log(message: string): void {
    this.#server.log('warning', message);
  }
}

const SHUTDOWN_FAILED = new CommandError('ERR Errors trying to SHUTDOWN. Check logs.');

const UNTIL_THE_END: Wait = {
  keys: [],
  type: Type.string,
  deadline: 0,
  serve: () => false,
  timedOut: (reply) => reply.error(SHUTDOWN_FAILED.text),
};
