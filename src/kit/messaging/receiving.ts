import type { Store } from '../../store/index.js';
import { abortSignal, optional } from '../foundation/index.js';

export interface ReceiveOptions {
  /** Ends the loop. */
  readonly signal?: AbortSignal;
}

export const RECEIVE_RULES = { signal: optional(abortSignal()) };

/**
 * Waits until the stream has an entry behind `after`. Returns now and then without one, so that the caller notices when
 * the stream itself has gone.
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

/** One request of this many ms at a time: a server that has silently gone is noticed. */
const MAX_WAIT = 30_000;

/**
 * Hands out what `read` gives, piece by piece, and acknowledges each when the next is asked for: what the reader was at
 * when it died comes again. Ends without error when the signal says so.
 */
export async function* deliver<Message>(
  read: () => Promise<readonly Message[]>,
  acknowledge: (message: Message) => Promise<unknown>,
  wait: () => Promise<void>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Message, void, undefined> {
  while (!isOver(signal)) {
    const messages = await unlessOver(read(), signal);
    if (messages === undefined) return;
    for (const message of messages) {
      if (isOver(signal)) return;
      yield message;
      await unlessOver(acknowledge(message), signal, LAST_ACKNOWLEDGEMENT_MS);
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

/** What the promise resolves to; undefined if the signal aborts first, or has for this many ms. */
function unlessOver<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  graceMs = 0,
): Promise<T | undefined> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      timer = setTimeout(() => resolve(undefined), graceMs);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  });
}

/** A reader that is told to end still acknowledges what it has read, if the server answers within this time. */
const LAST_ACKNOWLEDGEMENT_MS = 500;

/** Asked anew each time: it may become so while something is awaited. */
function isOver(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
