import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';

const NO_SHUTDOWN = new CommandError('ERR No shutdown in progress.');
const SHUTDOWN_FAILED = new CommandError('ERR Errors trying to SHUTDOWN. Check logs.');
const MAY_NOT_WAIT = new CommandError(
  "ERR SHUTDOWN without NOW or ABORT isn't allowed for DENY BLOCKING client",
);

export function time(call: Call): void {
  const micros = call.keyspace.clock.micros();
  call.reply.array(2);
  call.reply.bulkInteger(Math.floor(micros / 1_000_000));
  call.reply.bulkInteger(micros % 1_000_000);
}

/** SHUTDOWN [NOSAVE | SAVE] [NOW] [FORCE] [ABORT]: on success there is no reply, the connection is closed. */
export function shutdown(call: Call): void {
  const given = new Set<string>();
  for (let i = 1; i < call.argc; i++) {
    const option = call.text(i).toLowerCase();
    if (!SHUTDOWN_OPTIONS.has(option)) throw errors.syntax;
    given.add(option);
  }
  const { host } = call.engine;
  if (given.has('save') && given.has('nosave')) throw errors.syntax;
  if (given.has('abort')) {
    if (given.size > 1) throw errors.syntax;
    if (!host.abortShutdown()) throw NO_SHUTDOWN;
    call.reply.ok();
    return;
  }
  const now = given.has('now');
  if (!now && !call.mayBlock) throw MAY_NOT_WAIT;
  const save = given.has('save') || given.has('nosave') ? given.has('save') : undefined;
  if (!host.shutdown({ save, now, force: given.has('force') }, call.session)) throw SHUTDOWN_FAILED;
}

const SHUTDOWN_OPTIONS = new Set(['nosave', 'save', 'now', 'force', 'abort']);
