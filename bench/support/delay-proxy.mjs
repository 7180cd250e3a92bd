// Runs in a worker thread: forwards TCP connections to a server, and every chunk half of `roundTrip` ms late in each
// direction. Answers its parent with the port.
import { connect, createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const { target, roundTrip } = workerData;
const delay = roundTrip / 2;
/** Chunks under way, the oldest first: all have the same delay. */
const underWay = [];
let isPumping = false;
const cell = new Int32Array(new SharedArrayBuffer(4));
/** Timers of Node count whole milliseconds. The last one is waited for in shorter steps. */
const COARSE_MS = 1.5;
const STEP_MS = 0.02;

function pump() {
  for (;;) {
    const next = underWay[0];
    if (next === undefined) {
      isPumping = false;
      return;
    }
    const left = next.due - performance.now();
    if (left <= 0) {
      underWay.shift();
      if (!next.to.destroyed) next.to.write(next.bytes);
    } else if (left > COARSE_MS) {
      setTimeout(pump, Math.floor(left - 1));
      return;
    } else {
      Atomics.wait(cell, 0, 0, Math.min(left, STEP_MS));
      setImmediate(pump);
      return;
    }
  }
}

function forward(from, to) {
  from.setNoDelay(true);
  from.on('data', (bytes) => {
    underWay.push({ due: performance.now() + delay, to, bytes });
    if (isPumping) return;
    isPumping = true;
    pump();
  });
  from.on('error', () => {});
  from.on('close', () => to.destroy());
}

const server = createServer((client) => {
  const upstream = connect(target, '127.0.0.1');
  forward(client, upstream);
  forward(upstream, client);
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
