import type { Store } from '../../../store/index.js';
import { checkWork } from '../check-arguments.js';
import type { Resolved } from '../options.js';
import type { AcquireOptions, acquireRules } from './hold-options.js';
import type { Held, HoldingOptions } from './holding.js';
import { type Claim, type ClaimReply, obtain, timedOut } from './obtain.js';
import type { Wakeups } from './wakeups.js';

type CompleteAcquireOptions = Resolved<ReturnType<typeof acquireRules>>;

/** A request for a lock or permit: its operations, and the holding it results in. */
export interface Acquisition<Grant, Thing> {
  readonly id: string;
  /** See `obtain`. Default 0. */
  readonly patience?: number;
  claim(claim: Claim): Promise<ClaimReply<Grant>>;
  /** Parses the grant in a message. */
  grantIn(text: string): Grant;
  renew(grant: Grant, lease: number): Promise<boolean>;
  release(): Promise<boolean>;
  hold(grant: Grant, options: HoldingOptions): Thing;
}

/** The code that locks and semaphores share: acquire by name, with or without waiting, or for the run of a function. */
export abstract class Acquirer<
  Given extends AcquireOptions,
  Complete extends CompleteAcquireOptions,
  Grant,
  Thing extends Held,
> {
  protected readonly store: Store;
  protected readonly complete: (given: Given | undefined) => Complete;
  readonly #wakeups: Wakeups;

  constructor(store: Store, wakeups: Wakeups, complete: (given: Given | undefined) => Complete) {
    this.store = store;
    this.complete = complete;
    this.#wakeups = wakeups;
  }

  /** What is acquired, for error texts: "the lock 'report'". */
  protected abstract describe(name: string): string;
  protected abstract request(name: string, options: Complete): Acquisition<Grant, Thing>;

  async acquire(name: string, given?: Given): Promise<Thing> {
    const options = this.complete(given);
    const thing = await this.#acquire(name, options, options.wait);
    if (thing === undefined) throw timedOut(this.describe(name), options.wait);
    return thing;
  }

  async tryAcquire(name: string, given?: Omit<Given, 'wait'>): Promise<Thing | undefined> {
    return this.#acquire(name, this.complete(given as Given | undefined), 0);
  }

  async run<Result>(
    name: string,
    work: (thing: Thing) => Result | Promise<Result>,
    options?: Given,
  ): Promise<Result> {
    checkWork(work);
    await using thing = await this.acquire(name, options);
    const result = await work(thing);
    if (!thing.isHeld) thing.signal.throwIfAborted();
    return result;
  }

  async #acquire(name: string, options: Complete, wait: number): Promise<Thing | undefined> {
    const { lease, signal, renew } = options;
    const { time } = this.store;
    const request = this.request(name, options);
    const { id, patience = 0 } = request;
    const obtained = await obtain({
      ...{ what: this.describe(name), time, wakeups: this.#wakeups, id, wait, signal, patience },
      claim: (claim) => request.claim(claim),
      withdraw: () => request.release(),
      // Without renewal, the lease must have its full length.
      byMessage: { lease: renew ? lease : 0, grant: (text) => request.grantIn(text) },
    });
    if (obtained === undefined) return undefined;
    const { grant, since } = obtained;
    return request.hold(grant, {
      ...{ time, lease, since, renews: renew },
      extend: (duration) => request.renew(grant, duration),
      giveBack: () => request.release(),
    });
  }
}
