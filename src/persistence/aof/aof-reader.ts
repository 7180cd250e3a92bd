import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Bytes } from '../../bytes/bytes.js';
import { DamagedFile } from '../../rdb/rdb-loader.js';
import { endOfLine, MalformedRequest, RequestDecoder } from '../../resp/request-decoder.js';

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
  readonly #decoder = new RequestDecoder();
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

  /** Views of the last command's arguments, `argc` of them; valid until `next`. */
  get args(): Bytes[] {
    return this.#decoder.args;
  }

  get argc(): number {
    return this.#decoder.argc;
  }

  /** The end of the last command found: everything before is sound. */
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

const INCOMPLETE = 0;
const COMMAND = 1;
const ANNOTATION = 2;

const HASH = 35;
const CHUNK_BYTES = 1 << 18;
