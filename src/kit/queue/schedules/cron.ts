import { KitError, resolveOptions, text } from '../../foundation/index.js';
import { TimeZone } from './time-zone.js';

/** A field of a cron expression: its range of values, and their names. */
interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly words?: readonly string[];
}

const SECOND: Field = { name: 'second', min: 0, max: 59 };
const MINUTE: Field = { name: 'minute', min: 0, max: 59 };
const HOUR: Field = { name: 'hour', min: 0, max: 23 };
const DAY: Field = { name: 'day of the month', min: 1, max: 31 };
const MONTH: Field = {
  name: 'month',
  min: 1,
  max: 12,
  words: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
};
/** 7 is Sunday too. */
const WEEKDAY: Field = {
  name: 'day of the week',
  min: 0,
  max: 7,
  words: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
};

const NICKNAMES = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

const HOURS = 24;

/** The longest time between two 29ths of February. */
const MAX_YEARS = 8;

export interface CronOptions {
  /** The time zone of the expression, such as `Europe/Berlin`. Default `UTC`. */
  readonly timeZone?: string;
}

const OPTIONS = { timeZone: text('UTC') };

/**
 * The times of a cron expression: minute, hour, day of the month, month, day of the week, and before them, if there
 * are six fields, the second. Each is `*`, a value, a range `1-5`, any of these with a step `*\/15`, or a list of them with
 * commas; months and weekdays also by their English names. If both day fields are restricted, a day that matches either one counts.
 *
 * With daylight saving time, an expression that names hours has each of its times once: a time that is skipped is moved
 * to right after the clock change; of a time that occurs twice, the first counts. An expression for every hour
 * (`*`) follows elapsed time.
 *
 * @example
 * const nights = new Cron('30 3 * * MON-FRI');
 * new Date(nights.after(Date.UTC(2024, 0, 5, 12))).toISOString(); // '2024-01-08T03:30:00.000Z'
 * const inBerlin = new Cron('30 3 * * MON-FRI', { timeZone: 'Europe/Berlin' });
 * new Date(inBerlin.after(Date.UTC(2024, 6, 5, 12))).toISOString(); // '2024-07-08T01:30:00.000Z'
 */
export class Cron {
  readonly expression: string;
  readonly #seconds: ReadonlySet<number>;
  readonly #minutes: ReadonlySet<number>;
  readonly #hours: ReadonlySet<number>;
  readonly #days: ReadonlySet<number>;
  readonly #months: ReadonlySet<number>;
  readonly #weekdays: ReadonlySet<number>;
  readonly #eitherDay: boolean;
  /** Undefined for UTC. */
  readonly #zone: TimeZone | undefined;

  constructor(expression: string, options: CronOptions = {}) {
    this.expression = expression;
    const { timeZone } = resolveOptions('cron', options, OPTIONS);
    this.#zone = timeZone === 'UTC' ? undefined : new TimeZone(timeZone);
    const fields = (NICKNAMES.get(expression) ?? expression).trim().split(/\s+/);
    if (fields.length === 5) fields.unshift('0');
    if (fields.length !== 6)
      throw wrong(expression, 'it needs five fields, or six beginning with the second');
    const [second, minute, hour, day, month, weekday] = fields as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    this.#seconds = valuesOf(second, SECOND, expression);
    this.#minutes = valuesOf(minute, MINUTE, expression);
    this.#hours = valuesOf(hour, HOUR, expression);
    this.#days = valuesOf(day, DAY, expression);
    this.#months = valuesOf(month, MONTH, expression);
    this.#weekdays = new Set([...valuesOf(weekday, WEEKDAY, expression)].map((value) => value % 7));
    this.#eitherDay = !day.startsWith('*') && !weekday.startsWith('*');
    if (this.#firstAfter(0) === undefined) throw wrong(expression, 'there is no such day');
  }

  /** The first time after the given one; both in Unix ms. */
  after(unixMs: number): number {
    const found = this.#zone === undefined ? this.#firstAfter(unixMs) : this.#firstInZone(this.#zone, unixMs);
    if (found === undefined) throw wrong(this.expression, `it has no time after ${unixMs}`);
    return found;
  }

  /**
   * While the offset from UTC is constant, times are found by local time. If the clocks change before the next match,
   * the search continues from the change.
   */
  #firstInZone(zone: TimeZone, unixMs: number): number | undefined {
    const isEveryHour = this.#hours.size === HOURS;
    let from = isEveryHour ? unixMs : zone.endOfRepetition(unixMs);
    let offset = zone.offsetAt(from);
    for (;;) {
      const shown = this.#firstAfter(from + offset);
      if (shown === undefined) return undefined;
      if (zone.offsetAt(shown - offset) === offset) return shown - offset;
      const change = zone.changeBetween(from, shown - offset, offset);
      const next = zone.offsetAt(change);
      // The clocks skip this time: run right after the change.
      if (shown < change + next && !isEveryHour) return change;
      // Set back: local times that repeat do not count again, unless the expression follows elapsed time.
      from = isEveryHour ? change - 1 : change - 1 + Math.max(0, offset - next);
      offset = next;
    }
  }

