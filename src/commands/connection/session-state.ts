import type { Call } from '../call.js';

/** RESET: as if the client had just connected. */
export function reset(call: Call): void {
  call.engine.resetSession(call.session);
  call.reply.protocol = 2;
  call.reply.status('RESET');
}

export function quit(call: Call): void {
  call.reply.ok();
  call.session.sink.close('flushed');
}
