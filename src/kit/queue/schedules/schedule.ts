import { KitError, milliseconds, optional, resolveOptions, ruled, text } from '../../foundation/index.js';
import { validDate } from '../options.js';
import { Cron } from './cron.js';

/** When a task is repeated: by a cron expression, or every `every` ms. */
export type Repetition = (
  | {
      readonly cron: string;
      /** The time zone of the expression, such as `Europe/Berlin`. Default `UTC`. */
      readonly timeZone?: string;
    }
  | { readonly every: number }
) & {
  /** The schedule ends after this time. */
  readonly until?: Date;
};

/** A schedule as stored. */
export interface Specification {
  readonly cron?: string;
  /** Time zone of the cron expression, unless it is UTC. */
  readonly timeZone?: string;
  readonly every?: number;
  /** Unix ms. */
  readonly until?: number;
  /** Options of the tasks it adds. */
  readonly record: string;
  readonly key: string;
}

const RULES = {
  cron: optional(
    ruled<string>((value) => (typeof value === 'string' ? undefined : 'must be a cron expression')),
  ),
  timeZone: optional(text()),
  every: optional(milliseconds(undefined, { min: 1 })),
  until: validDate,
};

/** Resolves the times of a schedule. */
export type Times = Pick<Specification, 'cron' | 'timeZone' | 'every' | 'until'>;

export function checkRepetition(given: Repetition): Times {
  const { cron, timeZone, every, until } = resolveOptions('schedule', given, RULES);
  if ((cron === undefined) === (every === undefined)) {
    throw new KitError('OPTION', "schedule: give either `cron`, such as '0 3 * * *', or `every`, in ms");
  }
  const end = until === undefined ? {} : { until: until.getTime() };
  if (cron !== undefined) {
    const zone = timeZone === undefined || timeZone === 'UTC' ? {} : { timeZone };
    return { cron: new Cron(cron, zone).expression, ...zone, ...end };
  }
  if (timeZone !== undefined) throw new KitError('OPTION', 'schedule: `timeZone` is for `cron` only');
  return every === undefined ? end : { every, ...end };
}

/**
 * The next due time of a schedule that was due (or created) at `due`, if it is now `now`; undefined if never. Times
 * missed because no worker ran are not repeated: there is one task for all of them, and the interval is kept.
 */
export function nextOccurrence(
  { cron, timeZone, every, until }: Times,
  due: number,
  now: number,
): number | undefined {
  const next =
    cron === undefined
      ? due + (every ?? 1) * (Math.floor(Math.max(0, now - due) / (every ?? 1)) + 1)
      : cronOf(cron, timeZone).after(Math.max(due, now));
  return until !== undefined && next > until ? undefined : next;
}

const crons = new Map<string, Cron>();
const MAX_CRONS = 1_000;

function cronOf(expression: string, timeZone = 'UTC'): Cron {
  const name = `${timeZone} ${expression}`;
  const known = crons.get(name);
  if (known !== undefined) return known;
  const cron = new Cron(expression, { timeZone });
  if (crons.size >= MAX_CRONS) crons.clear();
  crons.set(name, cron);
  return cron;
}

/** A schedule and its next due time. */
export interface ScheduleSnapshot {
  readonly name: string;
  readonly cron: string | undefined;
  /** Of the cron expression. */
  readonly timeZone: string | undefined;
  readonly every: number | undefined;
  readonly until: Date | undefined;
  readonly next: Date;
}

export function scheduleOf(
  name: string,
  { cron, timeZone, every, until }: Times,
  at: number,
): ScheduleSnapshot {
  return {
    name,
    cron,
    timeZone: cron === undefined ? undefined : (timeZone ?? 'UTC'),
    every,
    until: until === undefined ? undefined : new Date(until),
    next: new Date(at),
  };
}
