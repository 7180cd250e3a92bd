import { Type } from '../../keyspace/kinds.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';

const TIMEOUT_NOT_INTEGER = new CommandError('ERR timeout is not an integer or out of range');

/** Waits until a number of replicas have received all writes. Without replicas only the timeout ends the wait. */
export function wait(call: Call): void {
  const wanted = call.integer(1);
  const timeout = call.integer(2, TIMEOUT_NOT_INTEGER);
  if (timeout < 0) throw errors.timeoutNegative;
  if (wanted <= 0) {
    call.reply.integer(0);
    return;
  }
  call.block({
    keys: [],
    type: Type.string,
    deadline: timeout === 0 ? 0 : call.now + timeout,
    serve: () => false,
    timedOut: (reply) => reply.integer(0),
  });
}
