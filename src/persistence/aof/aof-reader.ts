import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Bytes } from '../../bytes/bytes.js';
import { DamagedFile } from '../../rdb/rdb-loader.js';
import { endOfLine, MalformedRequest, RequestDecoder } from '../../resp/request-decoder.js';

/** The result of `AofReader.next`. */
export const Found = {
  /** A command was read into `args`; it has `argc` arguments. */
  command: 0,
  /** The file ends here. */
  end: 1,
  /** The file ends inside a command that begins at `position`. */
  cut: 2,
} as const;
export type Found = (typeof Found)[keyof typeof Found];

/** Reads the commands of an append-only file, and the annotations between them. Throws `DamagedFile`. */
export class AofReader {
  readonly size: number;
  readonly #decoder = new RequestDecoder();
  /** Where the last command begins, including the annotations before it. */
  begin = 0;
  /** Unix seconds of the last `#TS:` annotation; 0 if there was none yet. */
  timestamp = 0;
  readonly #fd: number;
  #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  /** The buffer's offset in the file. Bytes not taken yet are `#at` to `#end`. */
  #start: number;
  #at = 0;
  #end = 0;

  /** Starts at offset `from`. Throws the system's error if the file cannot be opened. */
  constructor(path: string, from = 0) {
    this.#fd = openSync(path, 'r');
    this.size = fstatSync(this.#fd).size;
    this.#start = from;
  }

  /** Views of the last command's arguments, `argc` of them; valid until `next`. */
  get args(): Bytes[] {
    return this.#decoder.args;
  }

  get argc(): number {
    return this.#decoder.argc;
  }

  /** The end of the last command: the file is valid up to here. */
  get position(): number {
    return this.#start + this.#at;
  }

  next(): Found {
    this.begin = this.position;
    for (;;) {
      const from = this.#at;
      const parsed = this.#parse();
      if (parsed === COMMAND) return Found.command;
      if (parsed === ANNOTATION) continue;
      this.#at = from;
      if (!this.#readMore()) return this.#at === this.#end ? Found.end : Found.cut;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  #parse(): number {
    if (this.#at >= this.#end) return INCOMPLETE;
    try {
      if (this.#buffer[this.#at] === HASH) return this.#annotation();
      if (!this.#decoder.decode(this.#buffer, this.#at, this.#end)) return INCOMPLETE;
    } catch (error) {
      if (!(error instanceof MalformedRequest)) throw error;
      throw new DamagedFile(this.#start + error.at, error.message);
    }
    this.#at = this.#decoder.end;
    return COMMAND;
  }

  #annotation(): number {
    const newline = endOfLine(this.#buffer, this.#at, this.#end);
    if (newline < 0) return INCOMPLETE;
    const [, time] = /^#TS:(\d+)/.exec(this.#buffer.latin1Slice(this.#at, newline)) ?? [];
    if (time !== undefined) this.timestamp = Number(time);
    this.#at = newline + 1;
    return ANNOTATION;
  }

  /** Returns false at the end of the file. Bytes already taken are dropped; a long command gets a larger buffer. */
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

const INCOMPLETE = 0;
const COMMAND = 1;
const ANNOTATION = 2;

const HASH = 35;
const CHUNK_BYTES = 1 << 18;
