import type { DefaultShape, Store, Subscription } from '../../../store/index.js';

/** What a shared subscription tells its owner. */
export interface SubscriptionOwner {
  /** The server has confirmed the subscription: no later message is missed while the connection lasts. */
  confirmed?(): void;
  received(message: string): void;
  /** No messages arrive until it is opened again: it was closed, has ended, or could not be opened. */
  stopped?(): void;
  /** After `stopped`, if it was confirmed and has ended by itself: messages may have been missed. */
  ended?(): void;
}

/** One subscription for all listeners of a component. It is opened when the first one needs it, and can be opened again. */
export class SharedSubscription {
  readonly #store: Store;
  readonly #channel: string;
  readonly #owner: SubscriptionOwner;
  #opening: Promise<Subscription<DefaultShape>> | undefined;
  #isConfirmed = false;

  constructor(store: Store, channel: string, owner: SubscriptionOwner) {
    this.#store = store;
    this.#channel = channel;
    this.#owner = owner;
  }

  /** Whether it is open, or being opened. */
  get isWanted(): boolean {
    return this.#opening !== undefined;
  }

  get isConfirmed(): boolean {
    return this.#isConfirmed;
  }

  /** Opens it unless it is open. Resolves when the server has confirmed it. */
  open(): Promise<unknown> {
    if (this.#opening === undefined) {
      const opening = this.#store.subscribe(this.#channel);
      this.#opening = opening;
      opening.then(
        (subscription) => this.#follow(opening, subscription),
        () => this.#stop(opening),
      );
    }
    return this.#opening;
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    if (opening === undefined) return;
    this.#stop(opening);
    await opening.then((subscription) => subscription.close()).catch(() => {});
  }

  async #follow(opening: Promise<unknown>, subscription: Subscription<DefaultShape>): Promise<void> {
    if (this.#opening !== opening) return;
    this.#isConfirmed = true;
    this.#owner.confirmed?.();
    try {
      for await (const { message } of subscription) this.#owner.received(message);
    } catch {
      // The connection is gone, its buffer was full, or the store is closed: the owner is told that it has ended.
    }
    if (this.#stop(opening)) this.#owner.ended?.();
  }

  /** Returns false if it was stopped before. */
  #stop(opening: Promise<unknown>): boolean {
    if (this.#opening !== opening) return false;
    this.#opening = undefined;
    this.#isConfirmed = false;
    this.#owner.stopped?.();
    return true;
  }
}
