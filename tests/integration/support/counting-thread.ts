/** A thread that receives a port and a number, increments a counter that many times, and reports when it is done. */
import { type MessagePort, parentPort } from 'node:worker_threads';
import { openPort } from '../../../src/store/index.js';

parentPort?.once('message', async ({ port, times }: { port: MessagePort; times: number }) => {
  await using store = await openPort(port);
  await Promise.all(Array.from({ length: times }, () => store.send('INCR', 'counter')));
  parentPort?.postMessage('done');
});
