import { connect, type Socket } from 'node:net';
import { type Command, encode, show } from './command.js';
import { printable, type Reply } from './reply.js';
import { ReplyReader } from './reply-reader.js';

export type Protocol = 2 | 3;

/** The timeout for a reply: long, because the machine may be busy. */
export const REPLY_TIMEOUT_MS = 30_000;

/** The server closed the connection before the awaited reply was complete. */
export class ConnectionClosed extends Error {}

/** No reply arrived in time. */
export class NoReply extends Error {}

interface Waiter {
  resolve(reply: Reply): void;
  reject(reason: Error): void;
  readonly timer: NodeJS.Timeout;
}

/**
 * A connection without protocol logic: it sends exactly the given bytes, and returns everything received, including pushes,
 * in order with its raw bytes.
 */
export class RawClient {
  readonly #socket: Socket;
  readonly #reader = new ReplyReader();
  readonly #received: Reply[] = [];
  readonly #waiters: Waiter[] = [];
  readonly #closeListeners: (() => void)[] = [];
  #ended: Error | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#onData(chunk));
    socket.on('error', (error) => this.#end(new ConnectionClosed(`connection failed: ${error.message}`)));
    socket.on('close', () => this.#end(new ConnectionClosed('the server closed the connection')));
  }

  /** Connects and, for protocol 3, sends HELLO 3. The reply to HELLO is discarded. */
  static async connect(port: number, protocol: Protocol = 2): Promise<RawClient> {
    const client = await new Promise<RawClient>((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new RawClient(socket));
      });
    });
    if (protocol === 3) {
      const hello = await client.call(['HELLO', '3']);
      if (hello.type !== 'map') throw new Error(`HELLO 3 was answered with ${printable(hello.raw)}`);
    }
    return client;
  }

  /** Sends a command and waits for one reply. */
  call(command: Command, timeoutMs = REPLY_TIMEOUT_MS): Promise<Reply> {
    this.send(command);
    return this.next(timeoutMs).catch((error: Error) => {
      error.message += ` (waiting for the reply to ${show(command)})`;
      throw error;
    });
  }

  send(...commands: Command[]): void {
    this.sendRaw(commands.length === 1 ? encode(commands[0]!) : Buffer.concat(commands.map(encode)));
  }

  sendRaw(bytes: Buffer | string): void {
    this.#socket.write(bytes);
  }

  /** The next reply or push. Rejects with ConnectionClosed or NoReply when there is none. */
  next(timeoutMs = REPLY_TIMEOUT_MS): Promise<Reply> {
    const reply = this.#received.shift();
    if (reply !== undefined) return Promise.resolve(reply);
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        const partial = this.#reader.rest.length > 0 ? `, only ${printable(this.#reader.rest)}` : '';
        reject(new NoReply(`no reply within ${timeoutMs} ms${partial}`));
      }, timeoutMs);
      const waiter: Waiter = { resolve, reject, timer };
      this.#waiters.push(waiter);
    });
  }

  /** Removes and returns the replies that have arrived and were not read. */
  takeReceived(): Reply[] {
    return this.#received.splice(0);
  }

  get closed(): boolean {
    return this.#ended !== undefined;
  }

  /** Resolves to true once the server has closed the connection, to false if it does not in time. */
  waitForClose(timeoutMs = REPLY_TIMEOUT_MS): Promise<boolean> {
    if (this.closed) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs);
      this.#closeListeners.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  /** Half-closes the connection from this side, like a client that will send nothing more. */
  endWriting(): void {
    this.#socket.end();
  }

  close(): void {
    this.#socket.destroy();
    this.#end(new ConnectionClosed('the test closed the connection'));
  }

  #onData(chunk: Buffer): void {
    this.#reader.push(chunk);
    try {
      for (let reply = this.#reader.next(); reply !== undefined; reply = this.#reader.next()) {
        this.#deliver(reply);
      }
    } catch (error) {
      this.#socket.destroy();
      this.#end(error as Error);
    }
  }

  #deliver(reply: Reply): void {
    const waiter = this.#waiters.shift();
    if (waiter === undefined) {
      this.#received.push(reply);
      return;
    }
    clearTimeout(waiter.timer);
    waiter.resolve(reply);
  }

  #end(reason: Error): void {
    if (this.#ended !== undefined) return;
    const rest = this.#reader.rest;
    this.#ended = reason;
    if (rest.length > 0) reason.message += `, after the unfinished reply ${printable(rest)}`;
    for (const waiter of this.#waiters.splice(0)) {
      clearTimeout(waiter.timer);
      waiter.reject(reason);
    }
    for (const listener of this.#closeListeners.splice(0)) listener();
  }
}
