import { setTimeout as sleep } from 'node:timers/promises';

/** How much of a server's time a walk through its keys may take, after its first second. */
export type Speed = 'gentle' | 'brisk';

/** A walk is brisk for this long, so that a short one ends at once. */
const FAST_MS = 1000;

interface Steps {
  /** Keys that one step examines. */
  readonly keys: number;
  /** The pause after a step is this many times as long as the step took, within these bounds, in ms. */
  readonly times: number;
  readonly min: number;
  readonly max: number;
}

/**
 * A client whose command arrives during a step waits for its end. Brisk: short steps, so that it never waits long. Gentle: few steps, so that less than one of
 * 100 commands meets one. A step of 400 keys takes a redis-server with 10 M keys about 0.4 ms; with these pauses it works one of 200 parts of the time,
 * and is interrupted less than 20 times a second. The share is what counts for a server with many clients, the number for one with few. The maximum
 * is for servers that are far away.
 */
const STEPS: Readonly<Record<Speed, Steps>> = {
  gentle: { keys: 400, times: 100, min: 50, max: 200 },
  brisk: { keys: 100, times: 2, min: 1, max: 50 },
};

/** Paces a walk through a server's keys, so that other clients hardly notice it. */
export class Pace {
  readonly #signal: AbortSignal;
  readonly #speed: Speed;
  readonly #startedAt = performance.now();
  #stepStartedAt = performance.now();

  constructor(signal: AbortSignal, speed: Speed) {
    this.#signal = signal;
    this.#speed = speed;
  }

  /** Begins a step. Returns how many keys it may examine. */
  begin(): number {
    this.#stepStartedAt = performance.now();
    return stepsAt(this.#stepStartedAt - this.#startedAt, this.#speed).keys;
  }

  /** Waits after a step. Ends when the signal is aborted. */
  async pause(): Promise<void> {
    const now = performance.now();
    const ms = pauseAfter(now - this.#stepStartedAt, now - this.#startedAt, this.#speed);
    await sleep(ms, undefined, { signal: this.#signal }).catch(() => {});
  }
}

/** The steps of a walk that began `elapsed` ms ago. */
export function stepsAt(elapsed: number, speed: Speed): Steps {
  return elapsed < FAST_MS ? STEPS.brisk : STEPS[speed];
}

/** The pause after a step that took `took` ms, `elapsed` ms after the begin of the walk. */
export function pauseAfter(took: number, elapsed: number, speed: Speed): number {
  const { times, min, max } = stepsAt(elapsed, speed);
  return Math.min(max, Math.max(min, times * took));
}
