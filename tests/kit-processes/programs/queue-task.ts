import { defineTask } from '../../../src/kit/queue/index.js';

/** What the processes of queue.test.ts work on. */
export const chore = defineTask<string, string>('chore', undefined, {
  attempts: 3,
  backoff: { kind: 'fixed', delay: 5, jitter: 0.5 },
});

/** Everything is kept, so that everything can be checked; workers die more often here than a task may stand elsewhere. */
export const QUEUE_OPTIONS = { keepCompleted: 1_000_000, keepEvents: 1_000_000, recoveries: 1_000_000 };

/** Short, so that a process can be stopped for longer many times. On a slow machine some end by themselves: all the better. */
export const QUEUE_LEASE_MS = 400;
