import { type QueueCore, serverTime } from './lua/scripts.js';

/** What happened in one minute. */
export interface MinuteMetrics {
  /** Its beginning. */
  readonly at: Date;
  readonly completed: number;
  /** Failed attempts that are followed by another one. */
  readonly retried: number;
  readonly dead: number;
  /** Time that handlers took, in ms. */
  readonly busyMs: number;
  /** First attempts that were started. */
  readonly started: number;
  /** Time between adding them and that start, in ms; for a delayed task it contains the delay. */
  readonly waitedMs: number;
}

const MINUTE_MS = 60_000;

/** The last minutes, the current one included; those in which nothing happened have zeros. */
export async function readMetrics(core: QueueCore, minutes: number): Promise<MinuteMetrics[]> {
  const { store, keys } = core;
  const last = Math.floor((await serverTime(core)) / MINUTE_MS);
  const wanted = Array.from({ length: minutes }, (_, index) => last - minutes + 1 + index);
  const found = (await store.send('HMGET', `${keys.meta}:metrics`, ...wanted)) as readonly (string | null)[];
  return wanted.map((minute, index) => {
    const sums = (found[index] ?? '').split(' ').map(Number);
    const [completed = 0, retried = 0, dead = 0, busyMs = 0, started = 0, waitedMs = 0] = sums;
    return { at: new Date(minute * MINUTE_MS), completed, retried, dead, busyMs, started, waitedMs };
  });
}
