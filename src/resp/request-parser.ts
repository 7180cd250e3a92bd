import { constants } from 'node:buffer';
import { Bytes, EMPTY_BUFFER } from '../bytes/bytes.js';
import { parseInteger } from '../bytes/numbers/integer.js';
import { splitWords } from '../bytes/quoting.js';
import { BufferPool } from './buffer-pool.js';

/** The result of `RequestParser.next`. */
export const Parsed = {
  /** `args` holds a complete command of `argc` arguments. */
  command: 0,
  /** No complete command is left: more bytes are needed. */
  incomplete: 1,
  /** The input violates the protocol: `error` is the reason. The rest of the input cannot be parsed. */
  broken: 2,
} as const;
export type Parsed = (typeof Parsed)[keyof typeof Parsed];

export interface ParserLimits {
  /** `proto-max-bulk-len` */
  maxBulkLength: number;
}

/**
 * Finds commands in one client's input: arrays of bulk strings, or inline lines. Nothing is copied while commands are
 * complete: the arguments are views of the chunk. Only the start of an unfinished command is kept until the rest
 * arrives, in a buffer that grows with the bytes received: announced lengths are not trusted.
 *
 * Every byte is read and copied a bounded number of times, however the input is cut into chunks and however much of it is
 * queued: `request-parser-cost.test.ts` counts this.
 *
 * For each chunk: `feed`, then `next` until it no longer returns `command`, then `finish`.
 */
export class RequestParser {
  /** Views of the last command's arguments; valid until `next` or `finish`. */
  args: Bytes[] = [];
  argc = 0;
  error = '';
  /** False until the client has authenticated: it may then send only few and short arguments. */
  trusted = true;
  /** False for the stream of a master, which has no inline lines, except empty ones. */
  takesLines = true;

  #buffer: Buffer = EMPTY_BUFFER;
  #at = 0;
  #end = 0;
  /** The unfinished command: its announced number of arguments, the number found so far, and its offset in the buffer. */
  #expected = 0;
  #found = 0;
  #begin = 0;
  /** The next argument is not complete until the buffer is filled up to here. */
  #awaited = 0;
  /** The line at `#at` does not end before this position: it has been searched up to here. */
  #searched = 0;
  /** The buffer that holds the unfinished command between chunks; empty if there is none. */
  #kept: Buffer = EMPTY_BUFFER;
  readonly #pool: BufferSource;

  /** `pool` provides the buffers for unfinished commands. */
  constructor(pool: BufferSource = sharedPool) {
    this.#pool = pool;
  }

