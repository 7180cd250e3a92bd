import { Socket } from 'node:net';
import type { Exchange, Line, Peer } from './line.js';

/**
 * The client's end of a connection to an engine in the same process. For its user a connected socket: it can be written,
 * read, ended, destroyed, and keeps the process running while it is open, unless `unref` says otherwise. But no
 * descriptor is behind it.
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
        // Also if reading has not begun: there is nothing left to wait for.
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

  /** What is delivered waits in the stream until it is read. */
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

  /** Nothing is between the two ends that could delay, fail or go quiet. */
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

/** What a timer can hold. */
const MAX_INTERVAL = 0x7fffffff;
