import { createServer, type Server, Socket } from 'node:net';
import type { TlsAcceptor } from '../tls/tls-acceptor.js';
import { refusalOf } from './admission.js';
import { Connection, type ConnectionHost } from './connection.js';
import { readLargeArgument } from './descriptor-input.js';
import { type Endpoints, fileEndpoints, internetEndpoints } from './endpoints.js';

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

/** Accepts clients that speak TLS. */
export function createTlsListener(acceptor: TlsAcceptor): Server {
  return createServer({ noDelay: true, pauseOnConnect: true }, (accepted) => acceptor.accept(accepted));
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
  const refusal = refusalOf(host, endpoints);
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
        const rest = readLargeArgument(connection, handle.fd, host.input);
        if (rest !== 'more') return rest === 'nothing';
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
