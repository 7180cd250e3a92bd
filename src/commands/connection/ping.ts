import type { Call } from '../call.js';
import { wrongArity } from '../errors.js';
import { SessionGate } from '../session.js';

export function ping(call: Call): void {
  if (call.argc > 2) throw wrongArity('ping');
  const { reply, session } = call;
  // A RESP2 client with subscriptions cannot tell a plain reply from a message, so it gets the shape of one.
  if ((session.gates & SessionGate.subscribed) !== 0 && session.protocol === 2) {
    reply.array(2);
    reply.bulkText('pong');
    if (call.argc === 1) reply.bulkText('');
    else reply.bulk(call.arg(1));
  } else if (call.argc === 1) reply.status('PONG');
  else reply.bulk(call.arg(1));
}

export function echo(call: Call): void {
  call.reply.bulk(call.arg(1));
}
