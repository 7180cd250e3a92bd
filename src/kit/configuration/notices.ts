import type { DefaultShape, Store, StoreTime, Subscription } from '../../store/index.js';
import { type Alarm, Alarms } from '../foundation/index.js';

/**
 * Notices of changes on one channel, for all watchers of this process. There is a subscription while there are watchers. A
 * notice names the key that changed.
 */
export class Notices {
  readonly #store: Store;
  readonly #channel: string;
  readonly #onNotice: (key: string) => void;
  readonly #listeners = new Set<NoticeListener>();
  #subscription: Promise<Subscription<DefaultShape>> | undefined;

  constructor(store: Store, channel: string, onNotice: (key: string) => void) {
    this.#store = store;
    this.#channel = channel;
    this.#onNotice = onNotice;
  }

  listener(key: string): NoticeListener {
    const listener = new NoticeListener(key, this.#store.time, {
      listen: () => this.#subscribed(),
      leave: () => this.#leave(listener),
    });
    this.#listeners.add(listener);
    return listener;
  }

  #subscribed(): Promise<unknown> {
    if (this.#subscription === undefined) {
      const opening = this.#store.subscribe(this.#channel);
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
    try {
      for await (const { message } of subscription) {
        this.#onNotice(message);
        for (const listener of this.#listeners) if (listener.key === message) listener.wake();
      }
    } catch {
      // The store is closed, or there were too many notices: all listeners check the store.
    }
    this.#forget(opening);
    for (const listener of this.#listeners) listener.wake();
  }

  #forget(opening: Promise<unknown>): void {
    if (this.#subscription === opening) this.#subscription = undefined;
  }

  #leave(listener: NoticeListener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.#unsubscribe();
  }

  #unsubscribe(): void {
    const subscription = this.#subscription;
    this.#subscription = undefined;
    subscription?.then((open) => open.close()).catch(() => {});
  }
}

interface NoticeSource {
  listen(): Promise<unknown>;
  leave(): void;
}

/** Waits for notices about one key. A notice between two waits ends the next one at once. */
export class NoticeListener implements Alarm {
  due = 0;
  readonly key: string;
  readonly #alarms: Alarms;
  readonly #time: StoreTime;
  readonly #source: NoticeSource;
  #isWoken = false;
  #goOn: (() => void) | undefined;

  constructor(key: string, time: StoreTime, source: NoticeSource) {
    this.key = key;
    this.#time = time;
    this.#alarms = Alarms.of(time);
    this.#source = source;
  }

  /** Resolves when the server has confirmed the subscription: no later notice is missed while the connection lasts. */
  listen(): Promise<unknown> {
    return this.#source.listen();
  }

  wake(): void {
    this.#isWoken = true;
    this.#goOn?.();
  }

  ring(): void {
    this.#goOn?.();
  }

  /** Waits for a notice, for `atMost` ms or until the signal aborts. */
  async next(atMost: number, signal: AbortSignal | undefined): Promise<void> {
    if (!this.#isWoken && signal?.aborted !== true) await this.#pause(atMost, signal);
    this.#isWoken = false;
  }

  #pause(atMost: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const goOn = (): void => {
        this.#alarms.cancel(this);
        this.#goOn = undefined;
        signal?.removeEventListener('abort', goOn);
        resolve();
      };
      this.#goOn = goOn;
      this.#alarms.set(this, this.#time.monotonic() + atMost);
      signal?.addEventListener('abort', goOn, { once: true });
    });
  }

  close(): void {
    this.#source.leave();
  }
}
