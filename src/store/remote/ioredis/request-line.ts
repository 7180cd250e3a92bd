import type { Duplex } from 'node:stream';
import { ReplyFrames } from '../../../resp/reply-frames.js';
import { ReplyReader } from '../../../resp/reply-reader.js';
import { RequestText } from '../../../resp/request-text.js';
import { StoreError } from '../../store-error.js';
import type { Reply } from '../../transport.js';
import type { Argument } from '../../value.js';
import { wireArgument } from '../remote-values.js';
import { ReplyWait } from '../reply-wait.js';

/** Called with the reply, an error reply included; with undefined if the connection ended before. */
export type Answered = (reply: Reply | undefined) => void;

/** A request without its reply. */
interface Expected {
  readonly format: number;
  readonly answered: Answered;
  next: Expected | undefined;
}

const reader = new ReplyReader<StoreError>((text) => StoreError.fromReply(text));

/**
 * Requests and replies on a connected stream, of which it is the only reader. All requests of one turn of the event loop are
 * written together.
 */
export class RequestLine {
  readonly #stream: Duplex;
  readonly #frames = new ReplyFrames();
  readonly #wait = new ReplyWait();
  #first: Expected | undefined;
  #last: Expected | undefined;
  /** Those that were not written yet. */
  readonly #requests = new RequestText<Argument>(wireArgument);
  #isFlushing = false;
  #hasEnded = false;

  constructor(stream: Duplex) {
    this.#stream = stream;
    const others = stream.listeners('data') as ((chunk: Buffer) => void)[];
    stream.on('data', (chunk: Buffer) => this.#received(chunk));
    for (const other of others) stream.removeListener('data', other);
  }

  /** Throws, and sends nothing, if an argument is invalid. */
  send(words: readonly string[], args: readonly Argument[], format: number, answered: Answered): void {
    if (this.#hasEnded) {
      answered(undefined);
      return;
    }
    this.#requests.add(words, args);
    const expected: Expected = { format, answered, next: undefined };
    if (this.#last === undefined) this.#first = expected;
    else this.#last.next = expected;
    this.#last = expected;
    if (this.#requests.text.length > MAX_TEXT) this.#flush();
    else if (!this.#isFlushing) {
      this.#isFlushing = true;
      process.nextTick(this.#flush);
    }
  }

  readonly #flush = (): void => {
    this.#isFlushing = false;
    const { parts, text } = this.#requests;
    this.#requests.clear();
    const stream = this.#stream;
    if (text === '' || !stream.writable) return;
    this.#wait.begin();
    if (parts.length === 0) {
      stream.write(text);
      return;
    }
    stream.cork();
    for (const part of parts) stream.write(part);
    stream.write(text);
    stream.uncork();
  };

  #received(chunk: Buffer): void {
    const frames = this.#frames;
    frames.add(chunk);
    try {
      while (frames.isComplete) {
        const expected = this.#first;
        if (expected === undefined) throw new RangeError('there is a reply without a request');
        this.#first = expected.next;
        if (expected.next === undefined) {
          this.#last = undefined;
          this.#wait.end();
        }
        const reply = reader.read(frames.buffer, frames.start, expected.format);
        frames.take();
        expected.answered(reply);
      }
    } catch (error) {
      this.#stream.destroy(error as Error);
    }
  }

  /** The connection has ended: requests without a reply get none. */
  end(): void {
    this.#hasEnded = true;
    let expected = this.#first;
    this.#first = this.#last = undefined;
    for (; expected !== undefined; expected = expected.next) expected.answered(undefined);
  }
}

/** Characters that are written at once, without waiting for other requests. */
const MAX_TEXT = 1 << 16;
