import type { ShutdownOptions } from './engine-port.js';
import type { Session } from './session.js';

export type LogLevel = 'debug' | 'verbose' | 'notice' | 'warning';

/** The process and its machine, as INFO shows them; bytes and microseconds. */
export interface MachineFigures {
  /** Name, release and architecture. */
  readonly system: string;
  readonly processId: number;
  readonly executable: string;
  readonly systemBytes: number;
  readonly residentBytes: number;
  /** Memory outside the arenas: bytes in use, and bytes taken from the system for them. */
  readonly allocatedBytes: number;
  readonly activeBytes: number;
  readonly systemMicros: number;
  readonly userMicros: number;
}

/** The engine's surroundings: a server's process, or the program that embeds it. */
export interface HostPort {
  log(level: LogLevel, message: string): void;
  /** Memory of all clients' buffers. */
  readonly clientMemory: number;
  machine(): MachineFigures;
  /**
   * Returns true if the session's command must wait until the input that has arrived from others is read. The session is then blocked, and
   * passes the command in again.
   */
  readsOthersFirst(session: Session): boolean;
  /** Ends the server. Returns false if it cannot or may not. The session is blocked if the end has to wait. */
  shutdown(options: ShutdownOptions, session?: Session): boolean;
  /** Cancels a shutdown. False if none is in progress. */
  abortShutdown(): boolean;
  /** Crashes at once. */
  crash(reason: string): void;
  /** CONFIG REWRITE. Throws the error that the client gets. */
  rewriteSettings(): void;
  /** The latin1 text of a file. Throws an Error with the system's reason. */
  readText(path: string): string;
  /** Replaces a file as a whole. Throws an Error with the system's reason. */
  replaceText(path: string, text: string): void;
  /**
   * A connection to another server, new or cached; undefined if the host does not exist or does not answer
   * in time. Absent where no other server can be reached.
   */
  readonly peer?: ((host: string, port: number, timeoutMs: number) => Peer | undefined) | undefined;
}

/** A synchronous connection to another server: the engine stands still during each request. */
export interface Peer {
  /** The database that is selected there; -1 if unknown. */
  db: number;
  /** Sends the request and waits for `lines` lines. */
  exchange(request: Buffer, lines: number, timeoutMs: number): Exchange;
  /** Closes the connection; the next command for this server opens a new one. */
  close(): void;
}

/** The lines received: all of them if there was no failure. */
export interface Exchange {
  readonly lines: readonly string[];
  readonly failure: 'writing' | 'reading' | undefined;
  readonly isTimeout: boolean;
}
