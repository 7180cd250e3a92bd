import type { Call } from '../call.js';
import { CommandError } from '../errors.js';

const BAD_COUNT = new CommandError('ERR count should be greater than or equal to -1');
const DEFAULT_COUNT = 10;

/** SLOWLOG GET [count]: newest first; -1 is all. */
export function slowlogGet(call: Call): void {
  const count = call.argc === 3 ? call.integer(2, BAD_COUNT) : DEFAULT_COUNT;
  if (count < -1) throw BAD_COUNT;
  const { slowLog } = call.engine;
  const entries = slowLog.entries(count === -1 ? slowLog.length : count);
  const { reply } = call;
  reply.array(entries.length);
  for (const { id, time, micros, args, address, clientName } of entries) {
    reply.array(6);
    reply.integer(id);
    reply.integer(time);
    reply.integer(micros);
    reply.array(args.length);
    for (const each of args) reply.bulkText(each);
    reply.bulkText(address);
    reply.bulkText(clientName);
  }
}

export function slowlogLen(call: Call): void {
  call.reply.integer(call.engine.slowLog.length);
}

export function slowlogReset(call: Call): void {
  call.engine.slowLog.reset();
  call.reply.ok();
}
