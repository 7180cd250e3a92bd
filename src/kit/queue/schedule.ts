import { KitError, milliseconds, optional, resolveOptions, ruled, text } from '../foundation/index.js';
import { Cron } from './cron.js';

/** When a task is to be repeated: by a cron expression, or at intervals of `every` ms. */
export type Repetition = (
  | {
      readonly cron: string;
      /** Of which place the clock is meant, such as `Europe/Berlin`. Default `UTC`. */
      readonly timeZone?: string;
    }
  | { readonly every: number }
) & {
  /** The schedule ends after this time. */
  readonly until?: Date;
};

/** A schedule as it is stored. */
export interface Specification {
  readonly cron?: string;
  /** Of the cron expression, unless it is UTC. */
  readonly timeZone?: string;
  readonly every?: number;
  /** Unix ms. */
  readonly until?: number;
  /** Of the tasks it makes. */
  readonly record: string;
  readonly priority: number;
  readonly key: string;
}

const RULES = {
  cron: optional(
    ruled<string>((value) => (typeof value === 'string' ? undefined : 'must be a cron expression')),
  ),
  timeZone: optional(text()),
  every: optional(milliseconds(undefined, { min: 1 })),
  until: optional(ruled<Date>((value) => (value instanceof Date ? undefined : 'must be a Date'))),
};

/** When: the part of a schedule that says so. */
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
 * When a schedule is due next, after it was due (or made) at `due` and it is now `now`; undefined if never. Times that
 * were missed because no worker ran are not made up for: there is one task for all of them, and the rhythm is kept.
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
