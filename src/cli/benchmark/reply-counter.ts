/** Counts replies without decoding them. */
export class ReplyCounter {
  /** The text of the first error that is no redirection. */
  error: string | undefined;
  /** Errors that say that a slot belongs, or will belong, to another node. */
  redirections = 0;
  /** Whether redirections are no errors. */
  readonly #acceptsRedirections: boolean;
  /** Values that the reply being read still has, itself included. */
  #missing = 0;
  /** The value being read is a push message, which is no reply. */
  #isPush = false;
  /** Bytes of a bulk string that have not arrived, with its line end. */
  #skip = 0;
  /** The beginning of a line that is cut. */
  #cut = '';

  constructor(acceptsRedirections = false) {
    this.#acceptsRedirections = acceptsRedirections;
  }

  /** The number of replies that end in these bytes. */
  count(buffer: Buffer, length: number): number {
    let replies = 0;
    let at = 0;
    if (this.#skip > 0) {
      const skipped = Math.min(this.#skip, length);
      this.#skip -= skipped;
      at = skipped;
      if (this.#skip === 0 && --this.#missing === 0 && !this.#isPush) replies++;
    }
    while (at < length) {
      let end = at;
      while (end < length && buffer[end] !== LF) end++;
      if (end === length) {
        this.#cut += buffer.latin1Slice(at, end);
        break;
      }
      const isFirst = this.#missing === 0;
      if (isFirst) this.#missing = 1;
      let type: number;
      let number: number;
      if (this.#cut === '') {
        type = buffer[at] as number;
        number = isCounted(type) ? numberAt(buffer, at + 1, end - 1) : 0;
        if (type === MINUS) this.#noteError(buffer.latin1Slice(at + 1, end - 1));
      } else {
        const line = this.#cut + buffer.latin1Slice(at, end);
        this.#cut = '';
        type = line.charCodeAt(0);
        number = isCounted(type) ? Number.parseInt(line.slice(1), 10) : 0;
        if (type === MINUS) this.#noteError(line.slice(1).trimEnd());
      }
      at = end + 1;
      if (isFirst) this.#isPush = type === PUSH;
      if ((type === DOLLAR || type === EQUALS || type === BANG) && number >= 0) {
        const bytes = number + 2;
        if (length - at < bytes) {
          this.#skip = bytes - (length - at);
          break;
        }
        at += bytes;
      } else if (number > 0 && isAggregate(type)) {
        this.#missing += type === PERCENT || type === BAR ? number * 2 : number;
      }
      // What an attribute describes is still to come.
      if (type !== BAR && --this.#missing === 0 && !this.#isPush) replies++;
    }
    return replies;
  }

  #noteError(text: string): void {
    if (this.#acceptsRedirections && REDIRECTION.test(text)) this.redirections++;
    else this.error ??= text;
  }
}

function numberAt(buffer: Buffer, start: number, end: number): number {
  if (buffer[start] === MINUS) return -1;
  let number = 0;
  for (let at = start; at < end; at++) number = number * 10 + (buffer[at] as number) - 48;
  return number;
}

function isCounted(type: number): boolean {
  return type === DOLLAR || type === EQUALS || type === BANG || isAggregate(type);
}

function isAggregate(type: number): boolean {
  return type === STAR || type === TILDE || type === PERCENT || type === BAR || type === PUSH;
}

const REDIRECTION = /^(?:MOVED|ASK|TRYAGAIN) /;
const LF = 10;
const BANG = 33;
const DOLLAR = 36;
const PERCENT = 37;
const STAR = 42;
const MINUS = 45;
const EQUALS = 61;
const PUSH = 62;
const BAR = 124;
const TILDE = 126;
