import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** What ends a scan before the end of the file. */
export interface ScanProblem {
  /** Undefined if the file only ends too early, between two arguments. */
  readonly text: string | undefined;
  /** Where the item that was read last begins. */
  readonly at: number;
}

/** An annotation `#TS:…`, and where it begins. */
export interface Timestamp {
  readonly seconds: number;
  readonly at: number;
}

/**
 * Reads the commands of an append-only file as redis-check-aof does: with its positions, numbers of lines and texts. Commands
 * are not executed or kept.
 */
export class AofScan {
  readonly size: number;
  /** Everything before this byte can be loaded: the end of the last command outside of a transaction. */
  soundUpTo: number;
  /** Redis counts the lines of commands, from 1. */
  line = 1;
  commands = 0;
  readonly #fd: number;
  readonly #name: string;
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #chunkAt = 0;
  #chunkLength = 0;
  #position: number;
  /** Where the current item begins. */
  #itemAt = 0;
  #problem: string | undefined;
  #openMultis = 0;

  /** Begins at the byte `from`, behind an RDB preamble. */
  constructor(path: string, name: string, from: number) {
    this.#fd = openSync(path, 'r');
    this.size = fstatSync(this.#fd).size;
    this.#name = name;
    this.#position = from;
    this.soundUpTo = from;
  }

  close(): void {
    closeSync(this.#fd);
  }

  get position(): number {
    return this.#position;
  }

  /**
   * Reads to the end. Returns what is wrong, or undefined. `onTimestamp` may end the scan by returning false, which counts as
   * sound.
   */
  run(onTimestamp: (timestamp: Timestamp) => boolean, onCommand: () => void): ScanProblem | undefined {
    while (this.#problem === undefined) {
      if (this.#openMultis === 0) this.soundUpTo = this.#position;
      const begin = this.#position;
      const first = this.#peek();
      if (first === undefined) break;
      if (first === HASH) {
        const text = this.#takeLine();
        const [, seconds] = /^#TS:(\d+)/.exec(text) ?? [];
        if (seconds !== undefined && !onTimestamp({ seconds: Number(seconds), at: begin })) return undefined;
      } else if (first === STAR) {
        if (!this.#command()) return { text: this.#problem, at: this.#itemAt };
        this.commands++;
        onCommand();
      } else return { text: FORMAT_ERROR, at: begin };
    }
    if (this.#openMultis > 0) return { text: 'Reached EOF before reading EXEC for MULTI', at: this.#itemAt };
    return undefined;
  }

  #command(): boolean {
    const count = this.#number('*');
    for (let index = 0; count !== undefined && index < count; index++) {
      const argument = this.#argument(index === 0);
      if (argument === undefined) return false;
      if (index > 0) continue;
      const name = argument.toLowerCase();
      if (name === 'multi' && this.#openMultis++ > 0)
        return this.#fail(`Unexpected MULTI in AOF ${this.#name}`);
      if (name === 'exec' && --this.#openMultis !== 0)
        return this.#fail(`Unexpected EXEC in AOF ${this.#name}`);
    }
    return count !== undefined;
  }

  /** The text of a name; other arguments are only skipped, and are empty here. */
  #argument(isName: boolean): string | undefined {
    const length = this.#number('$');
    if (length === undefined) return undefined;
    if (length < 0 || length >= MAX_LONG) {
      const shown = length >= MAX_LONG ? MAX_LONG_TEXT : String(length);
      this.#fail(`Expected to read string of ${shown} bytes, which is not in the suitable range`);
      return undefined;
    }
    this.#itemAt = this.#position;
    const present = Math.min(length + 2, this.size - this.#position);
    if (present < length + 2) {
      this.#position += present;
      this.#fail(`Expected to read ${length + 2} bytes, got ${present} bytes`);
      return undefined;
    }
    const text = isName && length <= LONGEST_NAME ? this.#bytes(length) : this.#skip(length);
    const end = this.#bytes(2);
    if (!this.#lineEnd(end)) return undefined;
    return text;
  }

  /** A line like `*3`; undefined if it is not one. */
  #number(prefix: string): number | undefined {
    this.#itemAt = this.#position;
    if (this.#peek() === undefined) return undefined;
    const line = this.#takeLine();
    if (line.charAt(0) !== prefix) {
      this.#fail(`Expected prefix '${prefix}', got: '${line.charAt(0)}'`);
      return undefined;
    }
    const [, digits = ''] = /^.\s*([-+]?\d*)/s.exec(line) ?? [];
    if (!this.#lineEnd(line.slice(1 + digits.length, 3 + digits.length))) return undefined;
    return Number(digits);
  }

  #lineEnd(text: string): boolean {
    if (text === '\r\n') {
      this.line++;
      return true;
    }
    const hex = (index: number): string => (text.charCodeAt(index) || 0).toString(16).padStart(2, '0');
    return this.#fail(`Expected \\r\\n, got: ${hex(0)}${hex(1)}`);
  }

  #fail(text: string): false {
    this.#problem = text;
    return false;
  }

  // ---- bytes ----

  #peek(): number | undefined {
    return this.#fill() ? this.#chunk[this.#position - this.#chunkAt] : undefined;
  }

  /** Up to and including the line break, at most 127 bytes, as Redis reads it. */
  #takeLine(): string {
    let line = '';
    while (line.length < LONGEST_LINE && this.#fill()) {
      const byte = this.#chunk[this.#position++ - this.#chunkAt] as number;
      line += String.fromCharCode(byte);
      if (byte === LF) break;
    }
    return line;
  }

  #bytes(length: number): string {
    let text = '';
    while (text.length < length && this.#fill()) {
      const start = this.#position - this.#chunkAt;
      const end = Math.min(this.#chunkLength, start + length - text.length);
      text += this.#chunk.latin1Slice(start, end);
      this.#position += end - start;
    }
    return text;
  }

  #skip(length: number): string {
    this.#position += length;
    return '';
  }

  /** Whether there is a byte at the position; then it is in the chunk. */
  #fill(): boolean {
    const inChunk = this.#position - this.#chunkAt;
    if (inChunk >= 0 && inChunk < this.#chunkLength) return true;
    if (this.#position >= this.size) return false;
    this.#chunkAt = this.#position;
    this.#chunkLength = readSync(this.#fd, this.#chunk, 0, this.#chunk.length, this.#position);
    return this.#chunkLength > 0;
  }
}

/** The line is neither a command nor an annotation. */
export const FORMAT_ERROR = 'format error';

const CHUNK_BYTES = 1 << 18;
const LONGEST_LINE = 127;
const LONGEST_NAME = 64;
const MAX_LONG = 2 ** 63;
const MAX_LONG_TEXT = '9223372036854775807';
const LF = 10;
const HASH = 35;
const STAR = 42;
