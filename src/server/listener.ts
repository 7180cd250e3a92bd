import { createServer, type Server, Socket } from 'node:net';
import { Connection, type ConnectionHost } from './connection.js';

interface SocketHandle {
  readonly fd: number;
}

/**
 * Accepts clients. Sockets are re-made around their handle with an `onread` buffer that all share: Node would allocate
 * 64 KB for each read otherwise.
 */
export function createListener(host: ConnectionHost): Server {
  return createServer({ noDelay: true, pauseOnConnect: true }, (accepted) => {
    const handle = (accepted as unknown as { _handle: SocketHandle | null })._handle;
    if (handle === null) return;
    (accepted as unknown as { _handle: SocketHandle | null })._handle = null;
    const socket = new Socket({
      handle,
      onread: {
        buffer: host.input,
        callback: (length: number) => {
          connection.received(length);
          return true;
        },
      },
    } as unknown as ConstructorParameters<typeof Socket>[0]);
    const connection = new Connection(host, socket, handle.fd);
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    socket.on('close', () => connection.gone());
    socket.resume();
  });
}
