import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a thread with an engine from its source; its data says what for. The build replaces this module by one that starts the
 * thread from a string with all its code, so that it also works after a bundler has joined Sorrel with a program.
 */
export function startThread(options: WorkerOptions): Worker {
  const module = new URL('../store/worker/engine-thread.ts', import.meta.url);
  return new Worker(new URL('../../scripts/source-thread.mjs', import.meta.url), {
    ...options,
    argv: [module.href],
  });
}
