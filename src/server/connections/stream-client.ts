import type { Socket } from 'node:net';
import { refusalOf } from './admission.js';
import { Connection, type ConnectionHost } from './connection.js';
import { type Endpoints, internetEndpoints } from './endpoints.js';

/** Accepts a connection within the process. */
export function acceptStream(host: ConnectionHost, socket: Socket): void {
  const { statistics } = host.engine;
  const endpoints = internetEndpoints(socket);
  const refusal = refusalOf(host, endpoints);
  socket.on('error', () => {});
  if (refusal !== undefined) {
    statistics.rejectedConnections++;
    socket.end(refusal, () => socket.destroy());
    return;
  }
  statistics.connectionsReceived++;
  adoptStream(host, socket, endpoints);
}

/**
 * A client whose connection has no descriptor that replies could be written to: its input is copied into the shared buffer, and its
 * replies are written to the stream. `receive` makes the stream emit, within the call, the input that has arrived, and returns -1 at its
 * end; without it the client waits while a script is slow.
 */
export function adoptStream(
  host: ConnectionHost,
  socket: Socket,
  endpoints: Endpoints,
  receive?: () => number,
): Connection {
  const connection = new Connection(host, socket, NO_DESCRIPTOR, endpoints);
  /** Set while input is read during a slow script. */
  let chunks: Buffer[] | undefined;
  socket.on('data', (chunk: Buffer) => {
    if (chunks !== undefined) {
      chunks.push(chunk);
      return;
    }
    for (let at = 0; at < chunk.length; at += host.input.length) {
      const piece = chunk.subarray(at, at + host.input.length);
      host.input.set(piece);
      if (!connection.received(piece.length)) socket.pause();
    }
  });
  socket.on('end', () => connection.ended());
  socket.on('close', () => connection.gone());
  if (receive !== undefined) {
    connection.readDuringScript = () => {
      chunks = [];
      const length = receive();
      // A stream that was paused emits only with the next tick.
      while (socket.read() !== null);
      const input = Buffer.concat(chunks);
      chunks = undefined;
      return length < 0 && input.length === 0 ? undefined : input;
    };
  }
  return connection;
}

const NO_DESCRIPTOR = -1;
