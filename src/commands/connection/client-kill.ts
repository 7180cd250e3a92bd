import type { User } from '../acl/user.js';
import type { Call } from '../call.js';
import { CommandError, errors, shownText } from '../errors.js';
import type { Session } from '../session.js';
import { classArgument } from './client.js';
import { type ClientClass, classOf } from './client-line.js';

const BAD_ID = new CommandError('ERR client-id should be greater than 0');
const NO_SUCH_CLIENT = new CommandError('ERR No such client');

/** Which clients to kill: every given field must match. */
interface KillFilter {
  id?: number;
  type?: ClientClass;
  user?: User;
  address?: string;
  localAddress?: string;
  skipMe: boolean;
}

/** CLIENT KILL address | CLIENT KILL [ID id] [TYPE type] [USER user] [ADDR address] [LADDR address] [SKIPME yes|no] */
export function clientKill(call: Call): void {
  const isOldForm = call.argc === 3;
  const filter = isOldForm ? { address: call.text(2), skipMe: false } : killFilter(call);
  const killed = [...call.engine.sessions.values()].filter((session) => matches(session, call, filter));
  if (isOldForm && killed.length === 0) throw NO_SUCH_CLIENT;
  for (const session of killed) session.sink.close(session === call.session ? 'flushed' : 'now');
  if (isOldForm) call.reply.ok();
  else call.reply.integer(killed.length);
}

function killFilter(call: Call): KillFilter {
  const filter: KillFilter = { skipMe: true };
  for (let i = 2; i < call.argc; i += 2) {
    const option = call.arg(i);
    const value = i + 1;
    if (value === call.argc) throw errors.syntax;
    if (option.is('id')) filter.id = idArgument(call, value);
    else if (option.is('type')) filter.type = classArgument(call, value);
    else if (option.is('addr')) filter.address = call.text(value);
    else if (option.is('laddr')) filter.localAddress = call.text(value);
    else if (option.is('user')) filter.user = userArgument(call, value);
    else if (option.is('skipme')) filter.skipMe = yesOrNo(call, value);
    else throw errors.syntax;
  }
  return filter;
}

function idArgument(call: Call, index: number): number {
  const id = call.integer(index, BAD_ID);
  if (id < 1) throw BAD_ID;
  return id;
}

function userArgument(call: Call, index: number): User {
  const name = call.text(index);
  const user = call.engine.users.find(name);
  if (user === undefined) throw new CommandError(`ERR No such user '${shownText(name)}'`);
  return user;
}

function yesOrNo(call: Call, index: number): boolean {
  if (call.arg(index).is('yes')) return true;
  if (call.arg(index).is('no')) return false;
  throw errors.syntax;
}

function matches(session: Session, call: Call, filter: KillFilter): boolean {
  return (
    (filter.address === undefined || session.address === filter.address) &&
    (filter.localAddress === undefined || session.localAddress === filter.localAddress) &&
    (filter.type === undefined || classOf(session) === filter.type) &&
    (filter.id === undefined || session.id === filter.id) &&
    (filter.user === undefined || session.user === filter.user) &&
    !(filter.skipMe && session === call.session)
  );
}
