import { logDenial } from '../acl/denials.js';
import type { Call } from '../call.js';
import { CommandError, errors, shownText } from '../errors.js';
import { serverMode } from '../server/info/figures.js';
import { REDIS_VERSION } from '../version.js';
import { validateClientName } from './client-name.js';

const WRONG_PASSWORD = new CommandError('WRONGPASS invalid username-password pair or user is disabled.');
const NO_PASSWORD_CONFIGURED = new CommandError(
  'ERR AUTH <password> called without any password configured for the default user. ' +
    'Are you sure your configuration is correct?',
);
const NOT_AUTHENTICATED = new CommandError(
  'NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH <user> <pass> option ' +
    'can be used to authenticate the client and select the RESP protocol version at the same time',
);
const BAD_VERSION = new CommandError('ERR Protocol version is not an integer or out of range');
const UNSUPPORTED_VERSION = new CommandError('NOPROTO unsupported protocol version');

/** AUTH password | AUTH username password */
export function auth(call: Call): void {
  if (call.argc > 3) throw errors.syntax;
  if (call.argc === 2 && call.engine.users.defaultUser.needsNoPassword) throw NO_PASSWORD_CONFIGURED;
  authenticate(call, call.argc === 2 ? 'default' : call.text(1), call.text(call.argc - 1));
  call.reply.ok();
}

function authenticate(call: Call, user: string, password: string): void {
  const { engine, session } = call;
  if (engine.users.authenticate(session, user, password)) return;
  const context = session.queue === undefined ? 'toplevel' : 'multi';
  logDenial(engine, session, 'auth', context, call.text(0), user);
  throw WRONG_PASSWORD;
}

/** HELLO [protover [AUTH username password] [SETNAME clientname]]: options take effect even if a later one is wrong. */
export function hello(call: Call): void {
  const { session, engine, reply } = call;
  const protocol = call.argc > 1 ? protocolVersion(call.integer(1, BAD_VERSION)) : session.protocol;
  applyOptions(call);
  if (!session.authenticated) throw NOT_AUTHENTICATED;
  session.protocol = protocol;
  reply.protocol = protocol;
  reply.map(7);
  reply.bulkText('server');
  reply.bulkText('redis');
  reply.bulkText('version');
  reply.bulkText(REDIS_VERSION);
  reply.bulkText('proto');
  reply.integer(session.protocol);
  reply.bulkText('id');
  reply.integer(session.id);
  reply.bulkText('mode');
  reply.bulkText(serverMode(engine));
  reply.bulkText('role');
  reply.bulkText(engine.facts.get('role')?.() === 'slave' ? 'replica' : 'master');
  reply.bulkText('modules');
  reply.array(0);
}

function applyOptions(call: Call): void {
  const { session } = call;
  for (let i = 2; i < call.argc; i++) {
    const more = call.argc - 1 - i;
    if (call.arg(i).is('auth') && more >= 2) {
      authenticate(call, call.text(i + 1), call.text(i + 2));
      i += 2;
    } else if (call.arg(i).is('setname') && more >= 1) {
      session.name = validateClientName(call.text(++i));
    } else {
      throw new CommandError(`ERR Syntax error in HELLO option '${shownText(call.text(i))}'`);
    }
  }
}

function protocolVersion(version: number): 2 | 3 {
  if (version !== 2 && version !== 3) throw UNSUPPORTED_VERSION;
  return version;
}
