import type { Call } from '../call.js';
import { type MemoryFigures, memoryFigures } from './info/memory-figures.js';

const TOO_SMALL =
  "Hi Sam, this instance is empty or is using very little memory, my issues detector can't be used in these " +
  'conditions. Please, leave for your mission on Earth and fill it with some data. The new Sam and I will be back to ' +
  'our programming as soon as I finished rebooting.\n';
const NO_ISSUE =
  "Hi Sam, I can't find any memory issue in your instance. I can only account for what occurs on this base.\n";
const GREETING = 'Sam, I detected a few issues in this Redis instance memory implants:\n\n';
const FAREWELL = "I'm here to keep you safe, Sam. I want to help you.\n";

const PEAK =
  ' * Peak memory: In the past this instance used more than 150% the memory that is currently using. The allocator is ' +
  'normally not able to release memory after a peak, so you can expect to see a big fragmentation ratio, however this ' +
  'is actually harmless and is only due to the memory peak, and if the Redis instance Resident Set Size (RSS) is ' +
  'currently bigger than expected, the memory will be used as soon as you fill the Redis instance with more data. If ' +
  'the memory peak was only occasional and you want to try to reclaim memory, please try the MEMORY PURGE command, ' +
  'otherwise the only other option is to shutdown and restart the instance.\n\n';
const CLIENT_BUFFERS =
  ' * Big client buffers: The clients output buffers in this instance are greater than 200K per client (on average). ' +
  'This may result from different causes, like Pub/Sub clients subscribed to channels bot not receiving data fast ' +
  'enough, so that data piles on the Redis instance output buffer, or clients sending commands with large replies or ' +
  'very large sequences of commands in the same pipeline. Please use the CLIENT LIST command in order to investigate ' +
  'the issue if it causes problems in your instance, or to understand better why certain clients are using a big ' +
  'amount of memory.\n\n';

/** MEMORY DOCTOR, without Redis's advice about its allocator, which is not used here. */
export function memoryDoctor(call: Call): void {
  const figures = memoryFigures(call.engine);
  call.reply.verbatim('txt', report(figures, call.engine.sessions.size));
}

function report({ used, peak, clients }: MemoryFigures, clientCount: number): string {
  if (used < 5 << 20) return TOO_SMALL;
  const issues: string[] = [];
  if (peak / used > 1.5) issues.push(PEAK);
  if (clientCount > 0 && clients / clientCount > 200 * 1024) issues.push(CLIENT_BUFFERS);
  return issues.length === 0 ? NO_ISSUE : GREETING + issues.join('') + FAREWELL;
}
