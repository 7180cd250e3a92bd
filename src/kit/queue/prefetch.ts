import type { CompleteWorkerOptions } from './options.js';

/** Tasks are taken ahead as far as they will be begun within this time. */
const AHEAD_MS = 10;
const MAX_AHEAD = 50;
/** How much the last task counts in the average. */
const WEIGHT = 0.1;
/** What was taken ahead and not begun after this time is given back. */
export const GIVE_BACK_MS = 100;

/** Decides how many tasks a worker takes ahead, by how long tasks have taken lately. */
export class Prefetch {
  readonly #options: CompleteWorkerOptions;
  /** Average time of a task in ms; nothing is taken ahead before the first one is over. */
  #average = Number.POSITIVE_INFINITY;

  constructor(options: CompleteWorkerOptions) {
    this.#options = options;
  }

  get givesBack(): boolean {
    return this.#options.prefetch === 'auto';
  }

  /** How many to take beyond those being worked on. */
  get count(): number {
    const { prefetch, concurrency } = this.#options;
    if (prefetch !== 'auto') return prefetch;
    return Math.min(MAX_AHEAD, Math.floor((AHEAD_MS / Math.max(this.#average, 0.01)) * concurrency));
  }

  /** A task took this many ms. */
  observe(ms: number): void {
    this.#average = Number.isFinite(this.#average) ? this.#average + (ms - this.#average) * WEIGHT : ms;
  }

  /** Tasks taken ahead had to be given back: the estimate was wrong. */
  misjudged(): void {
    this.#average = Math.max(Number.isFinite(this.#average) ? this.#average : 0, GIVE_BACK_MS * 10);
  }
}
