import {
  connect,
  createServer as createPlainServer,
  isIP,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import {
  type ConnectionOptions,
  connect as connectSecurely,
  createServer as createTlsServer,
  type TlsOptions,
} from 'node:tls';
import type { BusConnection } from '../../cluster/bus-link.js';
import type { BusEvents } from '../../cluster/cluster-world.js';
import type { Address } from '../../replication/world.js';

/** Opens a connection to another node. */
export function connectToNode(
  { host, port }: Address,
  tls: ConnectionOptions | undefined,
  source: string,
  events: BusEvents,
): BusConnection {
  const options = { host, port, noDelay: true, ...(source === '' ? {} : { localAddress: source }) };
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return tls === undefined
    ? connectOver(connect(options), 'connect', events)
    : connectOver(connectSecurely({ ...options, ...servername, ...tls }), 'secureConnect', events);
}

/** The same over a socket that is being connected. */
export function connectOver(
  socket: Socket,
  connected: 'connect' | 'secureConnect',
  events: BusEvents,
): BusConnection {
  const connection = new SocketConnection(socket, events);
  socket.once(connected, () => {
    if (!connection.isClosed) events.connected();
  });
  return connection;
}

/** Takes a connection from another node, and returns what to report it to; undefined if it is too early. */
export type AcceptNode = (connection: BusConnection) => Omit<BusEvents, 'connected'> | undefined;

/** A server for the connections that other nodes open. */
export function createBusServer(tls: () => TlsOptions | undefined, accept: AcceptNode): NetServer {
  const accepted = (socket: Socket): void => {
    socket.setNoDelay(true);
    acceptOver(socket, accept);
  };
  const options = tls();
  return options === undefined
    ? createPlainServer(accepted)
    : createTlsServer(options, accepted).on('tlsClientError', (_error, socket) => socket.destroy());
}

/** A connection that another node has opened. */
export function acceptOver(socket: Socket, accept: AcceptNode): void {
  socket.on('error', () => {});
  const connection = new SocketConnection(socket);
  const events = accept(connection);
  if (events === undefined) socket.destroy();
  else connection.report(events);
}

class SocketConnection implements BusConnection {
  readonly #socket: Socket;
  isClosed = false;

  constructor(socket: Socket, events?: Omit<BusEvents, 'connected'>) {
    this.#socket = socket;
    if (events !== undefined) this.report(events);
  }

  report(events: Omit<BusEvents, 'connected'>): void {
    const socket = this.#socket;
    let reason = 'the connection was closed';
    socket.on('data', (chunk) => {
      if (!this.isClosed) events.received(chunk);
    });
    socket.on('error', (error) => {
      reason = error.message;
    });
    socket.on('close', () => {
      if (this.isClosed) return;
      this.isClosed = true;
      events.closed(reason);
    });
  }

  get localHost(): string {
    return plainHost(this.#socket.localAddress);
  }

  get remoteHost(): string {
    return plainHost(this.#socket.remoteAddress);
  }

  get unsent(): number {
    return this.#socket.writableLength;
  }

  send(bytes: Buffer): void {
    if (!this.isClosed) this.#socket.write(bytes);
  }

  close(): void {
    this.isClosed = true;
    this.#socket.destroy();
  }
}

/** An IPv4 address of a dual-stack socket without its IPv6 prefix. */
function plainHost(address = ''): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}
