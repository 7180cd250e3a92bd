import type { CompleteWorkerOptions } from '../options.js';

/** Tasks are taken ahead if they will probably start within this time, in ms. */
const AHEAD_MS = 10;
const MAX_AHEAD = 50;
/** Weight of the last task in the average. */
const WEIGHT = 0.1;
/** Tasks taken ahead that did not start within this time, in ms, are returned. */
export const GIVE_BACK_MS = 100;

/** Decides how many tasks a worker takes ahead, by the average time of recent tasks. */
export class Prefetch {
  readonly #options: CompleteWorkerOptions;
  /** Average time of a task in ms; nothing is taken ahead before the first one is over. */
  #average = Number.POSITIVE_INFINITY;
  /** The queue limits how many tasks are active: tasks taken ahead would count, and keep others from starting. */
  isLimited = false;
  readonly #isBatched: boolean;

  /** A batch is taken at once anyway; a few tasks ahead would make a batch of their own. */
  constructor(options: CompleteWorkerOptions, isBatched: boolean) {
    this.#options = options;
    this.#isBatched = isBatched;
  }

  get givesBack(): boolean {
    return this.#options.prefetch === 'auto';
  }

  /** How many tasks to take beyond the running ones. */
  get count(): number {
    const { prefetch, concurrency } = this.#options;
    if (prefetch !== 'auto') return prefetch;
    if (this.isLimited || this.#isBatched) return 0;
    return Math.min(MAX_AHEAD, Math.floor((AHEAD_MS / Math.max(this.#average, 0.01)) * concurrency));
  }

  /** A task took this many ms. */
  observe(ms: number): void {
    this.#average = Number.isFinite(this.#average) ? this.#average + (ms - this.#average) * WEIGHT : ms;
  }

  /** Tasks taken ahead had to be returned: the estimate was wrong. */
  misjudged(): void {
    this.#average = Math.max(Number.isFinite(this.#average) ? this.#average : 0, GIVE_BACK_MS * 10);
  }
}
