import type { StoreTime } from '../../store/index.js';
import type { Policy, RateDecision } from './policy.js';

/** A refused call: until `until`, calls of at least this cost are refused, too. */
interface Refusal {
  readonly decision: RateDecision;
  readonly cost: number;
  /** By `time.monotonic`. */
  readonly until: number;
}

/** Max names whose refusals are remembered; the oldest are forgotten first. */
const MAX_REMEMBERED = 10_000;

/**
 * Refuses calls that the store has refused before and would refuse again, without asking it. So a client that goes on calling costs the
 * store nothing. Units that another process returns meanwhile are noticed when the time is over.
 */
export class RememberedRefusals implements Policy {
  readonly #policy: Policy;
  readonly #time: StoreTime;
  readonly #refusals = new Map<string, Refusal>();
  /** Counts the calls that return units: a refusal that was sent for before must not be remembered after them. */
  #changes = 0;

  constructor(policy: Policy, time: StoreTime) {
    this.#policy = policy;
    this.#time = time;
  }

  async decide(...call: Parameters<Policy['decide']>): Promise<RateDecision> {
    const [name, action, cost] = call;
    if (action === 'change') {
      return this.#changed(name, this.#policy.decide(...call));
    }
    const known = this.#known(name, cost);
    if (known !== undefined) return known;
    const since = this.#time.monotonic();
    const changes = this.#changes;
    const decision = await this.#policy.decide(...call);
    // What this process decides while the store is away is asked of it again: the store may be back.
    const isRefused = !decision.isAllowed && !decision.isInsured && action === 'take';
    if (isRefused && changes === this.#changes) this.#remember(name, cost, decision, since);
    return decision;
  }

  block(name: string, ms: number): Promise<void> {
    return this.#changed(name, this.#policy.block(name, ms));
  }

  reset(name: string): Promise<void> {
    return this.#changed(name, this.#policy.reset(name));
  }

  async #changed<Result>(name: string, change: Promise<Result>): Promise<Result> {
    try {
      return await change;
    } finally {
      this.#changes++;
      this.#refusals.delete(name);
    }
  }

  #known(name: string, cost: number): RateDecision | undefined {
    const refusal = this.#refusals.get(name);
    if (refusal === undefined || cost < refusal.cost) return undefined;
    const left = Math.ceil(refusal.until - this.#time.monotonic());
    if (left <= 0) {
      this.#refusals.delete(name);
      return undefined;
    }
    const { decision } = refusal;
    const passed = decision.retryIn - left;
    return {
      ...decision,
      retryIn: left,
      fullIn: Math.max(left, decision.fullIn - passed),
      windows: decision.windows.map((window) => ({ ...window, nextIn: Math.max(0, window.nextIn - passed) })),
    };
  }

  /** The store's answer is at most as old as the request, so the time counts from then. */
  #remember(name: string, cost: number, decision: RateDecision, since: number): void {
    this.#refusals.delete(name);
    if (this.#refusals.size >= MAX_REMEMBERED) {
      const [oldest] = this.#refusals.keys();
      this.#refusals.delete(oldest as string);
    }
    this.#refusals.set(name, { decision, cost, until: since + decision.retryIn });
  }
}
