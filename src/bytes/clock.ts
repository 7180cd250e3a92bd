/** The source of time, passed in everywhere so that a test can control it. Both methods return Unix time. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Microseconds, in step with `now`. */
  micros(): number;
}

class SystemClock implements Clock {
  /** Unix time minus the process's own timer, in microseconds. */
  #offset = 0;

  now(): number {
    return Date.now();
  }

  micros(): number {
    const wall = Date.now() * 1000;
    const timer = Math.floor(performance.now() * 1000);
    const estimate = this.#offset + timer;
    if (estimate >= wall && estimate < wall + 1000) return estimate;
    // The system clock was set, or the two clocks drifted apart: move to the nearest edge of its current millisecond.
    const corrected = estimate < wall ? wall : wall + 999;
    this.#offset = corrected - timer;
    return corrected;
  }
}

export const systemClock: Clock = new SystemClock();

/** A clock that changes only when it is set or advanced. */
export class ManualClock implements Clock {
  #micros: number;

  constructor(startMs = 1_700_000_000_000) {
    this.#micros = startMs * 1000;
  }

  now(): number {
    return Math.floor(this.#micros / 1000);
  }

  micros(): number {
    return this.#micros;
  }

  advance(milliseconds: number): void {
    this.#micros += Math.round(milliseconds * 1000);
  }
}
