import type { Socket } from 'node:net';
import { connectSocket, type Endpoint, REASONS } from './connect.js';
import { itemsOf, textOf, type WireReply } from './reply.js';
import { ReplyDecoder } from './reply-decoder.js';
import { requestOf } from './request.js';

/** The connection ended, or what arrives is not RESP. */
export class LinkError extends Error {
  override readonly name = 'LinkError';
}

/** One connection on which requests and replies follow each other. */
export class Link {
  readonly socket: Socket;
  /**
   * Gets the push messages that arrive among the replies; undefined: they are replies like others. The confirmations of
   * SUBSCRIBE and its like are always replies.
   */
  onPush: ((message: WireReply) => void) | undefined;
  readonly #decoder = new ReplyDecoder();
  #failure: LinkError | undefined;
  /** A reply that arrived while only push messages were awaited. */
  #early: WireReply | undefined;
  #waiting: { resolve(reply: WireReply): void; reject(error: LinkError): void } | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', this.#onData);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
  }

  /** Rejects with a `ConnectError`. */
  static async connect(endpoint: Endpoint): Promise<Link> {
    return new Link(await connectSocket(endpoint));
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#decoder.push(chunk);
    this.#deliver();
    // What no caller waits for stays in the system's buffers, so that a fast server does not fill the memory.
    if (this.#waiting === undefined && (this.onPush === undefined || this.#early !== undefined))
      this.socket.pause();
  };

  readonly #onError = (error: Error & { code?: string }): void =>
    this.#fail(REASONS[error.code ?? ''] ?? error.message);

  readonly #onClose = (): void => this.#fail('Server closed the connection');

  get isClosed(): boolean {
    return this.#failure !== undefined;
  }

  send(args: readonly string[]): void {
    this.write(requestOf(args));
  }

  write(bytes: Buffer): void {
    if (this.#failure === undefined) this.socket.write(bytes);
  }

  /** The next reply. Rejects with a `LinkError`. */
  read(): Promise<WireReply> {
    return new Promise((resolve, reject) => {
      const early = this.#early;
      this.#early = undefined;
      if (early !== undefined) return resolve(early);
      this.#waiting = { resolve, reject };
      this.#deliver();
      if (this.#waiting === undefined) return;
      if (this.#failure !== undefined) this.#settle()?.reject(this.#failure);
      else this.socket.resume();
    });
  }

  async call(...args: string[]): Promise<WireReply> {
    this.send(args);
    return this.read();
  }

  /** Sends all requests at once. */
  async callAll(requests: readonly (readonly string[])[]): Promise<WireReply[]> {
    this.write(Buffer.concat(requests.map(requestOf)));
    const replies: WireReply[] = [];
    for (const _ of requests) replies.push(await this.read());
    return replies;
  }

  /** Leaves the socket to another reader, with the bytes that have arrived already. */
  release(): { readonly socket: Socket; readonly rest: Buffer } {
    this.socket.pause();
    this.socket.off('data', this.#onData);
    this.socket.off('error', this.#onError);
    this.socket.off('close', this.#onClose);
    return { socket: this.socket, rest: this.#decoder.takeRest() };
  }

  close(): void {
    this.#fail('closed');
    this.socket.destroy();
  }

  #deliver(): void {
    try {
      while (this.#waiting !== undefined || (this.onPush !== undefined && this.#early === undefined)) {
        const reply = this.#decoder.next();
        if (reply === undefined) return;
        if (reply.kind === 'push' && this.onPush !== undefined && !isConfirmation(reply)) this.onPush(reply);
        else if (this.#waiting === undefined) this.#early = reply;
        else this.#settle()?.resolve(reply);
      }
    } catch (error) {
      this.#fail((error as Error).message);
    }
  }

  #fail(reason: string): void {
    this.#failure ??= new LinkError(reason);
    this.#settle()?.reject(this.#failure);
  }

  #settle(): { resolve(reply: WireReply): void; reject(error: LinkError): void } | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}

/** Answers to commands which RESP3 sends as push messages. */
function isConfirmation(message: WireReply): boolean {
  return /^[ps]?(?:un)?subscribe$/.test(textOf(itemsOf(message)[0]));
}
