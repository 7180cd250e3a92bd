import { decodeBytes, decodeText } from './decode-text.js';

/** How replies become JavaScript values: bits that can be combined. 0 means UTF-8 strings and numbers. */
export const ReplyFormat = {
  /** Strings as buffers. */
  bytes: 1,
  /** Integers as bigints. */
  exact: 2,
} as const;

/** The JavaScript value of a reply; `Failure` is the type of error replies. */
export type ReplyValue<Failure> =
  | string
  | Buffer
  | number
  | bigint
  | null
  | Failure
  | readonly ReplyValue<Failure>[];

/** Reads RESP2 replies that are complete in memory, for example written by a `RespWriter` of this process. */
export class ReplyReader<Failure> {
  readonly #makeError: (text: string) => Failure;
  #buffer: Buffer = Buffer.alloc(0);
  #format = 0;
  /** The offset after the last reply read. */
  position = 0;

  constructor(makeError: (text: string) => Failure) {
    this.#makeError = makeError;
  }

  /** Reads the reply at `start` and sets `position` to its end. */
  read(buffer: Buffer, start: number, format: number): ReplyValue<Failure> {
    this.#buffer = buffer;
    this.#format = format;
    this.position = start;
    return this.#value();
  }

  #value(): ReplyValue<Failure> {
    const type = this.#buffer[this.position++];
    switch (type) {
      case DOLLAR:
        return this.#bulk();
      case COLON:
        return this.#integer();
      case PLUS:
        return this.#status();
      case STAR:
        return this.#array();
      case MINUS:
        return this.#makeError(this.#line());
      default:
        throw new RangeError(`no reply begins with byte ${type}`);
    }
  }

  #bulk(): string | Buffer | null {
    const length = this.#length();
    if (length < 0) return null;
    const start = this.position;
    const end = start + length;
    this.position = end + 2;
    if ((this.#format & ReplyFormat.bytes) !== 0) return decodeBytes(this.#buffer, start, end);
    return decodeText(this.#buffer, start, end);
  }

  #array(): readonly ReplyValue<Failure>[] | null {
    const length = this.#length();
    if (length < 0) return null;
    const items: ReplyValue<Failure>[] = [];
    for (let i = 0; i < length; i++) items.push(this.#value());
    return items;
  }

  #status(): string | Buffer {
    const buffer = this.#buffer;
    const at = this.position;
    const isText = (this.#format & ReplyFormat.bytes) === 0;
    if (isText && buffer[at] === 79 && buffer[at + 1] === 75 && buffer[at + 2] === CR) {
      this.position = at + 4;
      return 'OK';
    }
    const line = this.#line();
    return isText ? line : Buffer.from(line);
  }

  #integer(): number | bigint {
    if ((this.#format & ReplyFormat.exact) !== 0) return BigInt(this.#line());
    return this.#length();
  }

  /** A number up to the end of its line; beyond 2^53 the nearest double. */
  #length(): number {
    const buffer = this.#buffer;
    let at = this.position;
    const isNegative = buffer[at] === MINUS;
    if (isNegative) at++;
    const start = at;
    let number = 0;
    for (let byte = buffer[at] as number; byte !== CR; byte = buffer[++at] as number) {
      number = number * 10 + (byte - 48);
    }
    this.position = at + 2;
    if (at - start > 15) number = Number(buffer.latin1Slice(start, at));
    return isNegative ? -number : number;
  }

  #line(): string {
    const start = this.position;
    const end = this.#buffer.indexOf(CR, start);
    this.position = end + 2;
    return this.#buffer.utf8Slice(start, end);
  }
}

const CR = 13;
const PLUS = 43;
const MINUS = 45;
const COLON = 58;
const DOLLAR = 36;
const STAR = 42;
