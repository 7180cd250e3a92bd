import { createServer, type Server, Socket } from 'node:net';
import { refusalOf } from './admission.js';
import { Connection, type ConnectionHost, type Endpoints } from './connection.js';

interface SocketHandle {
  readonly fd: number;
}

interface WithHandle {
  _handle: SocketHandle | null;
}

/**
 * Accepts clients. Each socket is created again around its handle with a shared `onread` buffer: by default, Node
 * allocates 64 KB for each read.
 */
export function createListener(host: ConnectionHost, path?: string): Server {
  return createServer({ noDelay: true, pauseOnConnect: true }, (accepted) => admit(host, accepted, path));
}

/** Takes over a connection that another thread accepted, by its descriptor. */
export function acceptDescriptor(host: ConnectionHost, fd: number, path: string | undefined): void {
  const options = { fd, pauseOnCreate: true, readable: true, writable: true };
  const accepted = new Socket(options as ConstructorParameters<typeof Socket>[0]);
  if (path === undefined) accepted.setNoDelay(true);
  admit(host, accepted, path);
}

function admit(host: ConnectionHost, accepted: Socket, path: string | undefined): void {
  const { statistics, settings } = host.engine;
  const endpoints = path === undefined ? internetEndpoints(accepted) : fileEndpoints(path);
  const refusal = refusalOf(host.engine, endpoints);
  if (refusal !== undefined) {
    statistics.rejectedConnections++;
    accepted.on('error', () => {});
    accepted.end(refusal, () => accepted.destroy());
    return;
  }
  const keepAlive = settings.number('tcp-keepalive');
  if (keepAlive > 0 && path === undefined) accepted.setKeepAlive(true, keepAlive * 1000);
  statistics.connectionsReceived++;
  adopt(host, accepted, endpoints);
}

function adopt(host: ConnectionHost, accepted: Socket, endpoints: Endpoints): void {
  const { _handle: handle } = accepted as unknown as WithHandle;
  if (handle === null) return;
  (accepted as unknown as WithHandle)._handle = null;
  // Without its handle it is empty; the listener must not wait for it to close.
  accepted.destroy();
  const socket = new Socket({
    handle,
    allowHalfOpen: true,
    onread: {
      buffer: host.input,
      callback: (length: number) => {
        if (!connection.received(length)) return false;
        if (length < host.input.length) return true;
        // A full buffer means that more input probably waits. Libuv would read up to 32 times before it serves other
        // clients.
        setImmediate(() => socket.resume());
        return false;
      },
    },
  } as unknown as ConstructorParameters<typeof Socket>[0]);
  const connection = new Connection(host, socket, handle.fd, endpoints);
  socket.on('error', () => {});
  socket.on('end', () => connection.ended());
  socket.on('close', () => connection.gone());
  socket.resume();
}

/** Addresses as CLIENT LIST prints them. IPv4 clients of a dual-stack socket are shown with their IPv4 address. */
function internetEndpoints({ remoteAddress, remotePort, localAddress, localPort }: Socket): Endpoints {
  return {
    address: endpoint(remoteAddress, remotePort),
    localAddress: endpoint(localAddress, localPort),
    isUnixSocket: false,
  };
}

function endpoint(address = '?', port = 0): string {
  const host = address.replace(/^::ffff:(?=\d+\.)/, '');
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function fileEndpoints(path: string): Endpoints {
  return { address: `${path}:0`, localAddress: `${path}:0`, isUnixSocket: true };
}
