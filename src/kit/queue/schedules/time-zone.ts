import { KitError } from '../../foundation/index.js';

/** The local time of a time zone, by the rules of Node's `Intl`. */
export class TimeZone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;

  constructor(name: string) {
    this.name = name;
    try {
      this.#format = new Intl.DateTimeFormat('en-US', {
        timeZone: name,
        calendar: 'gregory',
        numberingSystem: 'latn',
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      });
    } catch (error) {
      throw new KitError(
        'OPTION',
        `'${name}' is no time zone that this Node knows. Some that are: 'Europe/Berlin', 'America/New_York', 'UTC'`,
        { cause: error },
      );
    }
  }

  /** The offset of local time from UTC at a time, in ms. */
  offsetAt(unixMs: number): number {
    const second = Math.floor(unixMs / 1000) * 1000;
    const parts = new Map<string, number>();
    for (const { type, value } of this.#format.formatToParts(second)) parts.set(type, Number(value));
    const part = (name: string): number => parts.get(name) ?? 0;
    const shown = Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
    return shown - second;
  }

  /** The time after `from`, up to `to`, at which this offset changes. */
  changeBetween(from: number, to: number, offset: number): number {
    let [before, after] = [from, to];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.offsetAt(middle) === offset) before = middle;
      else after = middle;
    }
    return after;
  }

  /** If the local time repeats because the clocks were set back, its last occurrence; otherwise the time itself. */
  endOfRepetition(unixMs: number): number {
    const offset = this.offsetAt(unixMs);
    const before = unixMs - MAX_REPETITION_MS;
    const offsetBefore = this.offsetAt(before);
    if (offsetBefore <= offset) return unixMs;
    const change = this.changeBetween(before, unixMs, offsetBefore);
    return Math.max(unixMs, change + offsetBefore - offset - 1);
  }
}

/** Clocks are usually set back by an hour or less; two hours have occurred. */
const MAX_REPETITION_MS = 3 * 3_600_000;
