import type { MessagePort } from 'node:worker_threads';
import type { StoreErrorCode } from '../store-error.js';

/*
 * Messages between threads. Each connection has its own pair of ports. A gate is a port through which a thread sends the
 * engine's end of new connections.
 */

/** To the engine: input in order; null if the client will send nothing more. */
export type ToEngine = readonly (string | Uint8Array)[] | null;

/**
 * To the client: output; null if no more will come; `closing` if there will be no more connections either; `full` if it
 * should send nothing more until it is told `drained`.
 */
export type ToClient = Uint8Array | null | 'closing' | 'full' | 'drained';

/** To a gate: the engine's end of a new connection. */
export type ToGate = MessagePort;

/** From the starting thread to the engine's thread: a new gate, the new time, or the request to end. */
export type ToThread = { readonly gate: MessagePort } | { readonly advanceTo: number } | 'close';

/** From the engine's thread: it is ready, or why it failed. */
export type FromThread =
  | 'ready'
  | { readonly code: StoreErrorCode | (string & {}); readonly message: string };

/** The data that the thread is started with. */
export interface ThreadStart {
  readonly address: string;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  readonly seed: number | undefined;
  readonly scriptTimeout: number | undefined;
  /** Set if the starting thread controls the engine's clock. */
  readonly clock: ClockStart | undefined;
}

/** The clock's first time in Unix microseconds, and the shared count of moves that the engine has followed. */
export interface ClockStart {
  readonly micros: number;
  readonly followed: Int32Array<SharedArrayBuffer>;
}

/**
 * Copies the bytes to their own memory, which can be transferred. A view of a larger buffer would be copied with the whole
 * buffer, and shared memory must not be transferred.
 */
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const own = new Uint8Array(bytes.length);
  own.set(bytes);
  return own;
}
