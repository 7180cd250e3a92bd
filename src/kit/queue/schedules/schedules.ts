import { KitError, pairs } from '../../foundation/index.js';
import { type AnyDefinition, checkData } from '../adding/entries.js';
import { type QueueCore, serverTime } from '../lua/scripts.js';
import { type TaskOptions, taskOptions } from '../options.js';
import { headerOf, recordOf } from '../record.js';
import {
  checkRepetition,
  nextOccurrence,
  type Repetition,
  type ScheduleSnapshot,
  type Specification,
  scheduleOf,
} from './schedule.js';

/** Options of the tasks of a schedule. */
export type ScheduledOptions = Omit<TaskOptions, 'delay' | 'at' | 'after' | 'id' | 'throttle' | 'debounce'>;

/** The schedules of a queue. */
export class Schedules {
  readonly #core: QueueCore;

  constructor(core: QueueCore) {
    this.#core = core;
  }

  async set(
    name: string,
    definition: AnyDefinition,
    data: unknown,
    repetition: Repetition,
    options: ScheduledOptions,
  ): Promise<ScheduleSnapshot> {
    await checkData(definition, data);
    const when = checkRepetition(repetition);
    const complete = taskOptions(options, definition.defaults);
    checkScheduled(options);
    const record = recordOf(JSON.stringify(headerOf(definition.name, complete, { s: name })), data);
    const specification = { ...when, record, key: complete.key ?? '' };
    return scheduleOf(name, specification, await storeSchedule(this.#core, name, specification, ''));
  }

  async end(name: string): Promise<boolean> {
    const { keyList: keys, scripts } = this.#core;
    return (await scripts.unschedule({ keys, name })) === 1;
  }

  async list(): Promise<ScheduleSnapshot[]> {
    const { store, keys } = this.#core;
    const due = (await store.send('ZRANGE', keys.occurrences, 0, -1, 'WITHSCORES')) as readonly string[];
    const texts = (await store.send('HGETALL', keys.schedules)) as readonly string[];
    const specifications = new Map(pairs(texts));
    return pairs(due).flatMap(([name, at]) => {
      const text = specifications.get(name);
      return text === undefined ? [] : [scheduleOf(name, JSON.parse(text) as Specification, Number(at))];
    });
  }
}

/**
 * Gives a schedule other times and other data; its tasks keep their other options, which are taken from `seen`, the specification as it was read.
 * False if the schedule has ended or was changed since.
 */
export async function changeSchedule(
  core: QueueCore,
  name: string,
  seen: string,
  repetition: Repetition,
  data: unknown,
): Promise<boolean> {
  const { record, key } = JSON.parse(seen) as Specification;
  const when = checkRepetition(repetition);
  const header = record.slice(0, record.indexOf('\n'));
  return (await storeSchedule(core, name, { ...when, record: recordOf(header, data), key }, seen)) !== -1;
}

/** Returns the next due time, in ms; -1 if the schedule is not the expected one. */
async function storeSchedule(
  core: QueueCore,
  name: string,
  specification: Specification,
  expected: string,
): Promise<number> {
  const { keyList: keys, scripts } = core;
  const now = await serverTime(core);
  const first = nextOccurrence(specification, now, now);
  if (first === undefined) throw new KitError('OPTION', 'schedule: `until` is before the first occurrence');
  const text = JSON.stringify(specification);
  return Number(await scripts.schedule({ keys, name, expected, specification: text, first }));
}

/** Throws if an option makes no sense for tasks that are added repeatedly. */
function checkScheduled(options: object): void {
  for (const name of ['delay', 'at', 'after', 'id', 'throttle', 'debounce']) {
    if (!(name in options)) continue;
    throw new KitError('OPTION', `schedule: the tasks of a schedule cannot have \`${name}\``);
  }
}
