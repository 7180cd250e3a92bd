import type { DefaultShape, Store, StoreTime, Subscription } from '../../store/index.js';
import { type Alarm, Alarms } from './alarms.js';
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
 * a waiter stores it, with an id, and the script that has news for it publishes `<id> <text>` there.
 *
 * A message can be lost when a connection breaks. So a wait always has a limit, after which the waiter looks for itself;
 * and when the subscription had to be renewed, all waiters are woken with an empty message to do so at once.
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
  #isLingering = false;
  /** When the last wait ended. */
  #idleSince = 0;
  readonly #room: WaitingRoom;

  /** The prefix is for people who look at channels: `prefix:wake:…`, without spaces. */
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

  /** Whether the store is elsewhere, so that it may not answer. */
  get isRemote(): boolean {
    return this.#store.kind !== 'embedded';
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

  /** The same for a caller that may not have to wait at all: there is no subscription before `listen` is called. */
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
      // The connection is gone, or the store is closed: waiters will find out by looking.
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

  /** Ends the subscription if there was no waiter for a while; one timer serves many waits. */
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
    // The subscription itself keeps the process running until then; a store that was closed has none any more.
    this.#store.time.after(ms, look, { background: true });
  }
}

/** What the waits of one component share. */
interface WaitingRoom {
  readonly time: StoreTime;
  readonly alarms: Alarms;
  isListening(): boolean;
  listen(): Promise<unknown>;
  leave(id: string): void;
}

/** One waiter's place. Messages that come between two calls of `next` are kept. */
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

  /** Whether messages come, and none has been missed. */
  get isReady(): boolean {
    return this.#hasMissedNothing && this.#room.isListening();
  }

  /** Makes sure that messages come. False, once, if some may have been missed before: look again. */
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

  /** The time given for a wait is up. */
  ring(): void {
    this.#goOn?.();
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
