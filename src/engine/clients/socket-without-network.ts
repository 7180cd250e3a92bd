import { Socket } from 'node:net';

/** One end of a connection within the process: it behaves like a connected socket and has no file descriptor. */
export abstract class SocketWithoutNetwork extends Socket {
  /** The other end has sent everything. */
  protected endInput(): void {
    this.push(null);
    // Emit 'end' even if no data was ever read.
    if (this.readableLength === 0) this.read(0);
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
