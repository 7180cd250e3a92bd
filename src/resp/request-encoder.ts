import { Bytes, copyBytes } from '../bytes/bytes.js';
import { digitCount, writeInteger } from '../bytes/numbers/integer.js';

/*
 * Requests as clients send them: an array of bulk strings, `*2\r\n$3\r\nGET\r\n$3\r\nkey\r\n`. An append-only file and the
 * stream to replicas have the same format.
 */

/** The number of bytes that `writeRequest` writes for the first `argc` arguments, the command's name included. */
export function requestBytes(args: readonly Bytes[], argc = args.length): number {
  let size = lineBytes(argc);
  for (let i = 0; i < argc; i++) {
    const { start, end } = args[i] as Bytes;
    size += lineBytes(end - start) + end - start + 2;
  }
  return size;
}

/** Writes a request of the first `argc` arguments to `target` and returns its end. The caller must ensure that it fits. */
export function writeRequest(
  target: Buffer,
  offset: number,
  args: readonly Bytes[],
  argc = args.length,
): number {
  let at = writeLine(target, offset, STAR, argc);
  for (let i = 0; i < argc; i++) {
    const { buf, start, end } = args[i] as Bytes;
    at = writeLine(target, at, DOLLAR, end - start);
    at = copyBytes(buf, start, end, target, at);
    target[at++] = CR;
    target[at++] = LF;
  }
  return at;
}

/**
 * Where the arguments' buffer has the bytes that `writeRequest` would write, as that of most clients' requests does; -1 if it has not: the
 * arguments are not from one request, or the client wrote it in another way that is understood.
 */
export function findRequest(args: readonly Bytes[], argc = args.length): number {
  if (argc === 0) return -1;
  const { buf, start, end } = args[0] as Bytes;
  const begin = start - lineBytes(end - start) - lineBytes(argc);
  if (begin < 0 || !hasLine(buf, begin, STAR, argc)) return -1;
  let at = begin + lineBytes(argc);
  for (let i = 0; i < argc; i++) {
    const argument = args[i] as Bytes;
    const length = argument.end - argument.start;
    if (argument.buf !== buf || argument.start !== at + lineBytes(length)) return -1;
    if (!hasLine(buf, at, DOLLAR, length)) return -1;
    at = argument.end + 2;
    if (buf[at - 2] !== CR || buf[at - 1] !== LF) return -1;
  }
  return begin;
}

/** A request in its own buffer. */
export function encodeRequest(args: readonly Bytes[]): Buffer {
  const target = Buffer.allocUnsafe(requestBytes(args));
  writeRequest(target, 0, args);
  return target;
}

/** The destination of a `RequestWriter`. */
export interface RequestSink {
  /** Takes `buffer[start .. end)`. The caller may reuse the buffer when this returns. */
  bytes(buffer: Buffer, start: number, end: number): void;
}

/** Writes requests argument by argument: `begin(2).text('GET').argument(key)`. */
export class RequestWriter<Sink extends RequestSink = RequestSink> {
  readonly sink: Sink;
  readonly #view = new Bytes();

  constructor(sink: Sink) {
    this.sink = sink;
  }

  /** Begins a request of `argc` arguments, the command's name included. */
  begin(argc: number): this {
    return this.#line(STAR, argc);
  }

  argument({ buf, start, end }: Bytes): this {
    this.beginArgument(end - start).sink.bytes(buf, start, end);
    return this.endArgument();
  }

  /** An argument of latin1 text, or of a number's digits. */
  text(text: string | number | bigint): this {
    const bytes = Buffer.from(String(text), 'latin1');
    return this.argument(this.#view.set(bytes, 0, bytes.length));
  }

  /** Begins an argument whose bytes the caller writes to the sink. */
  beginArgument(length: number): this {
    return this.#line(DOLLAR, length);
  }

  endArgument(): this {
    this.sink.bytes(NEWLINE, 0, 2);
    return this;
  }

  #line(type: number, value: number): this {
    this.sink.bytes(line, 0, writeLine(line, 0, type, value));
    return this;
  }
}

function lineBytes(value: number): number {
  return 3 + digitCount(value);
}

function writeLine(target: Buffer, offset: number, type: number, value: number): number {
  target[offset] = type;
  const end = writeInteger(target, offset + 1, value);
  target[end] = CR;
  target[end + 1] = LF;
  return end + 2;
}

/** Whether `writeLine` would change nothing. The line must end within the buffer. */
function hasLine(buffer: Buffer, offset: number, type: number, value: number): boolean {
  const { wide } = buffer;
  if (value < 10 && wide !== undefined) {
    return wide.getInt32(offset, true) === (type | ((ZERO + value) << 8) | ONE_DIGIT);
  }
  let at = offset + digitCount(value);
  if (buffer[offset] !== type || buffer[at + 1] !== CR || buffer[at + 2] !== LF) return false;
  for (let rest = value; at > offset; at--) {
    const tens = Math.floor(rest / 10);
    if (buffer[at] !== ZERO + rest - tens * 10) return false;
    rest = tens;
  }
  return true;
}

const STAR = 42;
const DOLLAR = 36;
const CR = 13;
const LF = 10;
const ZERO = 48;
/** What follows the digit of a line with one digit, as the upper half of a word. */
const ONE_DIGIT = (LF << 24) | (CR << 16);
const line = Buffer.alloc(24);
const NEWLINE = Buffer.from('\r\n');
