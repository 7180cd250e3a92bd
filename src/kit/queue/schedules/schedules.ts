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
    const { keyList: keys, scripts } = this.#core;
    const now = await serverTime(this.#core);
    const first = nextOccurrence(when, now, now);
    if (first === undefined) throw new KitError('OPTION', 'schedule: `until` is before the first occurrence');
    const text = JSON.stringify(specification);
    const next = await scripts.schedule({ keys, name, specification: text, first });
    return scheduleOf(name, specification, Number(next));
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

/** Throws if an option makes no sense for tasks that are added repeatedly. */
function checkScheduled(options: object): void {
  for (const name of ['delay', 'at', 'after', 'id', 'throttle', 'debounce']) {
    if (!(name in options)) continue;
    throw new KitError('OPTION', `schedule: the tasks of a schedule cannot have \`${name}\``);
  }
}
