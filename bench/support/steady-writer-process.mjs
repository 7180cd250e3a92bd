// A client in a process of its own: writes small batches of commands at a steady rate, and tells its parent how long each batch waited for
// its replies, in ms, when asked. Arguments: the port, commands a second, the words of a command as JSON.
import { connect } from 'node:net';

const TICK_MS = 1;
const MINUS = 45;
const NEWLINE = 10;
const [port, rate] = process.argv.slice(2, 4).map(Number);
const words = JSON.parse(process.argv[4]);
const perTick = Math.max(1, Math.round((rate * TICK_MS) / 1000));
const socket = connect({ port, host: '127.0.0.1', noDelay: true });
const sent = [];
let waits = [];
let replies = 0;

/** `{10}` in a word is a random number below 10. */
function command() {
  const filled = words.map((word) =>
    word.replace(/\{(\d+)\}/g, (_, below) => Math.floor(Math.random() * below)),
  );
  return `*${filled.length}\r\n${filled.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;
}

function send() {
  let text = '';
  for (let i = 0; i < perTick; i++) text += command();
  sent.push(performance.now());
  socket.write(text, 'latin1');
}

socket.on('data', (chunk) => {
  if (chunk[0] === MINUS) throw new Error(`a write was refused: ${chunk.latin1Slice()}`);
  for (const byte of chunk) {
    if (byte !== NEWLINE || ++replies < perTick) continue;
    replies = 0;
    waits.push(performance.now() - sent.shift());
  }
});
socket.on('connect', () => {
  setInterval(send, TICK_MS);
  process.send('ready');
});
process.on('message', () => {
  const now = performance.now();
  process.send([...waits, ...sent.map((at) => now - at)]);
  waits = [];
});
process.on('disconnect', () => process.exit(0));
