import type { Store, StoreTime } from '../../store/index.js';
import { Pause, SharedSubscription } from '../foundation/index.js';

/**
 * Notices of changes on one channel, for all watchers of this process. There is a subscription while there are watchers. A
 * notice names the key that changed.
 */
export class Notices {
  readonly #store: Store;
  readonly #listeners = new Set<NoticeListener>();
  readonly #subscription: SharedSubscription;

  constructor(store: Store, channel: string, onNotice: (key: string) => void) {
    this.#store = store;
    this.#subscription = new SharedSubscription(store, channel, {
      received: (key) => {
        onNotice(key);
        for (const listener of this.#listeners) if (listener.key === key) listener.wake();
      },
      // All listeners check the store.
      ended: () => {
        for (const listener of this.#listeners) listener.wake();
      },
    });
  }

  listener(key: string): NoticeListener {
    const listener = new NoticeListener(key, this.#store.time, {
      listen: () => this.#subscription.open(),
      leave: () => this.#leave(listener),
    });
    this.#listeners.add(listener);
    return listener;
  }

  #leave(listener: NoticeListener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) void this.#subscription.close();
  }
}

interface NoticeSource {
  listen(): Promise<unknown>;
  leave(): void;
}

/** Waits for notices about one key. A notice between two waits ends the next one at once. */
export class NoticeListener extends Pause {
  readonly key: string;
  readonly #source: NoticeSource;
  #isWoken = false;

  constructor(key: string, time: StoreTime, source: NoticeSource) {
    super(time);
    this.key = key;
    this.#source = source;
  }

  /** Resolves when the server has confirmed the subscription: no later notice is missed while the connection lasts. */
  listen(): Promise<unknown> {
    return this.#source.listen();
  }

  wake(): void {
    this.#isWoken = true;
    this.goOn();
  }

  /** Waits for a notice, for `atMost` ms or until the signal aborts. */
  async next(atMost: number, signal: AbortSignal | undefined): Promise<void> {
    if (!this.#isWoken && signal?.aborted !== true) await this.pause(atMost, signal);
    this.#isWoken = false;
  }

  close(): void {
    this.#source.leave();
  }
}
