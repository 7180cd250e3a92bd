import { clientLine } from '../connection/client-line.js';
import type { EnginePort } from '../engine-port.js';
import type { Session } from '../session.js';
import type { DenialContext, DenialReason } from './access-log.js';

/** Adds to ACL LOG that the session was refused something; `user` is given if it is not the session's. */
export function logDenial(
  engine: EnginePort,
  session: Session,
  reason: DenialReason,
  context: DenialContext,
  object: string,
  user = session.user?.name ?? '',
): void {
  const client = clientLine(session, engine).trimEnd();
  engine.users.log.add({ reason, context, object, user, client }, engine.keyspace.now);
}
