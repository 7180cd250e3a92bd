import { type MessagePort, parentPort } from 'node:worker_threads';
import { Load, type LoadPlan } from './load.js';
import type { FromThread, ToThread } from './load-threads.js';

/** One of the threads of `--threads`: connects, waits for the start, and reports. */
export async function runLoadThread(plan: LoadPlan): Promise<void> {
  const port = parentPort as MessagePort;
  const say = (message: FromThread): void => port.postMessage(message);
  const load = new Load(plan);
  const progress = setInterval(() => say({ kind: 'progress', answered: load.answered }), PROGRESS_MS);
  try {
    await load.connect();
    const started = new Promise<void>((resolve) => {
      port.on('message', (message: ToThread) => {
        if (message === 'stop') load.stop();
        resolve();
      });
    });
    say({ kind: 'connected' });
    await started;
    await load.run();
    say({ kind: 'done', answered: load.answered, histogram: load.histogram.toMessage() });
  } catch (error) {
    say({ kind: 'failed', message: (error as Error).message });
  } finally {
    clearInterval(progress);
  }
}

const PROGRESS_MS = 200;
