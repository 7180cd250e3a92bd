// A client in a process of its own: writes small batches of commands at a steady rate, and tells its parent how long each batch waited for
// its replies, in ms, when asked. Arguments: the port, commands a second, the words of a command as JSON.
// A batch allocates nothing: otherwise a garbage collection of this process each second would be the wait that one in a thousand exceeds.
import { writeSync } from 'node:fs';
import { connect } from 'node:net';

const TICK_MS = 1;
const MINUS = 45;
const NEWLINE = 10;
const ZERO = 48;
/** More than a batch each ms for a minute. */
const MAX_BATCHES = 1 << 16;
const [port, rate] = process.argv.slice(2, 4).map(Number);
const words = JSON.parse(process.argv[4]).map(parsed);
const perTick = Math.max(1, Math.round((rate * TICK_MS) / 1000));

const input = Buffer.alloc(1 << 16);
const output = Buffer.alloc(perTick * (16 + words.reduce((sum, { longest }) => sum + longest + 16, 0)));
const lineEnd = Buffer.from('\r\n');
/** When each batch was sent, and how long it waited: rings, of which `sent` has a batch from `answered` to `begun`. */
const sent = new Float64Array(MAX_BATCHES);
const waits = new Float64Array(MAX_BATCHES);
let [begun, answered, taken, replies] = [0, 0, 0, 0];

/** `{10}` in a word is a random number below 10. */
function parsed(word) {
  const [before, below = '0', after = ''] = word.split(/\{(\d+)\}/);
  return {
    before: Buffer.from(before),
    below: Number(below),
    after: Buffer.from(after),
    longest: word.length,
  };
}

function digitsOf(number) {
  let digits = 1;
  for (let power = 10; power <= number; power *= 10) digits++;
  return digits;
}

function writeNumber(number, at) {
  const end = at + digitsOf(number);
  for (let rest = number, i = end - 1; i >= at; rest = Math.floor(rest / 10))
    output[i--] = ZERO + (rest % 10);
  return end;
}

function writeBytes(bytes, at) {
  output.set(bytes, at);
  return at + bytes.length;
}

function writeHeader(sign, number, at) {
  output[at] = sign.charCodeAt(0);
  return writeBytes(lineEnd, writeNumber(number, at + 1));
}

function writeCommand(from) {
  let at = writeHeader('*', words.length, from);
  for (const { before, below, after } of words) {
    const number = Math.floor(Math.random() * below);
    at = writeHeader('$', before.length + after.length + (below > 0 ? digitsOf(number) : 0), at);
    at = writeBytes(before, at);
    if (below > 0) at = writeNumber(number, at);
    at = writeBytes(lineEnd, writeBytes(after, at));
  }
  return at;
}

function send(fd) {
  let length = 0;
  for (let i = 0; i < perTick; i++) length = writeCommand(length);
  sent[begun++ % MAX_BATCHES] = performance.now();
  if (begun - taken > MAX_BATCHES) throw new Error('the waits were not taken for too long');
  if (writeSync(fd, output, 0, length) < length) throw new Error('the server does not read');
}

function receive(length) {
  if (input[0] === MINUS) throw new Error(`a write was refused: ${input.latin1Slice(0, length)}`);
  for (let i = 0; i < length; i++) {
    if (input[i] !== NEWLINE || ++replies < perTick) continue;
    replies = 0;
    const at = answered++ % MAX_BATCHES;
    waits[at] = performance.now() - sent[at];
  }
  return true;
}

const socket = connect({
  port,
  host: '127.0.0.1',
  noDelay: true,
  onread: { buffer: input, callback: receive },
});
socket.on('connect', () => {
  const { fd } = socket._handle;
  setInterval(send, TICK_MS, fd);
  process.send('ready');
});
process.on('message', () => {
  const now = performance.now();
  const list = [];
  for (let i = taken; i < begun; i++) {
    const at = i % MAX_BATCHES;
    list.push(i < answered ? waits[at] : now - sent[at]);
  }
  taken = answered;
  process.send(list);
});
process.on('disconnect', () => process.exit(0));
