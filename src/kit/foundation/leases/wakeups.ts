import type { Store, StoreTime } from '../../../store/index.js';
import { newId } from '../identity.js';
import { throwIfAborted } from '../kit-error.js';
import { runsHere } from '../runs-here.js';
import { Alarms } from './alarms.js';
import { Pause } from './pause.js';
import { SharedSubscription } from './shared-subscription.js';

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
  readonly #subscription: SharedSubscription;
  #isLingering = false;
  /** When the last wait ended. */
  #idleSince = 0;
  readonly #room: WaitingRoom;

  /** The prefix makes channels recognisable: `prefix:wake:…`, without spaces. */
  constructor(store: Store, prefix: string) {
    const { time } = store;
    this.#store = store;
    this.channel = `${prefix.replaceAll(/\s/g, '_')}:wake:${newId()}`;
    this.#subscription = new SharedSubscription(store, this.channel, {
      received: (message) => this.#dispatch(message),
      ended: () => void this.#renew(),
    });
    this.#room = {
      time,
      alarms: Alarms.of(time),
      isListening: () => this.#subscription.isConfirmed,
      listen: () => this.#subscription.open(),
      leave: (id) => this.#leave(id),
    };
  }

  /** Whether the store is remote, so it may not answer. */
  get isRemote(): boolean {
    return !runsHere(this.#store);
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
    const wait = new Wait(id, this.#room, this.#subscription.isConfirmed);
    this.#waits.set(id, wait);
    return wait;
  }

  /** The waiters check the store: they may have missed messages. */
  async #renew(): Promise<void> {
    if (this.#waits.size === 0) return;
    await this.#subscription.open().catch(() => {});
    for (const wait of this.#waits.values()) wait.wake('');
  }

  #dispatch(message: string): void {
    const end = message.indexOf(' ');
    const id = end < 0 ? message : message.slice(0, end);
    this.#waits.get(id)?.wake(end < 0 ? '' : message.slice(end + 1));
  }

  #leave(id: string): void {
    this.#waits.delete(id);
    if (this.#waits.size > 0 || !this.#subscription.isWanted) return;
    this.#idleSince = this.#store.time.monotonic();
    if (!this.#isLingering) this.#linger(LINGER);
  }

  /** Ends the subscription after a while without waiters. One timer is shared by all waits. */
  #linger(ms: number): void {
    this.#isLingering = true;
    const look = (): void => {
      this.#isLingering = false;
      if (this.#waits.size > 0 || !this.#subscription.isWanted) return;
      const left = this.#idleSince + LINGER - this.#store.time.monotonic();
      if (left > 0) {
        this.#linger(left);
        return;
      }
      void this.#subscription.close();
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
export class Wait extends Pause implements AsyncDisposable {
  readonly #id: string;
  readonly #room: WaitingRoom;
  readonly #messages: string[] = [];
  #hasMissedNothing: boolean;

  constructor(id: string, room: WaitingRoom, hasMissedNothing: boolean) {
    super(room.time, room.alarms);
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
    this.goOn();
  }

  /** Returns the next message or the timeout; rejects with `ABORTED` when the signal aborts. */
  async next({ atMost, signal }: WaitOptions): Promise<Woken> {
    throwIfAborted(signal);
    if (this.#messages.length === 0) await this.pause(atMost, signal);
    throwIfAborted(signal);
    const text = this.#messages.shift();
    return text === undefined ? { kind: 'time' } : { kind: 'message', text };
  }

  close(): void {
    this.#room.leave(this.#id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}
