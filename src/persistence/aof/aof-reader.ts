import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Bytes } from '../../bytes/bytes.js';
import { parseInteger } from '../../bytes/numbers/integer.js';
import { DamagedFile } from '../../rdb/rdb-loader.js';

/** What `AofReader.next` found. */
export const Found = {
  /** A command is in `args`, `argc` of them. */
  command: 0,
  /** The file ends here. */
  end: 1,
  /** The file ends within a command that begins at `position`. */
  cut: 2,
} as const;
export type Found = (typeof Found)[keyof typeof Found];

/** Reads the commands of an append-only file, and the annotations between them. Throws `DamagedFile`. */
export class AofReader {
  readonly size: number;
  /** Views of the last command's arguments; valid until `next`. */
  readonly args: Bytes[] = [];
  argc = 0;
  /** Where the last command found begins, annotations before it included. */
  begin = 0;
  /** Unix seconds of the last `#TS:` annotation; 0 if there was none yet. */
  timestamp = 0;
  readonly #fd: number;
  #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  /** The file's offset of the buffer, and what is in it: not taken yet is `#at` to `#end`. */
  #start: number;
  #at = 0;
  #end = 0;

  /** Begins at this offset. Throws the system's error if the file cannot be opened. */
  constructor(path: string, from = 0) {
    this.#fd = openSync(path, 'r');
    this.size = fstatSync(this.#fd).size;
    this.#start = from;
  }

  /** Behind the last command found: everything before is sound. */
  get position(): number {
    return this.#start + this.#at;
  }

  next(): Found {
    this.begin = this.position;
    for (;;) {
      const from = this.#at;
      const end = this.#parse();
      if (end === COMMAND) return Found.command;
      if (end === ANNOTATION) continue;
      this.#at = from;
      if (!this.#readMore()) return this.#at === this.#end ? Found.end : Found.cut;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  #parse(): number {
    if (this.#at >= this.#end) return INCOMPLETE;
    const type = this.#buffer[this.#at] as number;
    if (type === HASH) return this.#annotation();
    const words = this.#number(STAR, '*');
    if (words === INCOMPLETE) return INCOMPLETE;
    if (words < 1) throw this.#damage('a command has no words');
    for (let i = 0; i < words; i++) {
      const length = this.#number(DOLLAR, '$');
      if (length === INCOMPLETE) return INCOMPLETE;
      if (length < 0) throw this.#damage('a word has a negative length');
      const start = this.#at;
      const end = start + length;
      if (end + 2 > this.#end) return INCOMPLETE;
      if (this.#buffer[end] !== CR || this.#buffer[end + 1] !== LF) {
        throw this.#damage(`expected the end of a line, got ${this.#shown(end)}`, end);
      }
      this.#at = end + 2;
      const view = this.args[i];
      if (view === undefined) this.args[i] = new Bytes(this.#buffer, start, end);
      else view.set(this.#buffer, start, end);
    }
    this.argc = words;
    return COMMAND;
  }

  #annotation(): number {
    const newline = this.#newline();
    if (newline < 0) return INCOMPLETE;
    const [, time] = /^#TS:(\d+)/.exec(this.#buffer.latin1Slice(this.#at, newline)) ?? [];
    if (time !== undefined) this.timestamp = Number(time);
    this.#at = newline + 1;
    return ANNOTATION;
  }

  /** The number of a line such as `*3`, which it then is behind. */
  #number(type: number, shown: string): number {
    if (this.#at >= this.#end) return INCOMPLETE;
    if (this.#buffer[this.#at] !== type) {
      throw this.#damage(`expected '${shown}', got ${this.#shown(this.#at)}`);
    }
    const newline = this.#newline();
    if (newline < 0) return INCOMPLETE;
    const value = parseInteger(this.#buffer, this.#at + 1, newline - 1);
    if (this.#buffer[newline - 1] !== CR || Number.isNaN(value)) {
      throw this.#damage(`expected a number and the end of a line behind '${shown}'`);
    }
    this.#at = newline + 1;
    return value < 0 ? NEGATIVE : value;
  }

  /** The end of the line; -1 if it is not in the buffer yet. */
  #newline(): number {
    const found = this.#buffer.subarray(0, this.#end).indexOf(LF, this.#at);
    if (found < 0 && this.#end - this.#at > LONGEST_LINE) throw this.#damage('a line does not end');
    if (found - this.#at > LONGEST_LINE) throw this.#damage('a line is too long');
    return found;
  }

  #shown(at: number): string {
    const byte = this.#buffer[at] as number;
    return byte > 32 && byte < 127 ? `'${String.fromCharCode(byte)}'` : `byte ${byte}`;
  }

  #damage(reason: string, at = this.#at): DamagedFile {
    return new DamagedFile(this.#start + at, reason);
  }

  /** False at the end of the file. What has been taken makes room; a long command gets a longer buffer. */
  #readMore(): boolean {
    const left = this.#end - this.#at;
    const target =
      left > this.#buffer.length >> 1 ? Buffer.allocUnsafeSlow(this.#buffer.length * 2) : this.#buffer;
    this.#buffer.copy(target, 0, this.#at, this.#end);
    this.#start += this.#at;
    this.#at = 0;
    this.#end = left;
    this.#buffer = target;
    const count = readSync(this.#fd, target, left, target.length - left, this.#start + left);
    this.#end += count;
    return count > 0;
  }
}

const INCOMPLETE = -1;
const NEGATIVE = -2;
const COMMAND = -3;
const ANNOTATION = -4;

const STAR = 42;
const DOLLAR = 36;
const HASH = 35;
const CR = 13;
const LF = 10;
/** No line but an annotation is longer than a few digits. */
const LONGEST_LINE = 1024;
const CHUNK_BYTES = 1 << 18;
