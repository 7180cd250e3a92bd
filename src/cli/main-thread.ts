import { Worker } from 'node:worker_threads';

/**
 * Starts a thread with the program's main module, which sees from its data what it is for. Only the main module, which this file becomes a part of
 * in the build, knows where it is.
 */
export function startMainThread(workerData: unknown): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL(import.meta.url), { workerData });
  const main = new URL('main.ts', import.meta.url);
  const starter = new URL('../../scripts/source-thread.mjs', import.meta.url);
  return new Worker(starter, { workerData, argv: [main.href] });
}
