import { KitError } from '../foundation/index.js';

/** What clocks on the wall show in a time zone, by the rules that Node's own `Intl` knows. */
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

  /** By how many ms the clocks are ahead of UTC at a time; to be added to it. */
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

  /** A moment after `from`, and not after `to`, at which clocks that had this offset are changed. */
  changeBetween(from: number, to: number, offset: number): number {
    let [before, after] = [from, to];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.offsetAt(middle) === offset) before = middle;
      else after = middle;
    }
    return after;
  }

  /** The last moment at which clocks that were put back show what they have shown before; the time itself at others. */
  endOfRepetition(unixMs: number): number {
    const offset = this.offsetAt(unixMs);
    const before = unixMs - LONGEST_REPETITION_MS;
    const offsetBefore = this.offsetAt(before);
    if (offsetBefore <= offset) return unixMs;
    const change = this.changeBetween(before, unixMs, offsetBefore);
    return Math.max(unixMs, change + offsetBefore - offset - 1);
  }
}

/** Clocks are put back by an hour, or less; politics has also had two. */
const LONGEST_REPETITION_MS = 3 * 3_600_000;