  /** Moves from one candidate to the next, by the largest field that does not match. */
  #firstAfter(unixMs: number): number | undefined {
    const at = new Date(Math.floor(unixMs / 1000) * 1000 + 1000);
    const lastYear = at.getUTCFullYear() + MAX_YEARS;
    while (at.getUTCFullYear() <= lastYear) {
      const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
      const [hour, minute] = [at.getUTCHours(), at.getUTCMinutes()];
      if (!this.#months.has(month + 1)) at.setTime(Date.UTC(year, month + 1));
      else if (!this.#isDay(at)) at.setTime(Date.UTC(year, month, day + 1));
      else if (!this.#hours.has(hour)) at.setTime(Date.UTC(year, month, day, hour + 1));
      else if (!this.#minutes.has(minute)) at.setTime(Date.UTC(year, month, day, hour, minute + 1));
      else if (!this.#seconds.has(at.getUTCSeconds())) at.setTime(at.getTime() + 1000);
      else return at.getTime();
    }
    return undefined;
  }

  #isDay(at: Date): boolean {
    const fitsMonth = this.#days.has(at.getUTCDate());
    const fitsWeek = this.#weekdays.has(at.getUTCDay());
    return this.#eitherDay ? fitsMonth || fitsWeek : fitsMonth && fitsWeek;
  }
}

function valuesOf(text: string, field: Field, expression: string): Set<number> {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [, range = '', step] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
    const [from, to] = rangeOf(range, step !== undefined, field);
    const by = Number(step ?? 1);
    if (from === undefined || to === undefined || from > to || by === 0) {
      throw wrong(expression, `'${text}' is no ${field.name}`);
    }
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return values;
}

/** `5/15` starts at 5 and runs to the end of the range. */
function rangeOf(
  range: string,
  hasStep: boolean,
  field: Field,
): readonly [number | undefined, number | undefined] {
  if (range === '*') return [field.min, field === WEEKDAY ? 6 : field.max];
  const [first = '', last, ...rest] = range.split('-');
  if (rest.length > 0) return [undefined, undefined];
  const from = numberOf(first, field);
  if (last !== undefined) return [from, numberOf(last, field)];
  return [from, hasStep ? (field === WEEKDAY ? 6 : field.max) : from];
}

function numberOf(text: string, { min, max, words }: Field): number | undefined {
  const named = words?.indexOf(text.toUpperCase()) ?? -1;
  if (named >= 0) return named + min;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

function wrong(expression: string, why: string): KitError {
  return new KitError(
    'OPTION',
    `'${expression}' is no cron expression: ${why}. One that is: '30 3 * * MON-FRI', half past three on weekdays`,
  );
}
