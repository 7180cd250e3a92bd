import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';

const TIMEOUT_NOT_INTEGER = new CommandError('ERR timeout is not an integer or out of range');
const ON_REPLICA = new CommandError(
  'ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is configured to be ' +
    'writable (which is not the default) writes to replicas are just local and are not propagated.',
);

/** WAIT numreplicas timeout: waits until a number of replicas have received all writes. */
export function wait(call: Call): void {
  const { replication } = call.engine;
  if (replication.isReplica) throw ON_REPLICA;
  const wanted = call.integer(1);
  const timeout = call.integer(2, TIMEOUT_NOT_INTEGER);
  if (timeout < 0) throw errors.timeoutNegative;
  replication.wait(call, wanted, timeout === 0 ? 0 : call.now + timeout);
}
