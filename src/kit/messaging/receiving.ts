import type { Store, StoreTime } from '../../store/index.js';
import { abortSignal, optional, withinTime } from '../foundation/index.js';

export interface ReceiveOptions {
  /** Ends the loop. */
  readonly signal?: AbortSignal;
}

export const RECEIVE_RULES = { signal: optional(abortSignal()) };

/**
 * Waits until the stream has an entry after `after`. Returns from time to time without one, so that the caller notices
 * when the stream was deleted.
 */
export async function waitForEntry(
  store: Store,
  key: string,
  after: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const waiting = signal === undefined ? store : store.with({ signal });
  await waiting.send('XREAD', 'COUNT', 1, 'BLOCK', MAX_WAIT, 'STREAMS', key, after);
}

/** Max length of one blocking request, in ms, so that a dead connection is noticed. */
const MAX_WAIT = 30_000;

/**
 * Yields the messages that `read` returns, and acknowledges each when the next one is requested: after a crash the reader
 * gets its last message again. Ends without error when the signal aborts.
 */
export async function* deliver<Message>(
  time: StoreTime,
  read: () => Promise<readonly Message[]>,
  acknowledge: (message: Message) => Promise<unknown>,
  wait: () => Promise<void>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Message, void, undefined> {
  while (!isOver(signal)) {
    const messages = await unlessOver(time, read(), signal);
    if (messages === undefined) return;
    for (const message of messages) {
      if (isOver(signal)) return;
      yield message;
      await unlessOver(time, acknowledge(message), signal, LAST_ACKNOWLEDGEMENT_MS);
    }
    if (messages.length > 0) continue;
    try {
      await wait();
    } catch (error) {
      if (isOver(signal)) return;
      throw error;
    }
  }
}

/**
 * The result of the promise; undefined if it is still pending this many ms after the signal aborted, or fails after that: on a busy
 * machine its time limit may pass in the same turn.
 */
function unlessOver<T>(
  time: StoreTime,
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  graceMs = 0,
): Promise<T | undefined> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    let cancel = (): void => {};
    const onAbort = (): void => {
      cancel = time.after(graceMs, () => resolve(undefined));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const onError = (error: unknown): void => (signal.aborted ? resolve(undefined) : reject(error));
    promise.then(resolve, onError).finally(() => {
      cancel();
      signal.removeEventListener('abort', onAbort);
    });
  });
}

/** Timeout, in ms, for the last acknowledgement of a reader that is stopped. */
const LAST_ACKNOWLEDGEMENT_MS = 500;

/** Waits for a last call of a reader that is stopped, whatever its outcome. */
export async function settleSoon(time: StoreTime, promise: Promise<unknown>): Promise<void> {
  const until = time.monotonic() + LAST_ACKNOWLEDGEMENT_MS;
  await withinTime(promise, { time, until, signal: undefined }).catch(() => {});
}

/** A function, so that TypeScript does not assume that the value stays the same across an await. */
function isOver(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
