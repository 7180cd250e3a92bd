/** A thread that is given a port and a number, adds one to a counter that many times, and says when it is done. */
import { type MessagePort, parentPort } from 'node:worker_threads';
import { openPort } from '../../../src/store/index.js';

parentPort?.once('message', async ({ port, times }: { port: MessagePort; times: number }) => {
  await using store = await openPort(port);
  await Promise.all(Array.from({ length: times }, () => store.send('INCR', 'counter')));
  parentPort?.postMessage('done');
});
