import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls';
import { systemRandom } from '../bytes/random.js';
import type { Engine } from '../engine/engine.js';
import type { Address, Link, LinkEvents, World } from './world.js';

/**
 * The world of a real process: the engine's clock and timers, and TCP connections. `tls` is asked for the options of each connection;
 * undefined is a plain one.
 */
export function socketWorld(
  engine: Engine,
  tls: () => ConnectionOptions | undefined = () => undefined,
): World {
  return {
    clock: engine.keyspace.clock,
    timers: engine.timers,
    // Not the engine's source of random numbers: a program may have given it a seed, and the ids of two servers must differ.
    random: systemRandom(),
    sliceEnd: (ms) => performance.now() + ms,
    connect: (address, events) =>
      new SocketLink(open(address, tls(), engine.settings.text('bind-source-addr')), events),
  };
}

/** A host that begins with a slash is a socket in the file system. */
function open({ host, port }: Address, tls: ConnectionOptions | undefined, source: string): Socket {
  if (host.startsWith('/')) return connect({ path: host });
  const options = { host, port, noDelay: true, ...(source === '' ? {} : { localAddress: source }) };
  if (tls === undefined) return connect(options);
  // A name must not be an address.
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return connectSecurely({ ...options, ...servername, ...tls });
}

/** A TLS socket can be used after its handshake. */
function tlsEvent(socket: Socket): 'connect' | 'secureConnect' {
  return 'encrypted' in socket ? 'secureConnect' : 'connect';
}

/** A connection over a socket that is connected, or being connected. */
export class SocketLink implements Link {
  readonly #socket: Socket;
  #isClosed = false;

  constructor(socket: Socket, events: LinkEvents) {
    this.#socket = socket;
    let reason = 'the connection was closed';
    socket.on(tlsEvent(socket), () => {
      if (!this.#isClosed) events.connected();
    });
    socket.on('data', (chunk) => {
      if (!this.#isClosed) events.received(chunk);
    });
    socket.on('error', (error) => {
      reason = error.message;
    });
    socket.on('close', () => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      events.closed(reason);
    });
  }

  get localAddress(): string {
    const { localAddress, localPort } = this.#socket;
    return localAddress === undefined ? '' : `${localAddress}:${localPort}`;
  }

  send(bytes: Buffer): void {
    if (!this.#isClosed) this.#socket.write(bytes);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.destroy();
  }
}
