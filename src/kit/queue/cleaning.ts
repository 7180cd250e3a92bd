import {
  flag,
  integer,
  KitError,
  milliseconds,
  oneOf,
  optional,
  resolveOptions,
} from '../foundation/index.js';
import { deliver } from './adding/outbox.js';
import { type QueueCore, serverTime } from './lua/scripts.js';

export type CleanState = 'waiting' | 'delayed' | 'blocked' | 'completed' | 'dead';

export interface CleanOptions {
  /** Removes only tasks that ended, or were added, more than this many ms ago. Default 0. */
  readonly olderThan?: number;
  /** Max tasks to remove. Default: no limit. */
  readonly limit?: number;
}

export interface DrainOptions {
  /** Removes delayed tasks too. Default false. */
  readonly delayed?: boolean;
}

export interface ObliterateOptions {
  /** Even if tasks are active. Default false. */
  readonly force?: boolean;
}

const STATE_RULES = { state: oneOf(['waiting', 'delayed', 'blocked', 'completed', 'dead']) };
const CLEAN_RULES = {
  olderThan: optional(milliseconds()),
  limit: integer(Number.MAX_SAFE_INTEGER, { min: 1 }),
};
const DRAIN_RULES = { delayed: flag(false) };
const OBLITERATE_RULES = { force: flag(false) };

/** Tasks per script: the server serves other clients in between. */
const MAX_PER_CALL = 200;

/** Removes many tasks of a queue. */
export class Cleaning {
  readonly #core: QueueCore;

  constructor(core: QueueCore) {
    this.#core = core;
  }

  async clean(state: CleanState, given: CleanOptions): Promise<number> {
    resolveOptions('clean', { state }, STATE_RULES);
    const { olderThan, limit } = resolveOptions('clean', given, CLEAN_RULES);
    return this.#remove(
      state,
      olderThan === undefined ? '' : (await serverTime(this.#core)) - olderThan,
      limit,
    );
  }

  async drain(given: DrainOptions): Promise<number> {
    const { delayed } = resolveOptions('drain', given, DRAIN_RULES);
    const { MAX_SAFE_INTEGER } = Number;
    const removed = delayed ? await this.#remove('delayed', '', MAX_SAFE_INTEGER) : 0;
    return removed + (await this.#remove('waiting', '', MAX_SAFE_INTEGER));
  }

  async obliterate(given: ObliterateOptions): Promise<void> {
    const { force } = resolveOptions('obliterate', given, OBLITERATE_RULES);
    const { keyList: keys, scripts, name } = this.#core;
    if ((await scripts.obliterate({ keys, force: force ? '1' : '0' })) === 1) return;
    throw new KitError(
      'ACTIVE',
      `queue '${name}' has active tasks: stop its workers first, or say { force: true } to refuse their results`,
    );
  }

  async #remove(state: CleanState, before: number | '', max: number): Promise<number> {
    const { keyList: keys, scripts, keepEvents: bound } = this.#core;
    let removed = 0;
    let kept = 0;
    while (removed < max) {
      const limit = Math.min(MAX_PER_CALL, max - removed);
      const reply = await scripts.clean({ keys, state, before, skip: kept, limit, bound });
      const [done, left, mustDeliver] = reply as readonly [number, number, number];
      if (mustDeliver === 1) await deliver(scripts, keys).catch(() => {});
      removed += done;
      kept += left;
      if (done + left === 0) break;
    }
    return removed;
  }
}
