import { isLocal } from '../../commands/session.js';
import type { Engine } from '../../engine/engine.js';
import type { ConnectionHost } from './connection.js';
import type { Endpoints } from './endpoints.js';

const TOO_MANY = '-ERR max number of clients reached\r\n';
const TOO_MANY_WITH_NODES = '-ERR max number of clients + cluster connections reached\r\n';

export const PROTECTED = `-DENIED ${[
  'Redis is running in protected mode because protected mode is enabled and no password is set for the default user.',
  'In this mode connections are only accepted from the loopback interface.',
  'If you want to connect from external computers to Redis you may adopt one of the following solutions:',
  "1) Just disable protected mode sending the command 'CONFIG SET protected-mode no' from the loopback interface",
  'by connecting to Redis from the same host the server is running, however MAKE SURE Redis is not publicly',
  'accessible from internet if you do so. Use CONFIG REWRITE to make this change permanent.',
  '2) Alternatively you can just disable the protected mode by editing the Redis configuration file, and setting',
  "the protected mode option to 'no', and then restarting the server.",
  '3) If you started the server manually just for testing, restart it with the',
  "'--protected-mode no' option.",
  '4) Setup a an authentication password for the default user.',
  'NOTE: You only need to do one of the above things in order for the server to start accepting connections from the',
  'outside.',
].join(' ')}\r\n`;

/** Whether there are as many clients as `maxclients` allows. Each other node of a cluster counts for its two connections. */
export function isFull({ engine, handshakes }: ConnectionHost): boolean {
  const toNodes = engine.cluster === undefined ? 0 : (engine.cluster.nodeCount - 1) * 2;
  return engine.sessions.size + handshakes + toNodes >= engine.settings.number('maxclients');
}

/** Whether `protected-mode` refuses a client with these addresses. */
export function protectionApplies({ settings, users }: Engine, endpoints: Endpoints): boolean {
  return settings.isOn('protected-mode') && users.defaultUser.needsNoPassword && !isLocal(endpoints);
}

/** The error to send if a client that has just connected is refused; undefined if it is accepted. */
export function refusalOf(host: ConnectionHost, endpoints: Endpoints): string | undefined {
  if (isFull(host)) return host.engine.cluster === undefined ? TOO_MANY : TOO_MANY_WITH_NODES;
  return protectionApplies(host.engine, endpoints) ? PROTECTED : undefined;
}
