import type { StoreTime } from '../../store/index.js';
import { isOutage, KitError, LATE, type TimeLimit, throwIfAborted, withinTime } from '../foundation/index.js';
import type { WaitLimits } from './options.js';
import type { Policy, RateDecision } from './policy.js';

/** Retry delay after a call that could not be sent or was not answered, in ms. */
const PAUSE_AFTER_OUTAGE = 200;
/** The store has at least this long to answer, in ms: the units of a call whose answer comes too late are lost. */
const GRACE = 500;
/** A call asks again after this many ms at the latest: units may have been returned, or the store closed. */
const HEARTBEAT = 5_000;

/**
 * Calls that wait for units. In this process those of one name take turns: the first asks the store and sleeps until the time that
 * it is told, the others wait behind it. So there is one request per process and unit, and one in five seconds, however many calls wait.
 */
export class WaitingCalls {
  readonly #policy: Policy;
  readonly #time: StoreTime;
  /** For each name, resolves when the last call in its line has ended. */
  readonly #lines = new Map<string, Promise<void>>();

  constructor(policy: Policy, time: StoreTime) {
    this.#policy = policy;
    this.#time = time;
  }

  async take(name: string, cost: number, { within, signal }: WaitLimits): Promise<RateDecision> {
    throwIfAborted(signal);
    const limit = { time: this.#time, until: this.#time.monotonic() + within, signal };
    const before = this.#lines.get(name);
    let leave = (): void => {};
    const over = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const line = before === undefined ? over : before.then(() => over);
    this.#lines.set(name, line);
    try {
      if (before !== undefined && (await withinTime(before, limit)) === LATE) {
        throw late(name, within, 'other calls are before it');
      }
      return await this.#repeat(name, cost, within, limit);
    } finally {
      leave();
      if (this.#lines.get(name) === line) this.#lines.delete(name);
    }
  }

  async #repeat(name: string, cost: number, within: number, limit: TimeLimit): Promise<RateDecision> {
    const { until, signal } = limit;
    for (;;) {
      const answer = await this.#ask(name, cost, limit);
      if (typeof answer === 'object' && answer.isAllowed) return answer;
      const left = until - this.#time.monotonic();
      const pause = typeof answer === 'object' ? answer.retryIn : PAUSE_AFTER_OUTAGE;
      if (typeof answer === 'object' && pause > left) {
        throw late(name, within, `there are enough in ${pause} ms at the earliest`);
      }
      if (left <= 0) throw late(name, within, String(answer));
      const sleep = this.#time.sleep(
        Math.min(pause, left, HEARTBEAT),
        signal === undefined ? {} : { signal },
      );
      await sleep.catch(() => {});
      throwIfAborted(signal);
    }
  }

  /** The decision, or why there is none. */
  async #ask(name: string, cost: number, limit: TimeLimit): Promise<RateDecision | string> {
    try {
      const until = Math.max(limit.until, this.#time.monotonic() + GRACE);
      const decision = await withinTime(this.#policy.decide(name, 'take', cost), { ...limit, until });
      return decision === LATE ? 'the store does not answer' : decision;
    } catch (error) {
      throwIfAborted(limit.signal);
      if (isOutage(error)) return error.message;
      throw error;
    }
  }
}

function late(name: string, within: number, why: string): KitError {
  return new KitError('TIMEOUT', `wait: '${name}' could not get its units within ${within} ms: ${why}`);
}
