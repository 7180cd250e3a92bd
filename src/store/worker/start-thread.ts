import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts the thread of an engine from its source. The build puts a module here that starts it from a text: all that the
 * thread runs in one script, so that it also works where a bundler has joined Sorrel with the rest of a program.
 */
export function startThread(options: WorkerOptions): Worker {
  const module = new URL('./engine-thread.ts', import.meta.url);
  return new Worker(new URL('../../../scripts/source-thread.mjs', import.meta.url), {
    ...options,
    argv: [module.href],
  });
}
