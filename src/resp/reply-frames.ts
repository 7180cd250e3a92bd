/**
 * Finds complete RESP2 replies in bytes that arrive in chunks. Bytes are looked at once: a long reply that arrives in many
 * chunks takes time in proportion to its length.
 */
export class ReplyFrames {
  /** Holds the bytes that were not taken yet. */
  buffer: Buffer = NOTHING;
  /** Where the next reply begins. */
  start = 0;
  /** The end of the valid bytes. */
  #end = 0;
  /** The replies were examined up to here. Behind `#end` if the rest of a bulk string is missing. */
  #examined = 0;
  /** How many values the reply at `start` lacks: itself, or elements of its arrays. */
  #missing = 1;
  /** Whether the buffer is not a chunk, so that more bytes can be added to it. */
  #isOwn = false;

  /** Adds a chunk, which must not change afterwards. */
  add(chunk: Buffer): void {
    const left = this.#end - this.start;
    if (left === 0) {
      this.buffer = chunk;
      this.#end = chunk.length;
      return;
    }
    if (!this.#isOwn || this.buffer.length - this.#end < chunk.length) this.#move(left + chunk.length);
    chunk.copy(this.buffer, this.#end);
    this.#end += chunk.length;
  }

  /** Moves the bytes to a buffer of our own, with room for the rest of a bulk string. */
  #move(needed: number): void {
    const room = Math.max(needed * 2, this.#examined - this.start);
    const buffer = Buffer.allocUnsafe(room);
    this.buffer.copy(buffer, 0, this.start, this.#end);
    this.#end -= this.start;
    this.#examined -= this.start;
    this.start = 0;
    this.buffer = buffer;
    this.#isOwn = true;
  }

  /** Whether the reply at `start` is complete. Throws a RangeError if the bytes are not RESP2. */
  get isComplete(): boolean {
    while (this.#missing > 0) {
      if (this.#examined >= this.#end || !this.#examine()) return false;
    }
    return this.#examined <= this.#end;
  }

  /** Examines one value. Returns false if its line is not complete. */
  #examine(): boolean {
    const { buffer } = this;
    const at = this.#examined;
    const type = buffer[at];
    if (type === PLUS || type === MINUS || type === COLON) {
      const end = buffer.indexOf(LF, at + 1);
      if (end < 0 || end >= this.#end) return false;
      this.#examined = end + 1;
      this.#missing--;
      return true;
    }
    if (type !== DOLLAR && type !== STAR) throw new RangeError(`no reply begins with byte ${type}`);
    let number = 0;
    let digit = at + 1;
    const isNegative = buffer[digit] === MINUS;
    if (isNegative) digit++;
    for (; digit < this.#end; digit++) {
      const byte = buffer[digit] as number;
      if (byte === CR) break;
      if (byte < ZERO || byte > NINE) throw new RangeError(`a length contains byte ${byte}`);
      number = number * 10 + byte - ZERO;
    }
    if (digit + 1 >= this.#end) return false;
    const next = digit + 2;
    this.#missing--;
    if (isNegative) this.#examined = next;
    else if (type === DOLLAR) this.#examined = next + number + 2;
    else {
      this.#examined = next;
      this.#missing += number;
    }
    return true;
  }

  /** Takes the complete reply at `start`. */
  take(): void {
    this.start = this.#examined;
    this.#missing = 1;
    if (this.start < this.#end) return;
    this.buffer = NOTHING;
    this.#isOwn = false;
    this.start = this.#end = this.#examined = 0;
  }
}

const NOTHING = Buffer.alloc(0);
const LF = 10;
const CR = 13;
const DOLLAR = 36;
const STAR = 42;
const PLUS = 43;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
