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
import type { BusConnection } from '../cluster/bus-link.js';
import type { BusEvents } from '../cluster/cluster-world.js';
import type { Address } from '../replication/world.js';

/** Opens a connection to another node. */
export function connectToNode(
  { host, port }: Address,
  tls: ConnectionOptions | undefined,
  source: string,
  events: BusEvents,
): BusConnection {
  const options = { host, port, noDelay: true, ...(source === '' ? {} : { localAddress: source }) };
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const socket =
    tls === undefined ? connect(options) : connectSecurely({ ...options, ...servername, ...tls });
  const connection = new SocketConnection(socket, events);
  socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
    if (!connection.isClosed) events.connected();
  });
  return connection;
}

/** A server for the connections that other nodes open. `accept` returns undefined if it is too early. */
export function createBusServer(
  tls: () => TlsOptions | undefined,
  accept: (connection: BusConnection) => Omit<BusEvents, 'connected'> | undefined,
): NetServer {
  const accepted = (socket: Socket): void => {
    socket.setNoDelay(true);
    socket.on('error', () => {});
    const connection = new SocketConnection(socket);
    const events = accept(connection);
    if (events === undefined) socket.destroy();
    else connection.report(events);
  };
  const options = tls();
  return options === undefined
    ? createPlainServer(accepted)
    : createTlsServer(options, accepted).on('tlsClientError', (_error, socket) => socket.destroy());
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
