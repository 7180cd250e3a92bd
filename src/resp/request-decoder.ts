import { Bytes } from '../bytes/bytes.js';
import { parseInteger } from '../bytes/numbers/integer.js';

/** Bytes that are not a request. `at` is their offset in the buffer. */
export class MalformedRequest extends Error {
  readonly at: number;

  constructor(reason: string, at: number) {
    super(reason);
    this.at = at;
  }
}

/**
 * Reads requests that `writeRequest` or Redis wrote: only arrays of bulk strings. (Clients may send other forms, in pieces of
 * any size: use `RequestParser` for those.)
 */
export class RequestDecoder {
  /** Views of the last request's arguments, the command's name included; valid until the next `decode`. */
  readonly args: Bytes[] = [];
  argc = 0;
  /** The end of the last request. */
  end = 0;
  #buffer: Buffer = NOTHING;
  #at = 0;
  #limit = 0;

  /** Reads the request at `buffer[start .. limit)`. False if it is not complete. Throws `MalformedRequest`. */
  decode(buffer: Buffer, start: number, limit: number): boolean {
    this.#buffer = buffer;
    this.#at = start;
    this.#limit = limit;
    const argc = this.#number(STAR);
    if (argc === INCOMPLETE) return false;
    if (argc < 1) throw new MalformedRequest('a command has no arguments', start);
    for (let i = 0; i < argc; i++) if (!this.#argument(i)) return false;
    this.argc = argc;
    this.end = this.#at;
    return true;
  }

  #argument(index: number): boolean {
    const length = this.#number(DOLLAR);
    if (length === INCOMPLETE) return false;
    if (length < 0) throw new MalformedRequest('an argument has a negative length', this.#at);
    const buffer = this.#buffer;
    const start = this.#at;
    const end = start + length;
    if (end + 2 > this.#limit) return false;
    if (buffer[end] !== CR || buffer[end + 1] !== LF) {
      throw new MalformedRequest(`expected the end of a line, got ${shown(buffer[end] as number)}`, end);
    }
    const view = this.args[index];
    if (view === undefined) this.args[index] = new Bytes(buffer, start, end);
    else view.set(buffer, start, end);
    this.#at = end + 2;
    return true;
  }

  /** Reads a line such as `*3`. Returns its number, or `INCOMPLETE`; any negative number is returned as `NEGATIVE`. */
  #number(type: number): number {
    const buffer = this.#buffer;
    const at = this.#at;
    if (at >= this.#limit) return INCOMPLETE;
    const expected = String.fromCharCode(type);
    if (buffer[at] !== type) {
      throw new MalformedRequest(`expected '${expected}', got ${shown(buffer[at] as number)}`, at);
    }
    const newline = endOfLine(buffer, at, this.#limit);
    if (newline < 0) return INCOMPLETE;
    const value = parseInteger(buffer, at + 1, newline - 1);
    if (buffer[newline - 1] !== CR || Number.isNaN(value)) {
      throw new MalformedRequest(`expected a number and the end of a line after '${expected}'`, at);
    }
    this.#at = newline + 1;
    return value < 0 ? NEGATIVE : value;
  }
}

/** The index of the line feed that ends the line at `start`; -1 if it has not arrived. Throws if the line is too long. */
export function endOfLine(buffer: Buffer, start: number, limit: number): number {
  const last = Math.min(limit, start + MAX_LINE);
  for (let at = start; at < last; at++) if (buffer[at] === LF) return at;
  if (limit - start > MAX_LINE) throw new MalformedRequest('a line is too long', start);
  return -1;
}

function shown(byte: number): string {
  return byte > 32 && byte < 127 ? `'${String.fromCharCode(byte)}'` : `byte ${byte}`;
}

const INCOMPLETE = -1;
const NEGATIVE = -2;

const STAR = 42;
const DOLLAR = 36;
const CR = 13;
const LF = 10;
/** A line has only a few digits; annotations in an append-only file are not much longer. */
const MAX_LINE = 1024;
const NOTHING = Buffer.alloc(0);
