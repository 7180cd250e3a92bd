import { StoreError, type StoreTime } from '../../store/index.js';
import { KitError } from '../foundation/index.js';
import { defineTask, type TaskDefinition, type TaskQueue } from '../queue/index.js';
import type { Core } from './core.js';

/** Where a walk over a sorted set is: score and member of the last one; null at the beginning. */
export type Cursor = readonly [score: string, member: string] | null;

/** Tasks find out by themselves what is to be done, so they can be repeated at any time. */
const UNTIL_DONE = {
  attempts: 1_000,
  recoveries: 1_000,
  backoff: { kind: 'exponential', delay: 100, max: 60_000, jitter: 0.5 },
} as const;

/** Brings a feed and a user that it follows, or no longer follows, in line. */
export const RELATE_TASK = defineTask<{ readonly feed: string; readonly author: string }>(
  'relate',
  undefined,
  UNTIL_DONE,
);

/** Puts a status into the timelines where it belongs, or removes it from them if it was deleted. */
export const SPREAD_TASK = defineTask<Spread>('spread', undefined, UNTIL_DONE);

export interface Spread {
  readonly author: string;
  /** Of the status; empty: look it up by its token. */
  readonly number: string;
  readonly token: string;
  readonly on: 'followers' | 'listed';
  readonly after: Cursor;
}

/** Fills a timeline that has become short. */
export const REFILL_TASK = defineTask<{ readonly feed: string; readonly after: Cursor }>(
  'refill',
  undefined,
  UNTIL_DONE,
);

/** Ends what is left between a user and another one that it has blocked. */
export const BLOCK_TASK = defineTask<{ readonly user: string; readonly other: string }>(
  'block',
  undefined,
  UNTIL_DONE,
);

/** Removes the members of a list that was deleted. */
export const DROP_LIST_TASK = defineTask<{ readonly list: string }>('drop list', undefined, UNTIL_DONE);

/** Throws if this process must not go on: its time is over, and the queue may do the same work. */
export type Guard = () => void;

/** A call that changes more than one user. */
export interface Undertaking<Data, Result> {
  readonly task: TaskDefinition<Data, Data, unknown>;
  readonly data: Data;
  /** The change that decides. If it returns undefined, there is nothing to do. */
  change(): Promise<Result | undefined>;
  /** Brings other users in line. Returns the data of the task for the rest of it; undefined if there is none. */
  carryOut(result: Result, guard: Guard): Promise<Data | undefined>;
}

/**
 * Users lie in different slots of a Cluster, so no step can change two of them. A call that has to leaves a task in the queue first,
 * which is due after a lease, then works itself, and removes the task when all is done. If the process dies on the way, the task
 * finishes its work.
 */
export class Unfinished {
  readonly #queue: TaskQueue;
  readonly #time: StoreTime;
  readonly #lease: number;
  readonly #maxAge: number;
  readonly #onError: (error: unknown) => void;

  constructor({ store, options, maxAge }: Core, queue: TaskQueue) {
    this.#queue = queue;
    this.#time = store.time;
    this.#lease = options.lease;
    this.#maxAge = maxAge;
    this.#onError = options.onError;
  }

  async run<Data, Result>(undertaking: Undertaking<Data, Result>): Promise<Result | undefined> {
    const { task, data } = undertaking;
    const { id } = await this.#queue.add(task, data, { delay: this.#lease });
    const guard = this.#guard();
    let result: Result | undefined;
    try {
      result = await undertaking.change();
    } catch (error) {
      // An error of the kit means that nothing was changed; after others it may have been.
      if (error instanceof KitError) await this.#remove(id);
      throw error;
    }
    if (result === undefined) {
      await this.#remove(id);
      return undefined;
    }
    try {
      const rest = await undertaking.carryOut(result, guard);
      if (rest === undefined) {
        await this.#remove(id);
      } else if (await this.#queue.update(id, task, rest)) {
        await this.#queue.promote(id);
      }
    } catch (error) {
      // The change is made, and the task will do the rest.
      if (!isLate(error)) this.#onError(error);
    }
    return result;
  }

  /** A task that stays is not a fault: it finds that nothing is to be done. */
  async #remove(id: string): Promise<void> {
    await this.#queue.remove(id).catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
    });
  }

  #guard(): Guard {
    const end = this.#time.monotonic() + this.#maxAge;
    return () => {
      if (this.#time.monotonic() > end) throw new KitError(LATE, 'left to the queue');
    };
  }
}

const LATE = 'LATE';

function isLate(error: unknown): boolean {
  return error instanceof KitError && error.code === LATE;
}
