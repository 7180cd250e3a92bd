import { ManualClock, open, type Store, StoreError, type StoreTime } from '../../store/index.js';
import type { CompleteOptions, CompleteWindow, Insurance } from './options.js';
import { type Policy, storePolicy } from './policy.js';

/** How often an absent store is asked whether it is back, in ms. Only calls ask: an idle limiter sends nothing. */
const ASK_EVERY = 1_000;

/** Errors of a store that cannot answer now, but will. */
const AWAY: ReadonlySet<string> = new Set([
  'UNREACHABLE',
  'TIMEOUT',
  'LOADING',
  'CLUSTERDOWN',
  'MASTERDOWN',
  'READONLY',
  'BUSY',
  'OOM',
  'MISCONF',
  'NOREPLICAS',
]);

/**
 * Asks the store and, while it is away, counts in this process. The first call during an outage waits for `patience` ms, the
 * others are decided at once. Units that were taken here are not added to the store's when it is back.
 */
export class InsuredPolicy implements Policy {
  readonly #time: StoreTime;
  readonly #inStore: Policy;
  readonly #options: CompleteOptions;
  #here: LocalPolicy | undefined;
  #isAway = false;
  #askAt = 0;

  constructor(store: Store, options: CompleteOptions, { share, patience }: Insurance) {
    this.#time = store.time;
    this.#inStore = storePolicy(store.with({ timeout: patience }), options);
    this.#options = { ...options, windows: options.windows.map((window) => partOf(window, share)) };
  }

  decide(...call: Parameters<Policy['decide']>): ReturnType<Policy['decide']> {
    return this.#insured((policy) => policy.decide(...call));
  }

  block(...call: Parameters<Policy['block']>): Promise<void> {
    return this.#insured((policy) => policy.block(...call));
  }

  reset(...call: Parameters<Policy['reset']>): Promise<void> {
    return this.#insured((policy) => policy.reset(...call));
  }

  async #insured<Result>(call: (policy: Policy) => Promise<Result>): Promise<Result> {
    if (this.#isAway) {
      this.#ask();
      return call(await this.#local());
    }
    try {
      return await call(this.#inStore);
    } catch (error) {
      if (!(error instanceof StoreError && AWAY.has(error.code))) throw error;
      if (!this.#isAway) this.#askAt = this.#time.monotonic() + ASK_EVERY;
      this.#isAway = true;
      return call(await this.#local());
    }
  }

  /** Asks in the background, so that no call waits for the answer. */
  #ask(): void {
    const now = this.#time.monotonic();
    if (now < this.#askAt) return;
    this.#askAt = now + ASK_EVERY;
    this.#inStore.decide(PROBE, 'look', 1).then(
      () => {
        this.#isAway = false;
      },
      (error: unknown) => {
        // Any other error is for the caller, who gets it from the next call.
        if (!(error instanceof StoreError && AWAY.has(error.code))) this.#isAway = false;
      },
    );
  }

  async #local(): Promise<Policy> {
    this.#here ??= new LocalPolicy(this.#time, this.#options);
    return this.#here.ready();
  }
}

/** Nothing is ever taken from this name. */
const PROBE = 'probe';

function partOf(window: CompleteWindow, share: number): CompleteWindow {
  const part = (units: number): number => Math.max(1, Math.floor(units * share));
  return { ...window, limit: part(window.limit), burst: part(window.burst) };
}

/** Counts in an embedded store. Its clock follows the given one, so it needs no timer and nothing has to be closed. */
class LocalPolicy {
  readonly #time: StoreTime;
  readonly #clock: ManualClock;
  readonly #opening: Promise<Policy>;

  constructor(time: StoreTime, options: CompleteOptions) {
    this.#time = time;
    this.#clock = new ManualClock(time.now());
    this.#opening = open('memory:', { clock: this.#clock }).then((store) => localPolicy(store, options));
  }

  async ready(): Promise<Policy> {
    const policy = await this.#opening;
    this.#clock.advance(Math.max(0, this.#time.now() - this.#clock.now()));
    return policy;
  }
}

/** The process has only a part of each limit: a call that costs more costs all of it. */
function localPolicy(store: Store, options: CompleteOptions): Policy {
  const policy = storePolicy(store, options, true);
  const max = Math.min(...options.windows.map(({ burst }) => burst));
  return {
    ...policy,
    decide: (name, action, cost) => policy.decide(name, action, Math.max(-max, Math.min(cost, max))),
  };
}
