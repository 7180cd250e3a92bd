import type { DefaultShape, Store, StoreTime, Subscription } from '../../store/index.js';
import { type Alarm, Alarms } from './alarms.js';
import { newId } from './identity.js';
import { throwIfAborted } from './kit-error.js';

/** How long the subscription is kept after the last wait, in ms: the next wait often follows soon. */
const LINGER = 1_000;

/** What ended a wait: a message or the timeout. */
export type Woken = { readonly kind: 'message'; readonly text: string } | { readonly kind: 'time' };

export interface WaitOptions {
  /** Timeout in ms; the fallback if a message is lost. */
  readonly atMost: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One subscription for all waits of a component. Each component of each process has its own channel. A waiter stores
 * the channel and an id in the store, and the script that wakes it publishes `<id> <text>` there.
 *
 * A message can be lost when a connection breaks. So a wait always has a timeout, after which the waiter checks the store.
 * When the subscription was renewed, all waiters are woken with an empty message to check at once.
 *
 * @example
 * const wakeups = new Wakeups(store, 'lock');
 * await using wait = await wakeups.expect('a1'); // before checking, so that no message is missed
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
  #isLingering = false;
  /** When the last wait ended. */
  #idleSince = 0;
  readonly #room: WaitingRoom;

  /** The prefix makes channels recognisable: `prefix:wake:…`, without spaces. */
  constructor(store: Store, prefix: string) {
    const { time } = store;
    this.#store = store;
    this.channel = `${prefix.replaceAll(/\s/g, '_')}:wake:${newId()}`;
    this.#room = {
      time,
      alarms: Alarms.of(time),
      isListening: () => this.#isConfirmed,
      listen: () => this.#subscribed(),
      leave: (id) => this.#leave(id),
    };
  }

  /** Whether the store is remote, so it may not answer. */
  get isRemote(): boolean {
    return this.#store.kind !== 'embedded';
  }

  /** Receives messages for `id` from now on. Returns when the server has confirmed the subscription. */
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

  /** The same for a caller that may not need to wait: subscribes only when `listen` is called. */
  place(id: string): Wait {
    const wait = new Wait(id, this.#room, this.#isConfirmed);
    this.#waits.set(id, wait);
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
      // The connection is gone, or the store is closed: waiters notice at their next check.
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
    if (this.#waits.size > 0 || this.#subscription === undefined) return;
    this.#idleSince = this.#store.time.monotonic();
    if (!this.#isLingering) this.#linger(LINGER);
  }

  /** Ends the subscription after a while without waiters. One timer is shared by all waits. */
  #linger(ms: number): void {
    this.#isLingering = true;
    const look = (): void => {
      this.#isLingering = false;
      const subscription = this.#subscription;
      if (this.#waits.size > 0 || subscription === undefined) return;
      const left = this.#idleSince + LINGER - this.#store.time.monotonic();
      if (left > 0) {
        this.#linger(left);
        return;
      }
      this.#forget(subscription);
      subscription.then((open) => open.close()).catch(() => {});
    };
    // The subscription keeps the process running until then; a closed store has none.
    this.#store.time.after(ms, look, { background: true });
  }
}

/** State shared by the waits of one component. */
interface WaitingRoom {
  readonly time: StoreTime;
  readonly alarms: Alarms;
  isListening(): boolean;
  listen(): Promise<unknown>;
  leave(id: string): void;
}

/** One waiter. Messages that arrive between two calls of `next` are kept. */
export class Wait implements Alarm, AsyncDisposable {
  due = 0;
  readonly #id: string;
  readonly #room: WaitingRoom;
  readonly #messages: string[] = [];
  #hasMissedNothing: boolean;
  #goOn: (() => void) | undefined;

  constructor(id: string, room: WaitingRoom, hasMissedNothing: boolean) {
    this.#id = id;
    this.#room = room;
    this.#hasMissedNothing = hasMissedNothing;
  }

  /** Whether it receives messages and has missed none. */
  get isReady(): boolean {
    return this.#hasMissedNothing && this.#room.isListening();
  }

  /** Starts receiving messages. Returns false once if some may have been missed before: check again. */
  async listen(): Promise<boolean> {
    await this.#room.listen();
    const hasMissedNothing = this.#hasMissedNothing;
    this.#hasMissedNothing = true;
    return hasMissedNothing;
  }

  wake(text: string): void {
    this.#messages.push(text);
    this.#goOn?.();
  }

  /** The timeout of a wait. */
  ring(): void {
    this.#goOn?.();
  }

  /** Returns the next message or the timeout; rejects with `ABORTED` when the signal aborts. */
  async next({ atMost, signal }: WaitOptions): Promise<Woken> {
    throwIfAborted(signal);
    if (this.#messages.length === 0) await this.#pause(atMost, signal);
    throwIfAborted(signal);
    const text = this.#messages.shift();
    return text === undefined ? { kind: 'time' } : { kind: 'message', text };
  }

  #pause(atMost: number, signal: AbortSignal | undefined): Promise<void> {
    const { time, alarms } = this.#room;
    return new Promise((resolve) => {
      const goOn = (): void => {
        alarms.cancel(this);
        this.#goOn = undefined;
        signal?.removeEventListener('abort', goOn);
        resolve();
      };
      this.#goOn = goOn;
      alarms.set(this, time.monotonic() + atMost);
      signal?.addEventListener('abort', goOn, { once: true });
    });
  }

  close(): void {
    this.#room.leave(this.#id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}
