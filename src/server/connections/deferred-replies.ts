import { copyBytes } from '../../bytes/bytes.js';
import { wideBuffer } from '../../bytes/wide-buffer.js';
import type { RespWriter } from '../../resp/resp-writer.js';

/** A client whose replies can be deferred. */
export interface DeferringClient {
  /** Sends replies that were deferred: `buffer[start .. end)`, which is reused afterwards. */
  sendDeferred(buffer: Buffer, start: number, end: number): void;
}

/**
 * Short replies to several clients, which are sent together when the event loop has read all waiting input, or after a few of them.
 *
 * A write wakes the receiver up, and waking it costs more than the rest of the write if it has fallen asleep since the last
 * one. Replies that follow each other closely find it awake. With one active client nothing is gained, so its replies are not
 * deferred.
 */
export class DeferredReplies {
  readonly #clients: DeferringClient[] = [];
  readonly #ends = new Int32Array(MAX_DEFERRED);
  readonly #bytes = wideBuffer(MAX_BYTES * 2);
  /** The number of replies, and of those that have been sent. */
  #count = 0;
  #sent = 0;
  /** Whether `#endRound` will be called, the number of replies since it was called, and the rounds with one reply in a row. */
  #isScheduled = false;
  #inRound = 0;
  #loneRounds = 0;
  /** How many of the next replies are not deferred. */
  #skips = 0;
  readonly #beforeSending: () => void;
  readonly #endRound = (): void => {
    this.#isScheduled = false;
    this.#loneRounds = this.#inRound === 1 ? this.#loneRounds + 1 : 0;
    this.#inRound = 0;
    if (this.#loneRounds === LONE_ROUNDS) {
      this.#loneRounds = 0;
      this.#skips = SKIPS;
    }
    this.send();
  };

  /** `beforeSending` is called before replies are sent. */
  constructor(beforeSending: () => void = () => {}) {
    this.#beforeSending = beforeSending;
  }

  /** Takes the replies in the writer, unless they are long or the only ones. Returns whether it did. */
  add(client: DeferringClient, { buffer, length }: RespWriter): boolean {
    if (length > MAX_BYTES || this.isFull) return false;
    if (this.#skips > 0) {
      this.#skips--;
      return false;
    }
    const count = this.#count;
    const start = count === 0 ? 0 : (this.#ends[count - 1] as number);
    this.#ends[count] = copyBytes(buffer, 0, length, this.#bytes, start);
    this.#clients[count] = client;
    this.#count = count + 1;
    this.#inRound++;
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(this.#endRound);
    }
    return true;
  }

  /** Whether it is time to call `send`. */
  get isFull(): boolean {
    const count = this.#count;
    return count === MAX_DEFERRED || (count > 0 && (this.#ends[count - 1] as number) > MAX_BYTES);
  }

  /** Sends all of them now. Sending may close a client, which calls this again: then the inner call sends the rest. */
  send(): void {
    if (this.#sent < this.#count) this.#beforeSending();
    while (this.#sent < this.#count) {
      const index = this.#sent++;
      const start = index === 0 ? 0 : (this.#ends[index - 1] as number);
      (this.#clients[index] as DeferringClient).sendDeferred(this.#bytes, start, this.#ends[index] as number);
    }
    this.#count = 0;
    this.#sent = 0;
  }
}

/** The maximum number of replies that are sent together, and of their bytes. With more, the first clients would wait longer. */
const MAX_DEFERRED = 16;
const MAX_BYTES = 16 << 10;
/** After this number of rounds with one reply each, the next `SKIPS` replies are sent at once. */
const LONE_ROUNDS = 4;
const SKIPS = 64;
