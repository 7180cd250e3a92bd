import type { Socket } from 'node:net';
import { SocketWithoutNetwork } from '../../engine/clients/socket-without-network.js';
import { keepRunning } from '../../engine/timers.js';

/**
 * One end of a connection between two servers or clients in this process. What is written arrives at the
 * other end in a later turn of the event loop, as it does over a network: neither end is called back while it writes.
 */
class LocalSocket extends SocketWithoutNetwork {
  #other: LocalSocket | undefined;
  /** Continues a write that the other end had no room for. */
  #whenRead: (() => void) | undefined;

  constructor(own: number, other: number) {
    super({ allowHalfOpen: true });
    const addresses = { localAddress: LOOPBACK, localPort: own, remoteAddress: LOOPBACK, remotePort: other };
    for (const [name, value] of Object.entries(addresses)) Object.defineProperty(this, name, { value });
  }

  /** Both ends of a new connection. */
  static pair(from: number, to: number): [LocalSocket, LocalSocket] {
    const ends: [LocalSocket, LocalSocket] = [new LocalSocket(from, to), new LocalSocket(to, from)];
    ends[0].#other = ends[1];
    ends[1].#other = ends[0];
    return ends;
  }

  /** Tells its user that it is connected. */
  reportConnected(): void {
    setImmediate(() => {
      if (!this.destroyed) this.emit('connect');
    });
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: (error?: Error) => void): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    this.#deliver([bytes], done);
  }

  override _writev(
    chunks: { chunk: Buffer | string; encoding: BufferEncoding }[],
    done: (error?: Error) => void,
  ): void {
    this.#deliver(
      chunks.map(({ chunk, encoding }) => (typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk)),
      done,
    );
  }

  #deliver(chunks: readonly Buffer[], done: () => void): void {
    setImmediate(() => {
      const other = this.#other;
      if (other === undefined || other.destroyed) return done();
      if (other.push(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))) done();
      else other.#whenRead = done;
    });
  }

  override _read(): void {
    const next = this.#whenRead;
    this.#whenRead = undefined;
    next?.();
  }

  override _final(done: (error?: Error) => void): void {
    setImmediate(() => {
      const other = this.#other;
      if (other !== undefined && !other.destroyed) other.endInput();
      done();
    });
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const other = this.#other;
    this.#other = undefined;
    this._read();
    setImmediate(() => other?.destroy());
    super._destroy(error, done);
  }
}

/** Ports that exist within this process only, on which servers accept connections. */
export class LocalPorts {
  readonly #listeners = new Map<number, (socket: Socket) => void>();
  /** Keeps the process alive, as listening on real ports would. */
  readonly #presence = keepRunning();
  #nextPort = FIRST_CLIENT_PORT;
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Returns a function that ends it. Connections that exist stay. */
  listen(port: number, accept: (socket: Socket) => void): () => void {
    this.#listeners.set(port, accept);
    return () => {
      if (this.#listeners.get(port) === accept) this.#listeners.delete(port);
    };
  }

  /** A connection to this port. If no server listens there, it fails in a later turn, as that of a network. */
  connect(port: number): Socket {
    const [client, server] = LocalSocket.pair(this.#newPort(), port);
    const accept = this.#listeners.get(port);
    if (accept === undefined) {
      const refusal = Object.assign(new Error(`connect ECONNREFUSED ${LOOPBACK}:${port}`), {
        code: 'ECONNREFUSED',
        syscall: 'connect',
      });
      setImmediate(() => client.destroy(refusal));
      return client;
    }
    client.reportConnected();
    accept(server);
    return client;
  }

  #newPort(): number {
    if (this.#nextPort > MAX_PORT) this.#nextPort = FIRST_CLIENT_PORT;
    return this.#nextPort++;
  }

  close(): void {
    this.#isClosed = true;
    this.#listeners.clear();
    clearInterval(this.#presence);
  }
}

const LOOPBACK = '127.0.0.1';
const FIRST_CLIENT_PORT = 32_768;
const MAX_PORT = 65_535;
