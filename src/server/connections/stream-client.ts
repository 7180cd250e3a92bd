import type { Socket } from 'node:net';
import { refusalOf } from './admission.js';
import { Connection, type ConnectionHost } from './connection.js';
import { type Endpoints, internetEndpoints } from './endpoints.js';

/** What carries the bytes of a stream, and can do so without the event loop. */
export interface StreamTransport {
  /**
   * From now on passes the stream's input to `received` instead of the stream, in a shared buffer that is valid during the call; `received`
   * returns whether to continue reading. Has no effect if this version of Node cannot do so.
   */
  readDirectly(received: (input: Buffer) => boolean): void;
  /** Passes on, within the call, the input that has arrived. Returns -1 at its end. */
  receive(): number;
  /** Writes bytes to the stream, which has none waiting. The caller may reuse them afterwards. */
  write(bytes: Buffer, sent: () => void): void;
}

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
 * replies are written to the stream. Without a transport it waits while a script is slow. With `isDuringScript`, one is running.
 */
export function adoptStream(
  host: ConnectionHost,
  socket: Socket,
  endpoints: Endpoints,
  transport?: StreamTransport,
  isDuringScript = false,
): Connection {
  const connection = new Connection(host, socket, NO_DESCRIPTOR, endpoints, transport);
  /** Input that must not be executed now, because a script is running. */
  let held: Buffer[] | undefined;
  const received = (input: Buffer): boolean => {
    if (held !== undefined) {
      held.push(Buffer.from(input));
      return true;
    }
    let mayContinue = true;
    for (let at = 0; at < input.length; at += host.input.length) {
      const piece = input.subarray(at, at + host.input.length);
      host.input.set(piece);
      mayContinue = connection.received(piece.length);
    }
    return mayContinue;
  };
  socket.on('data', (chunk: Buffer) => {
    if (!received(chunk)) socket.pause();
  });
  socket.on('end', () => connection.ended());
  socket.on('close', () => connection.gone());
  if (transport === undefined) return connection;
  transport.readDirectly(received);
  connection.readDuringScript = () => {
    const before = held;
    held ??= [];
    const length = transport.receive();
    // A stream that was paused emits only with the next tick.
    while (socket.read() !== null);
    const input = Buffer.concat(held);
    held = before === undefined ? undefined : [];
    return length < 0 && input.length === 0 ? undefined : input;
  };
  if (isDuringScript) {
    held = [];
    // The next tick comes after the script.
    process.nextTick(() => {
      const input = Buffer.concat(held ?? []);
      held = undefined;
      if (input.length > 0 && !received(input)) socket.pause();
    });
  }
  return connection;
}

const NO_DESCRIPTOR = -1;
