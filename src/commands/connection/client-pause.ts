import type { Call } from '../call.js';
import { CommandError, errors, wrongSubcommandArguments } from '../errors.js';

const BAD_TIMEOUT = new CommandError('ERR timeout is not an integer or out of range');
const BAD_MODE = new CommandError('ERR CLIENT PAUSE mode must be WRITE or ALL');
/** Beyond this, the end of the pause does not fit into 64 bits; Redis then answers OK and does not pause. */
const LARGEST_TIME = 0x7fffffffffffffffn;

/** CLIENT PAUSE timeout [WRITE | ALL] */
export function clientPause(call: Call): void {
  if (call.argc > 4) throw wrongSubcommandArguments(call.text(1), 'client');
  const kind = call.argc === 4 ? pauseKind(call) : 'all';
  const timeout = call.integer64(2, BAD_TIMEOUT);
  if (timeout < 0n) throw errors.timeoutNegative;
  const until = timeout + BigInt(call.now);
  if (timeout > 0n && until <= LARGEST_TIME) call.engine.pause.pause(kind, Number(until));
  call.reply.ok();
}

function pauseKind(call: Call): 'all' | 'write' {
  if (call.arg(3).is('write')) return 'write';
  if (call.arg(3).is('all')) return 'all';
  throw BAD_MODE;
}

export function clientUnpause(call: Call): void {
  call.engine.pause.unpause();
  call.reply.ok();
}
