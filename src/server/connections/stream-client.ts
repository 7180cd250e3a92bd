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
 * replies are written to the stream.
 */
export function adoptStream(host: ConnectionHost, socket: Socket, endpoints: Endpoints): Connection {
  const connection = new Connection(host, socket, NO_DESCRIPTOR, endpoints);
  socket.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; at += host.input.length) {
      const piece = chunk.subarray(at, at + host.input.length);
      host.input.set(piece);
      if (!connection.received(piece.length)) socket.pause();
    }
  });
  socket.on('end', () => connection.ended());
  socket.on('close', () => connection.gone());
  return connection;
}

const NO_DESCRIPTOR = -1;
