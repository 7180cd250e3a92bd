import { encodeWords } from '../replication/handshake.js';
import type { Address, Link, World } from '../replication/world.js';
import { replyEnd } from '../resp/reply-end.js';
import { ReplyReader, type ReplyValue } from '../resp/reply-reader.js';

/** An error reply. */
export class ErrorReply {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Answer = ReplyValue<ErrorReply>;

export interface ConnectionEvents {
  /** What arrives without a request: the messages of subscribed channels. */
  message?(answer: Answer): void;
  /** The connection could not be opened or has ended. Requests without a reply get none. */
  closed(reason: string): void;
}

/** A client's connection to a server. Requests that are sent before it is open wait. */
export class RespConnection {
  readonly #link: Link;
  readonly #events: ConnectionEvents;
  readonly #reader = new ReplyReader((text) => new ErrorReply(text));
  /** The receivers of the next replies. */
  readonly #expected: ((answer: Answer) => void)[] = [];
  /** Requests that wait for the connection; undefined when it is open. */
  #waiting: Buffer[] | undefined = [];
  #input: Buffer = Buffer.alloc(0);
  #isClosed = false;

  constructor(world: World, address: Address, events: ConnectionEvents) {
    this.#events = events;
    this.#link = world.connect(address, {
      connected: () => {
        const waiting = this.#waiting ?? [];
        this.#waiting = undefined;
        for (const request of waiting) this.#link.send(request);
      },
      received: (chunk) => this.#received(chunk),
      closed: (reason) => this.#end(reason),
    });
  }

  /** The address of this end; empty while it is not connected. */
  get localHost(): string {
    const { localAddress } = this.#link;
    return localAddress.slice(0, Math.max(0, localAddress.lastIndexOf(':')));
  }

  send(words: readonly string[], answered: (answer: Answer) => void = ignore): void {
    this.#expected.push(answered);
    this.#write(encodeWords(...words));
  }

  /** Subscribes: from then on everything that arrives is a message. */
  subscribe(channel: string): void {
    this.#write(encodeWords('SUBSCRIBE', channel));
  }

  #write(request: Buffer): void {
    if (this.#waiting === undefined) this.#link.send(request);
    else this.#waiting.push(request);
  }

  close(): void {
    this.#isClosed = true;
    this.#link.close();
  }

  #end(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#events.closed(reason);
  }

  #received(chunk: Buffer): void {
    this.#input = this.#input.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#input, chunk]);
    let at = 0;
    while (!this.#isClosed) {
      const end = replyEnd(this.#input, at);
      if (end === undefined || this.#input.length > MAX_INPUT) {
        this.#link.close();
        this.#end('the server sent something that is not RESP');
        return;
      }
      if (end < 0) break;
      const answer = this.#reader.read(this.#input, at, 0);
      at = end;
      const answered = this.#expected.shift();
      if (answered === undefined) this.#events.message?.(answer);
      else answered(answer);
    }
    this.#input = this.#input.subarray(at);
  }
}

function ignore(): void {}

/** INFO is the longest reply, and has a few kilobytes. */
const MAX_INPUT = 16 << 20;
