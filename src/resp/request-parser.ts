import { constants } from 'node:buffer';
import { Bytes, EMPTY_BUFFER } from '../bytes/bytes.js';
import { parseInteger } from '../bytes/numbers/integer.js';
import { splitWords } from '../bytes/quoting.js';
import { BufferPool } from './buffer-pool.js';

/** What `RequestParser.next` found. */
export const Parsed = {
  /** A whole command is in `args`, `argc` of them. */
  command: 0,
  /** Nothing more to do until more bytes come. */
  incomplete: 1,
  /** The input broke the protocol: `error` says how. Nothing after it can be understood. */
  broken: 2,
} as const;
export type Parsed = (typeof Parsed)[keyof typeof Parsed];

export interface ParserLimits {
  /** `proto-max-bulk-len` */
  longestBulk: number;
}

/**
 * Finds commands in one client's input: arrays of bulk strings, or inline lines. Nothing is copied while commands are
 * complete: the arguments are views of the chunk. Only the beginning of an unfinished command is kept until the rest
 * comes, in a buffer that grows as bytes come: what an argument announces about its length is only words.
 *
 * A chunk: `feed`, then `next` until it does not say `command`, then `finish`.
 */
export class RequestParser {
  /** Views of the last command's arguments; valid until `next` or `finish`. */
  args: Bytes[] = [];
  argc = 0;
  error = '';
  /** Until a client has authenticated it gets little room: few arguments, short ones. */
  trusted = true;

  #buffer: Buffer = EMPTY_BUFFER;
  #at = 0;
  #end = 0;
  /** Arguments the unfinished command announced, how many were found so far, and where in the buffer it begins. */
  #expected = 0;
  #found = 0;
  #begin = 0;
  /** Nothing new can be found before the buffer is filled to here. */
  #awaited = 0;
  /** The beginning of an unfinished command, when it had to be kept. */
  #kept: Buffer = EMPTY_BUFFER;

