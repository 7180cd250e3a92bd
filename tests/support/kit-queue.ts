import {
  defineTask,
  type QueueOptions,
  queue,
  type TaskHandler,
  type TaskQueue,
} from '../../src/kit/queue/index.js';
import { type EmbeddedStore, ManualClock, open } from '../../src/store/index.js';

/** What a test of a queue works with. */
export interface QueueTools {
  readonly mail: TaskQueue;
  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
}

/** A queue on a store of its own whose time stands still until `clock` is moved. */
export async function withQueue(
  body: (tools: QueueTools) => Promise<void>,
  options: QueueOptions = {},
): Promise<void> {
  const clock = new ManualClock(Date.UTC(2024, 0, 1));
  await using store = await open('memory:', { clock });
  await body({ mail: queue(store, 'mail', options), clock, store });
}

export const note = defineTask<string, string>('note');

/** A handler that writes down what it gets. */
export function recorder(seen: string[]): TaskHandler {
  return note.handle((text) => {
    seen.push(text);
    return text;
  });
}

/** Lets everything happen that needs no time. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