  /**
   * Bytes of input that have not been executed: the whole chunk during its processing, then the kept bytes.
   * Complete arguments of an unfinished command do not count, nor does the line that announces the next one: see `argumentBytes`.
   */
  get buffered(): number {
    if (this.#buffer === EMPTY_BUFFER) return 0;
    if (this.#buffer !== this.#kept) return this.#end;
    const isArriving = this.#expected !== 0 && this.#end < this.#awaited;
    return this.#end - (isArriving ? this.#buffer.indexOf(LF, this.#at) + 1 : this.#at);
  }

  /** Bytes of the complete arguments of an unfinished command. */
  get argumentBytes(): number {
    return this.#expected === 0 ? 0 : this.#sizeOf(this.#found);
  }

  /** Bytes of the arguments of the last command. */
  get commandBytes(): number {
    return this.#sizeOf(this.argc);
  }

  #sizeOf(count: number): number {
    let bytes = 0;
    for (let i = 0; i < count; i++) {
      const { start, end } = this.args[i] as Bytes;
      bytes += end - start;
    }
    return bytes;
  }

  /** Gives back most of the unused space of the buffer. For clients that send nothing for a while. */
  trim(): void {
    const { length } = this.#kept;
    if (this.#buffer !== this.#kept || length - this.#unfinished <= MAX_UNUSED) return;
    this.#moveTo(this.#pool.take(Math.max(this.#unfinished, MIN_KEPT)));
  }

  /** The size of the buffer that holds the unfinished command. */
  get bufferSize(): number {
    return this.#kept.length;
  }

  /** How many bytes of the argument that is arriving are missing. */
  get missingBytes(): number {
    return Math.max(0, this.#awaited - this.#end);
  }

  feed(chunk: Buffer, length: number): void {
    if (this.#kept === EMPTY_BUFFER) {
      this.#buffer = chunk;
      this.#at = 0;
      this.#end = length;
      return;
    }
    if (this.#end + length > this.#kept.length) this.#makeRoom(length);
    chunk.copy(this.#kept, this.#end, 0, length);
    this.#end += length;
  }

  next(limits: ParserLimits): Parsed {
    if (this.#end < this.#awaited) return Parsed.incomplete;
    while (this.#expected === 0) {
      if (this.#at >= this.#end) return Parsed.incomplete;
      this.#begin = this.#at;
      if (this.#buffer[this.#at] !== STAR) {
        const inline = this.#nextInline();
        if (inline !== Parsed.command || this.argc > 0) return inline;
        continue;
      }
      const few = shortAnnouncement(this.#buffer, this.#at, this.#end, STAR);
      if (few > 0 && few <= MAX_UNTRUSTED_ARGUMENTS) {
        this.#at += few < 10 ? 4 : 5;
        this.#expected = few;
        this.#found = 0;
        break;
      }
      const announced = this.#announcement(STAR);
      if (announced === NOT_YET) return this.#tooLong('too big mbulk count string');
      if (announced === WRONG || announced > MAX_ARGUMENTS) return this.#fail('invalid multibulk length');
      if (announced > MAX_UNTRUSTED_ARGUMENTS && !this.trusted) {
        return this.#fail('unauthenticated multibulk length');
      }
      if (announced > 0) {
        this.#expected = announced;
        this.#found = 0;
      }
    }
    return this.#nextArguments(limits);
  }

  /** The next commands are in `buffer`, from `at` to `end`: for `LookAhead`. */
  get buffer(): Buffer {
    return this.#buffer;
  }

  get at(): number {
    return this.#at;
  }

  get end(): number {
    return this.#end;
  }

  /** Makes `next` return the command just found once more, after `finish`. */
  putBack(): void {
    this.#at = this.#begin;
    this.#searched = 0;
    this.#expected = 0;
  }

  /** Ends the processing of a chunk: the caller may reuse its buffer. */
  finish(): void {
    if (this.#at >= this.#end && this.#expected === 0) {
      if (this.#kept !== EMPTY_BUFFER) this.#release();
      this.#buffer = EMPTY_BUFFER;
      this.#awaited = 0;
      this.#searched = 0;
    } else if (this.#buffer !== this.#kept) {
      this.#keep();
    } else if (this.#kept.length > FIRST_ALLOCATION && this.#unfinished < this.#kept.length >> 3) {
      // A long argument was executed: keep the rest in a smaller buffer.
      this.#keep();
    }
    if (this.args.length > MAX_KEPT_VIEWS && this.#expected === 0) this.args.length = MAX_KEPT_VIEWS;
  }

  #nextArguments(limits: ParserLimits): Parsed {
    const expected = this.#expected;
    const { args } = this;
    const buffer = this.#buffer;
    const end = this.#end;
    let found = this.#found;
    let at = this.#at;
    while (found < expected) {
      let length = shortAnnouncement(buffer, at, end, DOLLAR);
      let start = at + (length < 10 ? 4 : 5);
      if (length < 0) {
        this.#at = at;
        this.#found = found;
        length = this.#announcedLength(limits);
        if (length < 0) return -length as Parsed;
        start = this.#at;
      }
      if (start + length + 2 > end) {
        // Read the length again when the whole argument has arrived.
        this.#at = at;
        this.#found = found;
        this.#awaited = start + length + 2;
        return Parsed.incomplete;
      }
      let view = args[found];
      if (view === undefined) {
        view = new Bytes();
        args[found] = view;
      }
      view.buf = buffer;
      view.start = start;
      view.end = start + length;
      at = start + length + 2;
      found++;
    }
    this.#at = at;
    this.#found = found;
    this.#expected = 0;
    this.argc = expected;
    return Parsed.command;
  }

  /** The length of the argument that is announced at `#at`, and moves behind it; or a negative `Parsed`. */
  #announcedLength(limits: ParserLimits): number {
    const at = this.#at;
    if (at >= this.#end) return -Parsed.incomplete;
    const length = this.#announcement(DOLLAR);
    if (length === NOT_YET) return -this.#tooLong('too big bulk count string');
    if (length === OTHER_TYPE) {
      return -this.#fail(`expected '$', got '${String.fromCharCode(this.#buffer[at] as number)}'`);
    }
    if (length < 0 || length > limits.maxBulkLength) return -this.#fail('invalid bulk length');
    if (length > MAX_UNTRUSTED_LENGTH && !this.trusted) return -this.#fail('unauthenticated bulk length');
    return length;
  }

  /**
   * Reads a line such as `*3` or `$5` and moves to its end. Returns the number, NOT_YET if the line is not complete, WRONG
   * if it is not a number, or OTHER_TYPE if it begins with another character.
   */
  #announcement(type: number): number {
    const buffer = this.#buffer;
    const end = Math.min(this.#end, this.#at + MAX_PLAIN_ANNOUNCEMENT);
    let at = this.#at + 1;
    let value = 0;
    let byte = 0;
    while (at < end) {
      byte = buffer[at] as number;
      if (byte < 48 || byte > 57) break;
      value = value * 10 + byte - 48;
      at++;
    }
    const digits = at - this.#at - 1;
    const plain = byte === CR && digits > 0 && digits < 10 && (digits === 1 || buffer[this.#at + 1] !== ZERO);
    if (!plain || at + 1 >= end) return this.#unusualAnnouncement(type);
    if (buffer[this.#at] !== type) return OTHER_TYPE;
    this.#at = at + 2;
    return value;
  }

  /** An announcement that is incomplete, wrong, or written in an unusual way: signs, leading zeros, many digits. */
  #unusualAnnouncement(type: number): number {
    const lineEnd = this.#findLineEnd(CR);
    if (lineEnd < 0 || lineEnd + 1 >= this.#end) return NOT_YET;
    const buffer = this.#buffer;
    if (buffer[this.#at] !== type) return OTHER_TYPE;
    const value = parseInteger(buffer, this.#at + 1, lineEnd);
    if (Number.isNaN(value)) return WRONG;
    this.#at = lineEnd + 2;
    if (value >= 0) return value;
    // A negative number of arguments is an empty command; a negative length is invalid.
    return type === STAR ? 0 : WRONG;
  }

  #nextInline(): Parsed {
    const buffer = this.#buffer;
    const newline = this.#findLineEnd(LF);
    if (newline < 0) return this.#tooLong('too big inline request');
    let lineEnd = newline;
    if (lineEnd > this.#at && buffer[lineEnd - 1] === CR) lineEnd--;
    const words = splitWords(buffer.latin1Slice(this.#at, lineEnd));
    if (words === undefined) return this.#fail('unbalanced quotes in request');
    if (words.length > 0 && !this.takesLines) return this.#fail('a line instead of a command');
    this.#at = newline + 1;
    for (let i = 0; i < words.length; i++) {
      const word = Buffer.from(words[i] as string, 'latin1');
      const view = this.args[i];
      if (view === undefined) this.args[i] = new Bytes(word);
      else view.set(word, 0, word.length);
    }
    this.argc = words.length;
    return Parsed.command;
  }

  /**
   * The position of `mark`, which ends the line at `#at`; -1 if it has not arrived. As in Redis, which uses `strchr`, a
   * NUL hides everything after it: such a line never ends.
   */
  #findLineEnd(mark: number): number {
    const buffer = this.#buffer;
    const end = this.#end;
    let at = Math.max(this.#at, this.#searched);
    let byte = -1;
    while (at < end) {
      byte = buffer[at] as number;
      if (byte === mark || byte === 0) break;
      at++;
    }
    this.#searched = at;
    return at < end && byte === mark ? at : -1;
  }

  /** The line is not complete: wait for the rest, unless it is too long already. */
  #tooLong(error: string): Parsed {
    if (this.#end - this.#at > MAX_LINE) return this.#fail(error);
    return Parsed.incomplete;
  }

  #fail(error: string): Parsed {
    this.error = error;
    return Parsed.broken;
  }

  /** The start of the bytes that must be kept: those of the unfinished command, or of the next one. */
  get #keptFrom(): number {
    return this.#expected === 0 ? this.#at : this.#begin;
  }

  /** The number of bytes that must be kept. */
  get #unfinished(): number {
    return this.#end - this.#keptFrom;
  }

  /** Copies the unfinished command to its own buffer, with some space for the announced arguments. */
  #keep(): void {
    const max = Math.min(FIRST_ALLOCATION, this.#unfinished * MAX_ADVANCE);
    const awaited = Math.min(this.#awaited - this.#keptFrom, max);
    this.#moveTo(this.#pool.take(Math.max(this.#unfinished, awaited, MIN_KEPT)));
  }

  /** Reserves space for `length` more bytes after the kept ones. */
  #makeRoom(length: number): void {
    const needed = this.#unfinished + length;
    const { length: capacity } = this.#kept;
    if (needed <= capacity >> 1) {
      this.#moveTo(this.#kept);
      return;
    }
    const awaited = this.#awaited - this.#keptFrom;
    const doubled = Math.max(needed, capacity * 2, FIRST_ALLOCATION);
    const size = awaited >= needed ? Math.min(awaited, doubled) : Math.max(needed, capacity * 2);
    this.#moveTo(this.#pool.take(Math.min(size, Math.max(needed, MAX_BUFFER))));
  }

  /** Releases the kept buffer and clears the views of it, which would keep its memory alive. */
  #release(): void {
    this.#pool.giveBack(this.#kept);
    this.#kept = EMPTY_BUFFER;
    for (const view of this.args) view.set(EMPTY_BUFFER, 0, 0);
  }

  /** Moves the unfinished command to the front of `target`, which may be the buffer it is in. */
  #moveTo(target: Buffer): void {
    const begin = this.#keptFrom;
    this.#buffer.copy(target, 0, begin, this.#end);
    for (let i = 0; i < this.#found && this.#expected !== 0; i++) {
      const view = this.args[i] as Bytes;
      view.set(target, view.start - begin, view.end - begin);
    }
    this.#at -= begin;
    this.#end -= begin;
    this.#awaited = Math.max(0, this.#awaited - begin);
    this.#searched = Math.max(0, this.#searched - begin);
    this.#begin = 0;
    this.#buffer = target;
    if (this.#kept !== EMPTY_BUFFER && this.#kept !== target) this.#pool.giveBack(this.#kept);
    this.#kept = target;
  }
}

/** The source of buffers for parsers: `BufferPool`. */
export type BufferSource = Pick<BufferPool, 'take' | 'giveBack'>;

const sharedPool = new BufferPool();

/**
 * The number that a line such as `*3\r\n`, `$7\r\n` or `$20\r\n` at `at` announces, as most do: less than 100; -1 if something
 * else is there, or not all of it. One word is compared instead of single bytes.
 */
function shortAnnouncement(buffer: Buffer, at: number, end: number, type: number): number {
  const { wide } = buffer;
  if (wide === undefined || at + 5 > end) return -1;
  const word = wide.getInt32(at, true);
  const first = ((word >>> 8) & 0xff) - ZERO;
  if (first < 0 || first > 9) return -1;
  if ((word & ~0xff00) === (type | ONE_DIGIT)) return first;
  const second = ((word >>> 16) & 0xff) - ZERO;
  const isTwoDigits = (word & ~0xffff00) === (type | TWO_DIGITS) && buffer[at + 4] === LF;
  return isTwoDigits && first > 0 && second >= 0 && second <= 9 ? first * 10 + second : -1;
}

const NOT_YET = -1;
const WRONG = -2;
const OTHER_TYPE = -3;

const MAX_ARGUMENTS = 0x7fffffff;
const MAX_LINE = 64 * 1024;
const MAX_UNTRUSTED_ARGUMENTS = 10;
const MAX_UNTRUSTED_LENGTH = 16384;
/** The type, nine digits and the line end. Longer announcements take the slow path. */
const MAX_PLAIN_ANNOUNCEMENT = 12;
const MAX_KEPT_VIEWS = 1024;
const MIN_KEPT = 256;
/** The maximum allocated for an argument of which only the length has arrived: 1 MB and the line with the length. */
const FIRST_ALLOCATION = (1 << 20) + 64;
/** The maximum allocated, as a multiple of the bytes that have arrived. */
const MAX_ADVANCE = 64;

/** Redis stores longer arguments apart from the other input. */
/** A buffer with more unused space than this is trimmed. */
const MAX_UNUSED = 1 << 12;
const MAX_BUFFER = constants.MAX_LENGTH;

/** What follows the type of an announcement: a digit and the line's end, or two digits and its first byte. */
const ONE_DIGIT = (0x0a << 24) | (0x0d << 16);
const TWO_DIGITS = 0x0d << 24;

const STAR = 42;
const DOLLAR = 36;
const ZERO = 48;
const CR = 13;
const LF = 10;
