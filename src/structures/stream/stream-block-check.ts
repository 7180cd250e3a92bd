import type { Bytes } from '../../bytes/bytes.js';
import { LISTPACK_END, LISTPACK_HEADER, ListpackEntry } from '../listpack/listpack-format.js';

const DELETED = 1;
const SAME_FIELDS = 2;
const HEAD_PIECES = 3;

/**
 * Whether a valid listpack is a block of a stream: all counts are present and correct, so that reading
 * it cannot fail. For bytes from files and clients.
 */
export function isValidStreamBlock(listpack: Bytes): boolean {
  return new Check(listpack).passes();
}

class Check {
  readonly #buf: Buffer;
  #at: number;
  readonly #entry = new ListpackEntry();

  constructor({ buf, start }: Bytes) {
    this.#buf = buf;
    this.#at = start + LISTPACK_HEADER;
  }

  passes(): boolean {
    const live = this.#integer();
    const deleted = this.#integer();
    const fieldCount = this.#integer();
    if (!(live >= 0 && deleted >= 0 && fieldCount >= 0)) return false;
    if (!this.#skip(fieldCount) || this.#integer() !== 0) return false;
    let foundDeleted = 0;
    let found = 0;
    while (!this.#isAtEnd) {
      const flags = this.#passEntry(fieldCount);
      if (flags < 0) return false;
      if ((flags & DELETED) !== 0) foundDeleted++;
      else found++;
    }
    return found === live && foundDeleted === deleted;
  }

  /** Returns the entry's flags; -1 if it is damaged. */
  #passEntry(masterFieldCount: number): number {
    const flags = this.#integer();
    if (!(flags >= 0 && flags <= (DELETED | SAME_FIELDS)) || !this.#skipInteger() || !this.#skipInteger()) {
      return -1;
    }
    let pieces = masterFieldCount;
    let expected = HEAD_PIECES + pieces;
    if ((flags & SAME_FIELDS) === 0) {
      pieces = this.#integer() * 2;
      if (!(pieces >= 0)) return -1;
      expected = HEAD_PIECES + 1 + pieces;
    }
    return this.#skip(pieces) && this.#integer() === expected ? flags : -1;
  }

  get #isAtEnd(): boolean {
    return this.#buf[this.#at] === LISTPACK_END;
  }

  /** NaN if there is none. */
  #integer(): number {
    if (this.#isAtEnd) return Number.NaN;
    this.#at = this.#entry.read(this.#buf, this.#at);
    return this.#entry.isInteger && !this.#entry.isWide ? this.#entry.integer : Number.NaN;
  }

  #skipInteger(): boolean {
    return this.#skip(1) && this.#entry.isInteger;
  }

  #skip(pieces: number): boolean {
    for (let i = 0; i < pieces; i++) {
      if (this.#isAtEnd) return false;
      this.#at = this.#entry.read(this.#buf, this.#at);
    }
    return true;
  }
}
