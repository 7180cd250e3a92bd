import type { MessagePort } from 'node:worker_threads';
import type { StoreErrorCode } from '../store-error.js';

/*
 * What threads say to each other. Each connection has a pair of ports of its own; a gate is a port by which a thread
 * hands over new ones.
 */

/** To the engine: input in order, null when the client will send nothing more. */
export type ToEngine = readonly (string | Uint8Array)[] | null;

/** To the client: output; null when nothing more will come; `closing` when there will be no other connection either. */
export type ToClient = Uint8Array | null | 'closing';

/** To a gate: the engine's end of a new connection. */
export type ToGate = MessagePort;

/** To the engine's thread, from the one that started it: another gate, the time it is now, or that it shall end. */
export type ToThread = { readonly gate: MessagePort } | { readonly advanceTo: number } | 'close';

/** From the engine's thread: it serves, or why it cannot. */
export type FromThread =
  | 'ready'
  | { readonly code: StoreErrorCode | (string & {}); readonly message: string };

/** What the thread is started with. */
export interface ThreadStart {
  readonly address: string;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  readonly seed: number | undefined;
  readonly scriptTimeout: number | undefined;
  /** Of an engine whose clock is moved by the thread that starts it. */
  readonly clock: ClockStart | undefined;
}

/** When the clock begins, in Unix microseconds, and the shared count of the moves that the engine has followed. */
export interface ClockStart {
  readonly micros: number;
  readonly followed: Int32Array<SharedArrayBuffer>;
}

/**
 * The bytes with memory of their own, to be handed over: a view of a larger buffer would be copied whole, and the memory
 * of others must not be given away.
 */
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const own = new Uint8Array(bytes.length);
  own.set(bytes);
  return own;
}
