import { connect, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls';
import { systemRandom } from '../bytes/random.js';
import type { Engine } from '../engine/engine.js';
import { SocketLink } from './socket-link.js';
import type { Address, World } from './world.js';

/**
 * The world of a real process: the engine's clock and timers, and TCP connections. `tls` is asked for the options of each connection;
 * undefined is a plain one.
 */
export function socketWorld(
  engine: Engine,
  tls: () => ConnectionOptions | undefined = () => undefined,
): World {
  /** Where the hosts that were connected to are: during a slow script, names cannot be resolved. */
  const found = new Map<string, string>();
  return {
    clock: engine.keyspace.clock,
    timers: engine.timers,
    // Not the engine's source of random numbers: a program may have given it a seed, and the ids of two servers must differ.
    random: systemRandom(),
    sliceEnd: (ms) => performance.now() + ms,
    connect: (address, events) => {
      const { host } = address;
      const isBlocked = engine.scripting.busyError !== undefined;
      const known = isBlocked ? (found.get(host) ?? host) : undefined;
      const socket = open(address, tls(), engine.settings.text('bind-source-addr'), known);
      socket.on('connect', () => found.set(host, socket.remoteAddress ?? host));
      return new SocketLink(socket, events);
    },
  };
}

/** A host that begins with a slash is a socket in the file system. With `known`, an IP address, it connects without the event loop. */
function open(
  { host, port }: Address,
  tls: ConnectionOptions | undefined,
  source: string,
  known: string | undefined,
): Socket {
  if (host.startsWith('/')) return connect({ path: host });
  const options = { host, port, noDelay: true, ...(source === '' ? {} : { localAddress: source }) };
  if (tls === undefined) return connect(known === undefined ? options : connectedAtOnce(options, known));
  // A name must not be an address.
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return connectSecurely({ ...options, ...servername, ...tls });
}

/** Node puts connecting to an address off until the next tick, but not to a name whose lookup is done. */
function connectedAtOnce(options: TcpNetConnectOpts, known: string): TcpNetConnectOpts {
  return {
    ...options,
    host: 'master',
    autoSelectFamily: false,
    lookup: (_name, _options, done) => done(null, known, isIP(known)),
  };
}
