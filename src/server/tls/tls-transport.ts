import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { PassThrough } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { readWaiting } from '../connections/descriptor-input.js';
import type { StreamTransport } from '../connections/stream-client.js';

/** The parts of a socket's handle that are used here. */
interface SocketHandle {
  readonly fd: number;
}

/** The handle of a TLS socket. */
interface TlsHandle {
  /** Decrypted bytes are put into this buffer from now on. */
  useUserBuffer?(buffer: Buffer): void;
}

/** A handle of Node whose bytes come from, and go to, JavaScript. */
interface ScriptedHandle {
  readBuffer(bytes: Uint8Array): void;
  finishWrite(request: object, status: number): void;
}

/** Node's socket around a `ScriptedHandle`: it carries TLS over a stream that is no socket. */
interface ScriptedSocket extends Socket {
  _handle: ScriptedHandle | null;
  doWrite(request: object, buffers: readonly Buffer[]): number;
}

/**
 * Carries the encrypted bytes of a connection between its descriptor and OpenSSL. Node would leave this to the event loop, which stands
 * still during a slow script. Here JavaScript passes the bytes on, so that a connection can also be served within a turn: OpenSSL
 * decrypts and encrypts in the same call.
 */
export class TlsTransport {
  /** For the TLS server, in place of the connection. */
  readonly socket: Socket;
  readonly fd: number;
  readonly #below: Socket;
  readonly #socket: ScriptedSocket;
  readonly #shared: TlsTransports;
  /** The kernel has taken its bytes, but OpenSSL has not been told. */
  #written: { readonly request: object; readonly handle: ScriptedHandle } | undefined;
  #isReplying = false;

  constructor(handle: SocketHandle, shared: TlsTransports, StreamSocket: ScriptedSocketClass) {
    this.fd = handle.fd;
    this.#shared = shared;
    // OpenSSL copies from it at once.
    const { input } = shared;
    const below = new Socket({
      handle,
      onread: {
        buffer: input,
        callback: (length: number) => {
          this.#socket._handle?.readBuffer(input.subarray(0, length));
          return true;
        },
      },
    } as unknown as ConstructorParameters<typeof Socket>[0]);
    const socket = new StreamSocket(below);
    socket.doWrite = (request, buffers) => this.#write(request, buffers);
    if (socket._handle !== null) forward(handle, socket._handle);
    this.#below = below;
    this.#socket = socket;
    this.socket = socket;
  }

  /** A client that has closed its end still gets its replies. Before its handshake is complete it would never be answered. */
  allowHalfOpen(): void {
    this.#below.allowHalfOpen = true;
  }

  /** Called when OpenSSL has encrypted something, and not again until it was told that this was sent. */
  #write(request: object, buffers: readonly Buffer[]): number {
    const { _handle: handle } = this.#socket;
    if (handle === null) return 0;
    const bytes = buffers.length === 1 ? (buffers[0] as Buffer) : Buffer.concat(buffers);
    let written = 0;
    try {
      if (!this.#below.destroyed) written = writeSync(this.fd, bytes);
    } catch {
      // The kernel's buffers are full, or the connection is broken: the socket tells.
    }
    if (written < bytes.length) {
      this.#below.write(bytes.subarray(written), (error) =>
        handle.finishWrite(request, error ? CANCELED : 0),
      );
      return 0;
    }
    // OpenSSL may be told only when this call has returned.
    this.#written = { request, handle };
    if (!this.#isReplying) process.nextTick(finishWrite, this);
    return 0;
  }

  /**
   * Writes to `above`, the TLS socket, which has nothing waiting: OpenSSL encrypts the bytes within the call, or copies them. If the kernel
   * takes them, OpenSSL is told at once instead of in the next tick.
   */
  write(above: Socket, bytes: Buffer, sent: () => void): void {
    this.#isReplying = true;
    above.write(bytes, sent);
    this.#isReplying = false;
    this.finishWrite();
  }

  /** What OpenSSL decrypts is passed to `received` instead of the TLS socket `above`, without a buffer of its own for each chunk. */
  readDirectly(above: Socket, received: (input: Buffer) => boolean): void {
    const { decrypted, directReading } = this.#shared;
    const { _handle: handle } = above as unknown as { readonly _handle: TlsHandle | null };
    if (directReading === undefined || handle?.useUserBuffer === undefined) return;
    handle.useUserBuffer(decrypted);
    Object.assign(above, {
      [directReading.buffer]: decrypted,
      [directReading.callback]: (length: number) => received(decrypted.subarray(0, length)),
    });
  }

