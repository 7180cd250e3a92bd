import type { Call } from '../call.js';
import { CommandError, errors, shownText, wrongSubcommandArguments } from '../errors.js';
import { type Session, SessionGate } from '../session.js';
import { type ClientClass, classNamed, classOf, clientLine } from './client-line.js';
import { validateClientName } from './client-name.js';

const BAD_CLIENT_ID = new CommandError('ERR Invalid client ID');
const UNBLOCKED = new CommandError('UNBLOCKED client unblocked via CLIENT UNBLOCK');
const BAD_UNBLOCK_REASON = new CommandError('ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR');

export function clientId(call: Call): void {
  call.reply.integer(call.session.id);
}

export function clientInfo(call: Call): void {
  call.reply.verbatim('txt', clientLine(call.session, call.engine));
}

/** CLIENT LIST [TYPE type | ID id …] */
export function clientList(call: Call): void {
  const lines = listed(call).map((session) => clientLine(session, call.engine));
  call.reply.verbatim('txt', lines.join(''));
}

function listed(call: Call): Session[] {
  const { sessions } = call.engine;
  if (call.argc === 2) return [...sessions.values()];
  if (call.argc === 4 && call.arg(2).is('type')) {
    const wanted = classArgument(call, 3);
    return [...sessions.values()].filter((session) => classOf(session) === wanted);
  }
  if (call.argc > 3 && call.arg(2).is('id')) {
    const found: Session[] = [];
    for (let i = 3; i < call.argc; i++) {
      const session = sessions.get(call.integer(i, BAD_CLIENT_ID));
      if (session !== undefined) found.push(session);
    }
    return found;
  }
  throw errors.syntax;
}

/** A class of clients, by name. */
export function classArgument(call: Call, index: number): ClientClass {
  const found = classNamed(call.text(index));
  if (found === undefined) throw new CommandError(`ERR Unknown client type '${shownText(call.text(index))}'`);
  return found;
}

export function clientGetName(call: Call): void {
  const { name } = call.session;
  if (name === '') call.reply.null();
  else call.reply.bulkText(name);
}

export function clientSetName(call: Call): void {
  call.session.name = validateClientName(call.text(2));
  call.reply.ok();
}

/** CLIENT REPLY ON | OFF | SKIP: only ON is answered. */
export function clientReply(call: Call): void {
  const { session } = call;
  const mode = call.arg(2);
  if (mode.is('on')) {
    session.replies = 'on';
    call.reply.ok();
    return;
  }
  if (mode.is('off')) session.replies = 'off';
  else if (!mode.is('skip')) throw errors.syntax;
  else if (session.replies !== 'off') session.replies = 'skip';
  session.gates |= SessionGate.muted;
}

export function clientNoEvict(call: Call): void {
  if (call.arg(2).is('on')) call.session.noEvict = true;
  else if (call.arg(2).is('off')) call.session.noEvict = false;
  else throw errors.syntax;
  call.reply.ok();
}

/** CLIENT UNBLOCK id [TIMEOUT | ERROR] */
export function clientUnblock(call: Call): void {
  let error: CommandError | undefined;
  if (call.argc === 4) {
    if (call.arg(3).is('error')) error = UNBLOCKED;
    else if (!call.arg(3).is('timeout')) throw BAD_UNBLOCK_REASON;
  } else if (call.argc > 4) {
    throw wrongSubcommandArguments(call.text(1), 'client');
  }
  const session = call.engine.sessions.get(call.integer(2));
  call.reply.integer(session !== undefined && call.engine.unblock(session, error) ? 1 : 0);
}
