import type { Socket } from 'node:net';
import { SocketWithoutNetwork } from '../../engine/clients/socket-without-network.js';
import { keepRunning } from '../../engine/timers.js';
import type { Exchange, Line, Peer } from './line.js';

/**
 * The client's end of a connection to an engine in the same process. It can be written, read, ended and destroyed, and keeps
 * the process alive while it is open unless `unref` was called.
 */
export class EmbeddedSocket extends SocketWithoutNetwork {
  readonly #line: Line;
  /** Continues writing when the engine takes more; undefined while it does. */
  #whenDrained: (() => void) | undefined;
  readonly #presence = keepRunning();

  /** `onClosing` is called when the engine closes, before the connection ends. */
  constructor(exchange: Exchange, onClosing: () => void = () => {}) {
    super();
    const peer: Peer = {
      deliver: (bytes) => this.push(bytes),
      ended: () => this.endInput(),
      cut: () => this.destroy(),
      closing: onClosing,
      drained: () => this.#drained(),
    };
    this.#line = exchange.connect(peer);
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: (error?: Error) => void): void {
    if (this.#send(chunk, encoding)) done();
    else this.#whenDrained = done;
  }

  override _writev(
    chunks: { chunk: Buffer | string; encoding: BufferEncoding }[],
    done: (error?: Error) => void,
  ): void {
    this.#sendFrom(0, chunks, done);
  }

  /** Sends the chunks from `at` on, with a pause whenever the engine has enough. */
  #sendFrom(
    at: number,
    chunks: { chunk: Buffer | string; encoding: BufferEncoding }[],
    done: () => void,
  ): void {
    for (let i = at; i < chunks.length; i++) {
      const { chunk, encoding } = chunks[i] as (typeof chunks)[number];
      if (this.#send(chunk, encoding)) continue;
      this.#whenDrained = () => this.#sendFrom(i + 1, chunks, done);
      return;
    }
    done();
  }

  /** Returns whether to go on at once. */
  #send(chunk: Buffer | string, encoding: BufferEncoding): boolean {
    const isUtf8 = typeof chunk !== 'string' || encoding === 'utf8';
    const takesMore = this.#line.receive(isUtf8 ? chunk : Buffer.from(chunk, encoding));
    return takesMore || this.writableEnded;
  }

  /** Waiting bytes are sent immediately: the engine must notice that the client ends, even while it is blocked. */
  override end(...values: unknown[]): this {
    super.end(...(values as Parameters<Socket['end']>));
    this.#drained();
    return this;
  }

  #drained(): void {
    const next = this.#whenDrained;
    this.#whenDrained = undefined;
    next?.();
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
}
