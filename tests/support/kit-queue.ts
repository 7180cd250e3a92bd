import {
  defineTask,
  type QueueOptions,
  queue,
  type TaskHandler,
  type TaskQueue,
} from '../../src/kit/queue/index.js';
import { type EmbeddedStore, ManualClock, open } from '../../src/store/index.js';

/** The objects that a test of a queue uses. */
export interface QueueTools {
  readonly mail: TaskQueue;
  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
}

/** A queue on a separate store, whose time only moves with `clock`. */
export async function withQueue(
  body: (tools: QueueTools) => Promise<void>,
  options: QueueOptions = {},
): Promise<void> {
  const clock = new ManualClock(Date.UTC(2024, 0, 1));
  await using store = await open('memory:', { clock });
  await body({ mail: queue(store, 'mail', options), clock, store });
}

export const note = defineTask<string, string>('note');

/** A handler that records what it receives. */
export function recorder(seen: string[]): TaskHandler {
  return note.handle((text) => {
    seen.push(text);
    return text;
  });
}

/** Waits until everything has happened that does not depend on time. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