  /** Tells OpenSSL that the bytes are sent, so that it can send more. */
  finishWrite(): void {
    const written = this.#written;
    if (written === undefined) return;
    this.#written = undefined;
    written.handle.finishWrite(written.request, 0);
  }

  /**
   * Decrypts the input that the kernel has now, without the event loop. Returns the number of encrypted bytes; -1 at the end of the input
   * and if the connection is broken.
   */
  receive(): number {
    const buffer = this.#shared.inputDuringScript;
    this.finishWrite();
    const handle = this.#socket._handle;
    if (this.#below.destroyed || handle === null) return -1;
    const length = readWaiting(this.fd, buffer);
    if (length > 0) handle.readBuffer(buffer.subarray(0, length));
    return length;
  }
}

/** What a client needs of its transport: `above` is its TLS socket. */
export function streamTransport(transport: TlsTransport, above: Socket): StreamTransport {
  return {
    readDirectly: (received) => transport.readDirectly(above, received),
    receive: () => transport.receive(),
    write: (bytes, sent) => transport.write(above, bytes, sent),
  };
}

function finishWrite(transport: TlsTransport): void {
  transport.finishWrite();
}

/** The transports of a server, which share their buffers. */
export class TlsTransports {
  readonly #ScriptedSocket = findScriptedSocketClass();
  readonly input = Buffer.allocUnsafeSlow(INPUT_BYTES);
  /** For decrypted input. */
  readonly decrypted = Buffer.allocUnsafeSlow(INPUT_BYTES);
  readonly directReading = findDirectReading();
  #inputDuringScript: Buffer | undefined;

  /** Takes the accepted connection over. Undefined if only the event loop can carry its bytes. */
  take(accepted: Socket): TlsTransport | undefined {
    const owner = accepted as unknown as { _handle: SocketHandle | null };
    const { _handle: handle } = owner;
    if (this.#ScriptedSocket === undefined || handle === null || !(handle.fd >= 0)) return undefined;
    owner._handle = null;
    // Without its handle it is empty; the listener must not wait for it to close.
    accepted.destroy();
    return new TlsTransport(handle, this, this.#ScriptedSocket);
  }

  /** For input that is read during a slow script, when the other buffer may be in use. */
  get inputDuringScript(): Buffer {
    this.#inputDuringScript ??= Buffer.allocUnsafeSlow(INPUT_BYTES);
    return this.#inputDuringScript;
  }
}

/** What Node's TLS sockets ask of the handle below them. */
function forward(from: object, to: object): void {
  const source = from as Record<string, unknown>;
  for (const name of ['getpeername', 'getsockname', 'setNoDelay', 'setKeepAlive']) {
    const method = source[name];
    if (typeof method === 'function') Object.assign(to, { [name]: method.bind(from) });
  }
}

type ScriptedSocketClass = new (stream: Socket) => ScriptedSocket;

/**
 * Node's class for TLS over streams that are no sockets. Node does not export it, but shows it in such a TLS socket. Undefined if this
 * version of Node has another one: then the event loop carries the bytes, and clients with TLS wait until a slow script has ended.
 */
function findScriptedSocketClass(): ScriptedSocketClass | undefined {
  const probe = new TLSSocket(new PassThrough());
  const { _handle: handle } = probe as unknown as {
    readonly _handle?: { readonly _parentWrap?: ScriptedSocket };
  };
  const socket = handle?._parentWrap;
  const isKnown =
    typeof socket?.doWrite === 'function' &&
    typeof socket._handle?.readBuffer === 'function' &&
    typeof socket._handle.finishWrite === 'function';
  probe.destroy();
  return isKnown ? (socket.constructor as ScriptedSocketClass) : undefined;
}

/** The properties in which a socket of Node keeps its option `onread`. */
interface DirectReading {
  readonly buffer: symbol;
  readonly callback: symbol;
}

/**
 * Node has the option `onread` for sockets, but not for those of a TLS server. Undefined if this version of Node keeps it elsewhere: then
 * decrypted input is emitted by the TLS socket.
 */
function findDirectReading(): DirectReading | undefined {
  const onread = { buffer: Buffer.alloc(1), callback: () => true };
  const probe = new Socket({ onread } as object) as unknown as Readonly<Record<symbol, unknown>>;
  const find = (value: unknown): symbol | undefined =>
    Object.getOwnPropertySymbols(probe).find((symbol) => probe[symbol] === value);
  const buffer = find(onread.buffer);
  const callback = find(onread.callback);
  return buffer === undefined || callback === undefined ? undefined : { buffer, callback };
}

/** As libuv has it. */
const CANCELED = -constants.errno.ECANCELED;
const INPUT_BYTES = 1 << 16;
