import { setTimeout as sleep } from 'node:timers/promises';

/** A search is as fast as it can be for this long, so that a short one ends at once. */
const FAST_MS = 1000;
/** Then the server does other work for this many times as long as a step took. */
const SHARE = 9;
const MIN_PAUSE_MS = 5;

/** Paces a walk through a server's keys: after its first second, other clients have the server for at least nine tenths of the time. */
export class Pace {
  readonly #signal: AbortSignal;
  readonly #startedAt = performance.now();
  #stepStartedAt = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  begin(): void {
    this.#stepStartedAt = performance.now();
  }

  /** Waits after a step. Ends when the signal is aborted. */
  async pause(): Promise<void> {
    const now = performance.now();
    const took = now - this.#stepStartedAt;
    const isFast = now - this.#startedAt < FAST_MS;
    const pause = isFast ? Math.max(1, took) : Math.max(MIN_PAUSE_MS, SHARE * took);
    await sleep(pause, undefined, { signal: this.#signal }).catch(() => {});
  }
}
