// A client of its own process: sends GET for random keys, one after the other, and answers its parent how long they took, in µs. Arguments: the port, the
// number of keys. redis-benchmark counts latencies in steps of 8 µs, which is too coarse to see a change of 5 %.
import { connect } from 'node:net';

const [port, keys] = process.argv.slice(2).map(Number);
const MAX_CALLS = 1_000_000;
const times = new Float64Array(MAX_CALLS);
const socket = connect({ port, host: '127.0.0.1', noDelay: true });
let calls = 0;
let sentAt = 0;
let end = 0;
let reply = '';

function call() {
  const key = `user:${Math.floor(Math.random() * keys)}`;
  const words = `*2\r\n$3\r\nGET\r\n$${key.length}\r\n${key}\r\n`;
  reply = '';
  sentAt = performance.now();
  socket.write(words);
}

socket.on('data', (chunk) => {
  const now = performance.now();
  reply += chunk.latin1Slice();
  // A string of 32 bytes, with its length before it.
  if (!reply.startsWith('$32\r\n')) throw new Error(`unexpected reply ${reply}`);
  if (reply.length < '$32\r\n'.length + 34) return;
  times[calls++] = (now - sentAt) * 1000;
  if (now < end && calls < MAX_CALLS) call();
  else report();
});

function report() {
  const sorted = times.slice(0, calls).sort();
  const share = (part) => sorted[Math.floor(calls * part)];
  process.send({ calls, p50: share(0.5), p99: share(0.99), p999: share(0.999), longest: sorted[calls - 1] });
}

process.on('message', (ms) => {
  calls = 0;
  end = performance.now() + ms;
  call();
});
process.on('disconnect', () => process.exit(0));
socket.on('connect', () => process.send('ready'));