  /**
   * Bytes of input not done with: all of the chunk while it is worked off, then those kept for the unfinished command.
   * Of a long argument that is on its way, the announcement does not count.
   */
  get buffered(): number {
    if (this.#buffer === EMPTY_BUFFER) return 0;
    if (this.#buffer !== this.#kept) return this.#end;
    const isLongArgument = this.#awaited - this.#at > LONG_ARGUMENT && this.#end < this.#awaited;
    return this.#end - (isLongArgument ? this.#buffer.indexOf(LF, this.#at) + 1 : this.#at);
  }

  /** The size of the buffer in which the unfinished command is kept. */

  get bufferSize(): number {
    return this.#kept.length;
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
      const announced = this.#announcement(STAR);
      if (announced === NOT_YET) return this.#tooLong('too big mbulk count string');
      if (announced === WRONG || announced > MOST_ARGUMENTS) return this.#fail('invalid multibulk length');
      if (announced > MOST_UNTRUSTED_ARGUMENTS && !this.trusted) {
        return this.#fail('unauthenticated multibulk length');
      }
      if (announced > 0) {
        this.#expected = announced;
        this.#found = 0;
      }
    }
    return this.#nextArguments(limits);
  }

  /** The bytes in which the next commands are looked for, from `at` to `end`: for who wants to look ahead. */
  get buffer(): Buffer {
    return this.#buffer;
  }

  get at(): number {
    return this.#at;
  }

  get end(): number {
    return this.#end;
  }

  /** The command just found is to be found again, after `finish`. */
  putBack(): void {
    this.#at = this.#begin;
    this.#expected = 0;
  }

  /** The chunk is worked off; it belongs to the caller again. */
  finish(): void {
    if (this.#at >= this.#end && this.#expected === 0) {
      if (this.#kept !== EMPTY_BUFFER) this.#letGo();
      this.#buffer = EMPTY_BUFFER;
      this.#awaited = 0;
    } else if (this.#buffer !== this.#kept) {
      this.#keep();
    } else if (this.#kept.length > FIRST_ROOM && this.#unfinished < this.#kept.length >> 3) {
      // A long argument has come and gone.
      this.#keep();
    }
    if (this.args.length > MOST_KEPT_VIEWS && this.#expected === 0) this.args.length = MOST_KEPT_VIEWS;
  }

  #nextArguments(limits: ParserLimits): Parsed {
    const expected = this.#expected;
    const { args } = this;
    const buffer = this.#buffer;
    const end = this.#end;
    while (this.#found < expected) {
      const at = this.#at;
      if (at >= end) return Parsed.incomplete;
      const length = this.#announcement(DOLLAR);
      if (length === NOT_YET) return this.#tooLong('too big bulk count string');
      if (length === OTHER_TYPE) {
        return this.#fail(`expected '$', got '${String.fromCharCode(buffer[at] as number)}'`);
      }
      if (length < 0 || length > limits.longestBulk) return this.#fail('invalid bulk length');
      if (length > LONGEST_UNTRUSTED_ARGUMENT && !this.trusted)
        return this.#fail('unauthenticated bulk length');
      const start = this.#at;
      if (start + length + 2 > end) {
        // Look at the length again when all of it is there.
        this.#at = at;
        this.#awaited = start + length + 2;
        return Parsed.incomplete;
      }
      const found = this.#found;
      let view = args[found];
      if (view === undefined) {
        view = new Bytes();
        args[found] = view;
      }
      view.buf = buffer;
      view.start = start;
      view.end = start + length;
      this.#at = start + length + 2;
      this.#found = found + 1;
    }
    this.#expected = 0;
    this.argc = expected;
    return Parsed.command;
  }

  /**
   * Reads a line such as `*3` or `$5` and moves behind it. The number, or NOT_YET if the line is not complete, WRONG
   * if it is no number, OTHER_TYPE if it begins with another character.
   */
  #announcement(type: number): number {
    const buffer = this.#buffer;
    const end = this.#end;
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

  #unusualAnnouncement(type: number): number {
    const buffer = this.#buffer;
    const lineEnd = buffer.indexOf(CR, this.#at);
    // As Redis does it: behind a NUL no end of a line is found.
    if (lineEnd < 0 || lineEnd + 1 >= this.#end || this.#hasNul(lineEnd)) return NOT_YET;
    if (buffer[this.#at] !== type) return OTHER_TYPE;
    const value = parseInteger(buffer, this.#at + 1, lineEnd);
    if (Number.isNaN(value)) return WRONG;
    this.#at = lineEnd + 2;
    if (value >= 0) return value;
    // No arguments, or fewer: nothing to do. But a string of less than nothing is none.
    return type === STAR ? 0 : WRONG;
  }

  #nextInline(): Parsed {
    const buffer = this.#buffer;
    const newline = buffer.indexOf(LF, this.#at);
    // Behind a NUL the client waits in vain here too.
    if (newline < 0 || newline >= this.#end || this.#hasNul(newline)) {
      return this.#tooLong('too big inline request');
    }
    let lineEnd = newline;
    if (lineEnd > this.#at && buffer[lineEnd - 1] === CR) lineEnd--;
    const words = splitWords(buffer.latin1Slice(this.#at, lineEnd));
    if (words === undefined) return this.#fail('unbalanced quotes in request');
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

  /** Whether there is a NUL between here and `end`. */
  #hasNul(end: number): boolean {
    const nul = this.#buffer.indexOf(0, this.#at);
    return nul >= 0 && nul < end;
  }

  /** A line that has not ended yet: wait for the rest, unless it is too long already. */
  #tooLong(error: string): Parsed {
    if (this.#end - this.#at > LONGEST_LINE) return this.#fail(error);
    return Parsed.incomplete;
  }

  #fail(error: string): Parsed {
    this.error = error;
    return Parsed.broken;
  }

  /** Where the command begins that is not finished or not begun. */
  get #keptFrom(): number {
    return this.#expected === 0 ? this.#at : this.#begin;
  }

  /** Bytes from there on. */
  get #unfinished(): number {
    return this.#end - this.#keptFrom;
  }

  /** Copies the unfinished command to a buffer of its own, with room for as much as it awaits, within reason. */
  #keep(): void {
    const most = Math.min(FIRST_ROOM, this.#unfinished * ROOM_FOR_PROMISES);
    const awaited = Math.min(this.#awaited - this.#keptFrom, most);
    this.#moveTo(pool.take(Math.max(this.#unfinished, awaited, SMALLEST_KEPT)));
  }

  /** Makes room for `length` more bytes behind those kept. */
  #makeRoom(length: number): void {
    const needed = this.#unfinished + length;
    const { length: capacity } = this.#kept;
    if (needed <= capacity >> 1) {
      this.#moveTo(this.#kept);
      return;
    }
    const awaited = this.#awaited - this.#keptFrom;
    const doubled = Math.max(needed, capacity * 2, FIRST_ROOM);
    const size = awaited >= needed ? Math.min(awaited, doubled) : Math.max(needed, capacity * 2);
    this.#moveTo(pool.take(Math.min(size, Math.max(needed, LONGEST_BUFFER))));
  }

  /** Forgets the kept buffer, and all views of it: they would keep its memory as long as the connection. */
  #letGo(): void {
    pool.giveBack(this.#kept);
    this.#kept = EMPTY_BUFFER;
    for (const view of this.args) view.set(EMPTY_BUFFER, 0, 0);
  }

  /** Moves the unfinished command, from its beginning on, to the front of `target`. */
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
    this.#begin = 0;
    this.#buffer = target;
    if (this.#kept !== EMPTY_BUFFER && this.#kept !== target) pool.giveBack(this.#kept);
    this.#kept = target;
  }
}

const pool = new BufferPool();

const NOT_YET = -1;
const WRONG = -2;
const OTHER_TYPE = -3;

const MOST_ARGUMENTS = 0x7fffffff;
const LONGEST_LINE = 64 * 1024;
const MOST_UNTRUSTED_ARGUMENTS = 10;
const LONGEST_UNTRUSTED_ARGUMENT = 16384;
const MOST_KEPT_VIEWS = 1024;
const SMALLEST_KEPT = 256;
/** As much is allocated for an argument that has only announced its length: a megabyte, and the announcement. */
const FIRST_ROOM = (1 << 20) + 64;
/** But no more than so many times what has come of it: promises alone cost next to nothing. */
const ROOM_FOR_PROMISES = 64;

/** Redis keeps arguments longer than this apart from the other input. */
const LONG_ARGUMENT = 1 << 15;
const LONGEST_BUFFER = constants.MAX_LENGTH;

const STAR = 42;
const DOLLAR = 36;
const ZERO = 48;
const CR = 13;
const LF = 10;
