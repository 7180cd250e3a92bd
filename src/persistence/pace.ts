import type { Settings } from '../commands/config/settings.js';
import type { Timers } from '../engine/timers.js';

/**
 * Slows snapshots or loading down, for tests: `rdb-key-save-delay` and `key-load-delay` say how many µs each key takes. Keys are
 * handled in small groups, with a wait for each group. If the setting is removed, a wait ends soon. Negative values mean
 * fractions of a µs in Redis; they have no effect.
 */
export class Pace {
  readonly #settings: Settings | undefined;
  readonly #name: string;
  readonly #fixed: number | undefined;

  /** With `isFixed`, later changes of the setting have no effect, as for a child process of Redis. */
  constructor(
    settings: Settings | undefined,
    name: 'rdb-key-save-delay' | 'key-load-delay',
    isFixed = false,
  ) {
    this.#settings = settings;
    this.#name = name;
    if (isFixed) this.#fixed = this.#micros;
  }

  get #micros(): number {
    return this.#fixed ?? Math.max(0, this.#settings?.number(this.#name) ?? 0);
  }

  /** The number of keys of a group; all keys are one group if nothing is slowed down. */
  get keys(): number {
    const micros = this.#micros;
    return micros === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(GROUP_MICROS / micros));
  }

  /** How long to wait for a group, in ms. */
  get wait(): number {
    const micros = this.#micros;
    return micros === 0 ? 0 : (this.keys * micros) / 1000;
  }

  /** Calls `work` after the wait for a group, or after waiting input if there is nothing to wait for. The returned function cancels it. */
  schedule(timers: Timers, work: () => void): () => void {
    let left = this.wait;
    let cancel: () => void;
    const next = (): void => {
      if (left <= 0 || this.#micros === 0) {
        cancel = timers.soon(work);
        return;
      }
      const part = Math.min(left, CHECK_MS);
      left -= part;
      cancel = timers.after(part, next);
    };
    next();
    return () => cancel();
  }

  /** Blocks the process for the wait for a group. */
  block(): void {
    if (this.wait > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, this.wait);
  }
}

const GROUP_MICROS = 5000;
/** How often a wait checks whether the setting was removed. */
const CHECK_MS = 50;
