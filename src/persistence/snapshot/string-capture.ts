import { Bytes } from '../../bytes/bytes.js';
import type { Database } from '../../keyspace/database.js';
import type { Entry } from '../../keyspace/entry.js';
import type { EntryHead, EntryWriter } from '../../keyspace/entry-writer.js';
import { stringBytes } from '../../keyspace/values/string-value.js';
import type { ValueCapture } from './capture.js';

/**
 * Captures a long string in pieces. At first nothing is copied: the string's block has a page to itself, whose memory
 * stays unchanged when the string is freed or replaced. When a block is edited in place, the affected pieces are
 * copied before.
 */
export class StringCapture implements ValueCapture {
  readonly head: EntryHead;
  readonly large = undefined;
  readonly block: Buffer;
  /** Bytes copied so far. */
  kept = 0;
  readonly #start: number;
  /** Pieces that were edited before they were written, by their index. */
  readonly #aside = new Map<number, Buffer>();
  #piece = 0;

  constructor(head: EntryHead, db: Database, entry: Entry) {
    this.head = head;
    const { buf, start, end } = stringBytes(db, entry, view);
    if (db.arena.hasOwnPage(db.block(entry))) {
      this.block = buf;
      this.#start = start;
    } else {
      this.block = Buffer.from(buf.subarray(start, end));
      this.#start = 0;
    }
  }

  /** Bytes `from` to `to` of the block are about to be changed in place. */
  beforeEdit(from: number, to: number): void {
    const first = Math.max(this.#piece, Math.floor((from - this.#start) / PIECE_BYTES));
    const end = Math.min(Math.ceil((to - this.#start) / PIECE_BYTES), this.#count);
    for (let piece = first; piece < end; piece++) {
      if (this.#aside.has(piece)) continue;
      const copy = Buffer.from(this.block.subarray(this.#startOf(piece), this.#startOf(piece + 1)));
      this.#aside.set(piece, copy);
      this.kept += copy.length;
    }
  }

  step(writer: EntryWriter, until: number): boolean {
    while (this.#piece < this.#count) {
      const piece = this.#piece++;
      const copy = this.#aside.get(piece);
      if (copy === undefined) {
        writer.piece(view.set(this.block, this.#startOf(piece), this.#startOf(piece + 1)));
      } else {
        writer.piece(view.set(copy, 0, copy.length));
        this.#aside.delete(piece);
      }
      if (performance.now() > until) break;
    }
    return this.#piece >= this.#count;
  }

  close(): void {}

  get #count(): number {
    return Math.ceil(this.head.length / PIECE_BYTES);
  }

  /** The offset in the block where a piece begins and the previous one ends. */
  #startOf(piece: number): number {
    return this.#start + Math.min(piece * PIECE_BYTES, this.head.length);
  }
}

const view = new Bytes();
const PIECE_BYTES = 1 << 16;
