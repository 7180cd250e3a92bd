import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Starts the thread of a node from its source. The build replaces this module, as it does `engine/start-thread.ts`. */
export function startNodeThread(options: WorkerOptions): Worker {
  const module = new URL('./cluster-thread.ts', import.meta.url);
  return new Worker(new URL('../../../scripts/source-thread.mjs', import.meta.url), {
    ...options,
    argv: [module.href],
  });
}
