import type { MessagePort } from 'node:worker_threads';
import type { Store } from '../store.js';
import type { EngineWorker, PortOptions, WorkerOptions } from './engine-worker.js';

/**
 * Starts an engine in its own thread, for programs whose event loop must stay free or whose threads share data. Its stores
 * work like stores on a server: each call is a message to that thread.
 *
 * @example
 * import { openWorker } from 'sorrel';
 *
 * await using worker = await openWorker();
 * await using store = await worker.open();
 * await store.set('greeting', 'hello');
 * await store.get('greeting'); // 'hello'
 */
export async function openWorker(
  address: 'memory:' | `file:${string}` = 'memory:',
  options: WorkerOptions = {},
): Promise<EngineWorker> {
  const { startEngine } = await import('./engine-worker.js');
  return startEngine(address, options);
}

/**
 * Opens a store on an engine of another thread, by a port from `EngineWorker.port`. A port serves one such store and its
 * duplicates.
 *
 * @example
 * // in the thread that started the engine
 * const port = worker.port();
 * thread.postMessage(port, [port]);
 *
 * // in the other thread
 * import { openPort } from 'sorrel';
 *
 * parentPort.once('message', async (port) => {
 *   await using store = await openPort(port);
 *   await store.incr('visits');
 * });
 */
export async function openPort(port: MessagePort, options: PortOptions = {}): Promise<Store> {
  const { openOnPort } = await import('./engine-worker.js');
  return openOnPort(port, options);
}
