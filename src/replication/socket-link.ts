import type { Socket } from 'node:net';
import { EMPTY_BUFFER } from '../bytes/bytes.js';
import { BUSY, tryRead, tryWrite } from '../engine/descriptor-io.js';
import type { Link, LinkEvents } from './world.js';

/** A TLS socket can be used after its handshake. */
function tlsEvent(socket: Socket): 'connect' | 'secureConnect' {
  return 'encrypted' in socket ? 'secureConnect' : 'connect';
}

/** A connection over a socket that is connected, or being connected. */
export class SocketLink implements Link {
  readonly #socket: Socket;
  readonly #events: LinkEvents;
  /** Whether `connected` was reported. */
  #isConnected = false;
  #isPaused = false;
  #isClosed = false;

  constructor(socket: Socket, events: LinkEvents) {
    this.#socket = socket;
    this.#events = events;
    socket.on(tlsEvent(socket), () => this.#connected());
    socket.on('data', (chunk) => {
      if (!this.#isClosed) events.received(chunk);
    });
    // Node reports 'close' later: until then, commands would be told that the link is up.
    socket.on('end', () => this.#ended(CLOSED));
    socket.on('error', (error) => this.#ended(error.message));
    socket.on('close', () => this.#ended(CLOSED));
  }

  #connected(): void {
    if (this.#isConnected || this.#isClosed) return;
    this.#isConnected = true;
    this.#events.connected();
  }

  #ended(reason: string): void {
    if (this.#isClosed) return;
    this.close();
    this.#events.closed(reason);
  }

  get localAddress(): string {
    const { localAddress, localPort } = this.#socket;
    return localAddress === undefined ? '' : `${localAddress}:${localPort}`;
  }

  send(bytes: Buffer): void {
    if (this.#isClosed) return;
    const fd = this.#descriptor;
    // Node does not know yet that it is connected, and would keep the bytes until the event loop goes on.
    if (this.#isConnected && this.#socket.connecting && fd !== undefined) this.#sendAtOnce(fd, bytes);
    else this.#socket.write(bytes);
  }

  /** A new connection takes a request as a whole. */
  #sendAtOnce(fd: number, bytes: Buffer): void {
    const sent = this.#attempt(() => tryWrite(fd, bytes, 0, bytes.length));
    if (sent !== undefined && sent < bytes.length) this.#ended('the first request could not be sent');
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#socket.resume();
  }

  poll(): void {
    const fd = this.#descriptor;
    if (fd === undefined || this.#isPaused || this.#isClosed) return;
    if (!this.#isConnected) {
      // A write of nothing tells whether the socket is connected.
      const sent = this.#attempt(() => tryWrite(fd, EMPTY_BUFFER, 0, 0));
      if (sent === undefined || sent === BUSY) return;
      this.#connected();
    }
    input ??= Buffer.allocUnsafeSlow(INPUT_BYTES);
    for (let reads = 0; reads < MAX_READS && !this.#isClosed; reads++) {
      const length = this.#attempt(() => tryRead(fd, input as Buffer));
      if (length === undefined || length === BUSY) return;
      if (length === 0) this.#ended(CLOSED);
      else this.#events.received(input.subarray(0, length));
    }
  }

  /** Undefined if the connection is broken, which is reported. */
  #attempt(work: () => number): number | undefined {
    try {
      return work();
    } catch (error) {
      this.#ended((error as Error).message);
      return undefined;
    }
  }

  /** Undefined if what it carries is encrypted, or the socket is closed. */
  get #descriptor(): number | undefined {
    if ('encrypted' in this.#socket) return undefined;
    return (this.#socket as unknown as WithHandle)._handle?.fd;
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.destroy();
  }
}

interface WithHandle {
  readonly _handle: { readonly fd: number } | null;
}

const CLOSED = 'the connection was closed';
const INPUT_BYTES = 1 << 16;
/** As much is read at a time: 4 MB. */
const MAX_READS = 64;
/** For `poll`: shared by all connections, as what is received is valid only during the call. */
let input: Buffer | undefined;
