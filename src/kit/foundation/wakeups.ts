import type { DefaultShape, Store, Subscription } from '../../store/index.js';
import { newId } from './identity.js';
import { throwIfAborted } from './kit-error.js';

/** How long the subscription is kept after the last wait, in ms: the next wait often comes soon. */
const LINGER = 1_000;

/** What ended a wait: a message, or the time that was given. */
export type Woken = { readonly kind: 'message'; readonly text: string } | { readonly kind: 'time' };

export interface WaitOptions {
  /** After how many ms to go on without a message; this is the fall-back when one is lost. */
  readonly atMost: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lets many waits of one component share one subscription. Each component of each process has a channel of its own;
 * whoever waits leaves it, with an id, in the data, and the script that brings the news publishes `<id> <text>` there.
 *
 * A message can be lost when a connection breaks. So a wait always has a limit, after which the waiter looks for itself;
 * and when the subscription had to be renewed, everybody is woken with an empty message to do so at once.
 *
 * @example
 * const wakeups = new Wakeups(store, 'lock');
 * await using wait = await wakeups.expect('a1'); // before looking, so that nothing is missed in between
 * await store.send('PUBLISH', wakeups.channel, 'a1 go'); // usually from a script, elsewhere
 * await wait.next({ atMost: 10_000 }); // { kind: 'message', text: 'go' }
 */
export class Wakeups {
  readonly #store: Store;
  readonly channel: string;
  readonly #waits = new Map<string, Wait>();
  #subscription: Promise<Subscription<DefaultShape>> | undefined;
  /** The server has confirmed the subscription, and it has not ended since. */
  #isConfirmed = false;
  #cancelLinger: () => void = () => {};

  constructor(store: Store, prefix: string) {
    this.#store = store;
    this.channel = `${prefix}:wake:${newId()}`;
  }

  /** Takes what is published for `id` from now on. Returns when the server has confirmed the subscription. */
  async expect(id: string): Promise<Wait> {
    const wait = this.place(id);
    try {
      await wait.listen();
    } catch (error) {
      wait.close();
      throw error;
    }
    return wait;
  }

  /** The same for somebody who may not have to wait at all: there is no subscription before `listen` is called. */
  place(id: string): Wait {
    let mayHaveMissed = !this.#isConfirmed;
    const listen = async (): Promise<boolean> => {
      await this.#subscribed();
      const hasMissedNothing = !mayHaveMissed;
      mayHaveMissed = false;
      return hasMissedNothing;
    };
    const wait = new Wait(this.#store, { listen, leave: () => this.#leave(id) });
    this.#waits.set(id, wait);
    this.#cancelLinger();
    return wait;
  }

  #subscribed(): Promise<unknown> {
    if (this.#subscription === undefined) {
      const opening = this.#store.subscribe(this.channel);
      this.#subscription = opening;
      opening.then(
        (subscription) => this.#deliver(opening, subscription),
        () => this.#forget(opening),
      );
    }
    return this.#subscription;
  }

  async #deliver(
    opening: Promise<Subscription<DefaultShape>>,
    subscription: Subscription<DefaultShape>,
  ): Promise<void> {
    this.#isConfirmed = true;
    try {
      for await (const { message } of subscription) this.#dispatch(message);
    } catch {
      // The connection is gone, or the store is closed: whoever waits will find out by looking.
    }
    this.#forget(opening);
    if (this.#waits.size === 0) return;
    await this.#subscribed().catch(() => {});
    for (const wait of this.#waits.values()) wait.wake('');
  }

  #dispatch(message: string): void {
    const end = message.indexOf(' ');
    const id = end < 0 ? message : message.slice(0, end);
    this.#waits.get(id)?.wake(end < 0 ? '' : message.slice(end + 1));
  }

  #forget(opening: Promise<Subscription<DefaultShape>>): void {
    if (this.#subscription !== opening) return;
    this.#subscription = undefined;
    this.#isConfirmed = false;
  }

  #leave(id: string): void {
    this.#waits.delete(id);
    const subscription = this.#subscription;
    if (this.#waits.size > 0 || subscription === undefined) return;
    this.#cancelLinger();
    this.#cancelLinger = this.#store.time.after(LINGER, () => {
      this.#forget(subscription);
      subscription.then((open) => open.close()).catch(() => {});
    });
  }
}

interface WaitingRoom {
  listen(): Promise<boolean>;
  leave(): void;
}

/** One waiter's place. Messages that come between two calls of `next` are kept. */
export class Wait implements AsyncDisposable {
  readonly #store: Store;
  readonly #room: WaitingRoom;
  readonly #messages: string[] = [];
  #onMessage: (() => void) | undefined;

  constructor(store: Store, room: WaitingRoom) {
    this.#store = store;
    this.#room = room;
  }

  /** Makes sure that messages come. False, once, if some may have been missed before: look again. */
  listen(): Promise<boolean> {
    return this.#room.listen();
  }

  wake(text: string): void {
    this.#messages.push(text);
    this.#onMessage?.();
  }

  /** The next message, or the end of the time given; rejects with `ABORTED` when the signal says so. */
  async next({ atMost, signal }: WaitOptions): Promise<Woken> {
    throwIfAborted(signal);
    if (this.#messages.length === 0) await this.#pause(atMost, signal);
    throwIfAborted(signal);
    const text = this.#messages.shift();
    return text === undefined ? { kind: 'time' } : { kind: 'message', text };
  }

  #pause(atMost: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.#onMessage = undefined;
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.#store.time.after(atMost, end);
      this.#onMessage = end;
      signal?.addEventListener('abort', end, { once: true });
    });
  }

  close(): void {
    this.#room.leave();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}
