import { setTimeout as sleep } from 'node:timers/promises';

/** How much of a server's time a walk through its keys may take, after its first second. */
export type Speed = 'gentle' | 'brisk';

/** A search is fast for this long, so that a short one ends at once. */
const FAST_MS = 1000;

/**
 * The pause after a step is this many times as long as the step took, within these bounds. Gentle: most of a step's time is the way to the
 * server and back, so that the server itself works for less than one of 200 parts of the time, and 99 of 100 commands of other clients
 * do not meet it. The maximum is for servers that are far away.
 */
const PAUSES: Readonly<
  Record<Speed, { readonly times: number; readonly min: number; readonly max: number }>
> = {
  gentle: { times: 40, min: 10, max: 100 },
  brisk: { times: 2, min: 1, max: 50 },
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

  begin(): void {
    this.#stepStartedAt = performance.now();
  }

  /** Waits after a step. Ends when the signal is aborted. */
  async pause(): Promise<void> {
    const now = performance.now();
    const ms = pauseAfter(now - this.#stepStartedAt, now - this.#startedAt, this.#speed);
    await sleep(ms, undefined, { signal: this.#signal }).catch(() => {});
  }
}

/** The pause after a step that took `took` ms, `elapsed` ms after the begin of the walk. */
export function pauseAfter(took: number, elapsed: number, speed: Speed): number {
  const { times, min, max } = elapsed < FAST_MS ? PAUSES.brisk : PAUSES[speed];
  return Math.min(max, Math.max(min, times * took));
}
