import { Socket } from 'node:net';
import type { Exchange, Line, Peer } from './line.js';

/**
 * The client's end of a connection to an engine in the same process. It behaves like a connected socket: it can be written,
 * read, ended and destroyed, and keeps the process alive while it is open unless `unref` was called. It has no file
 * descriptor.
 */
export class EmbeddedSocket extends Socket {
  readonly #line: Line;
  readonly #presence = setInterval(() => {}, MAX_INTERVAL);

  /** `onClosing` is called when the engine closes, before the connection ends. */
  constructor(exchange: Exchange, onClosing: () => void = () => {}) {
    super();
    const peer: Peer = {
      deliver: (bytes) => this.push(bytes),
      ended: () => {
        this.push(null);
        // Emit 'end' even if no data was ever read.
        if (this.readableLength === 0) this.read(0);
      },
      cut: () => this.destroy(),
      closing: onClosing,
    };
    this.#line = exchange.connect(peer);
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: (error?: Error) => void): void {
    const isUtf8 = typeof chunk !== 'string' || encoding === 'utf8';
    this.#line.receive(isUtf8 ? chunk : Buffer.from(chunk, encoding));
    done();
  }

  override _writev(
    chunks: { chunk: Buffer | string; encoding: BufferEncoding }[],
    done: (error?: Error) => void,
  ): void {
    for (const { chunk, encoding } of chunks) this._write(chunk, encoding, () => {});
    done();
  }

  override _final(done: (error?: Error) => void): void {
    this.#line.end();
    done();
  }

  /** Nothing to do: delivered data is already in the stream's buffer. */
  override _read(): void {}

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearInterval(this.#presence);
    this.#line.gone();
    super._destroy(error, done);
  }

  override ref(): this {
    this.#presence.ref();
    return this;
  }

  override unref(): this {
    this.#presence.unref();
    return this;
  }

  /** There is no network in between, so the socket options have no effect. */
  override setNoDelay(): this {
    return this;
  }

  override setKeepAlive(): this {
    return this;
  }

  override setTimeout(): this {
    return this;
  }
}

/** The longest time that a timer accepts. */
const MAX_INTERVAL = 0x7fffffff;
