import { copyBytes } from '../bytes/bytes.js';
import { wideBuffer } from '../bytes/wide-buffer.js';
import type { RequestSink } from '../resp/request-encoder.js';

/** A piece of the stream. */
interface Block {
  readonly bytes: Buffer;
  /** The stream's offset at its first byte. */
  readonly begin: number;
  used: number;
  next: Block | undefined;
}

/**
 * The end of the replication stream, once in memory for all its users: the backlog, which is its last `size` bytes, and every
 * connected replica, which has a place in it (`StreamReader`). Blocks are a linked list. What is before the backlog and
 * before every reader is dropped. The memory of the last dropped block is used again: with a backlog of constant size, writing allocates
 * nothing.
 */
export class SharedBuffer implements RequestSink {
  #first: Block;
  #last: Block;
  #size: number;
  #blockSize: number;
  /** The memory of a dropped block, for the next one. */
  #spare: Buffer | undefined;
  readonly #readers = new Set<StreamReader>();

  /** `offset` is the stream's offset of the first byte that will be appended. */
  constructor(offset: number, size: number) {
    this.#size = size;
    this.#blockSize = blockSizeFor(size);
    this.#first = this.#last = { bytes: EMPTY, begin: offset, used: 0, next: undefined };
  }

  /** The offset behind the last byte. */
  get end(): number {
    return this.#last.begin + this.#last.used;
  }

  /** The offset of the first byte of the backlog. */
  get start(): number {
    return this.#first.begin;
  }

  /** Bytes in memory: of the backlog, and of what slow readers have not read yet. */
  get held(): number {
    let start = this.start;
    for (const { position } of this.#readers) start = Math.min(start, position);
    return this.end - start;
  }

  /** How many bytes are kept only because readers are slow. */
  get heldForReaders(): number {
    const isNeeded = [...this.#readers].some(({ position }) => this.end - position > this.#size);
    return isNeeded ? Math.max(0, this.held - this.#size) : 0;
  }

  /** `repl-backlog-size` */
  resize(size: number): void {
    this.#size = size;
    this.#blockSize = blockSizeFor(size);
    this.#spare = undefined;
    this.#trim();
  }

  bytes(buffer: Buffer, start: number, end: number): void {
    for (let at = start; at < end; ) {
      let last = this.#last;
      if (last.used === last.bytes.length) last = this.#addBlock();
      const taken = Math.min(end - at, last.bytes.length - last.used);
      copyBytes(buffer, at, at + taken, last.bytes, last.used);
      last.used += taken;
      at += taken;
    }
  }

  /** A reader of the bytes from `offset` on; undefined if some of them are gone or do not exist yet. */
  reader(offset: number): StreamReader | undefined {
    if (offset < this.start || offset > this.end) return undefined;
    let block = this.#first;
    while (offset > block.begin + block.used && block.next !== undefined) block = block.next;
    const reader = new StreamReader(block, offset, {
      advanced: () => this.#trim(),
      closed: () => {
        this.#readers.delete(reader);
        this.#trim();
      },
    });
    this.#readers.add(reader);
    return reader;
  }

  #addBlock(): Block {
    // First, because it may free a block.
    this.#trim();
    const bytes = this.#spare ?? wideBuffer(this.#blockSize);
    this.#spare = undefined;
    const block: Block = { bytes, begin: this.end, used: 0, next: undefined };
    this.#last.next = block;
    this.#last = block;
    if (this.#first.bytes === EMPTY) this.#first = block;
    return block;
  }

  /** As in Redis, the backlog is longer than its size while a reader needs the bytes: they cost nothing more. */
  #trim(): void {
    let kept = this.end;
    for (const { position } of this.#readers) kept = Math.min(kept, position);
    for (;;) {
      const { bytes, used, begin, next } = this.#first;
      if (next === undefined || begin + used > kept || this.end - next.begin < this.#size) return;
      this.#first = next;
      if (bytes.length === this.#blockSize) this.#spare = bytes;
    }
  }
}

/** A replica's place in the stream. */
export class StreamReader {
  position: number;
  #block: Block;
  readonly #events: { advanced(): void; closed(): void };

  /** `advanced` is called when the reader has left a block. */
  constructor(block: Block, position: number, events: { advanced(): void; closed(): void }) {
    this.#block = block;
    this.position = position;
    this.#events = events;
  }

  /** The next bytes, at most `max` of them; undefined if the reader is at the end. Valid until something is appended. */
  next(max: number): Buffer | undefined {
    let block = this.#block;
    while (this.position === block.begin + block.used) {
      if (block.next === undefined) return undefined;
      block = block.next;
      this.#block = block;
      this.#events.advanced();
    }
    const start = this.position - block.begin;
    const end = Math.min(block.used, start + max);
    this.position += end - start;
    return block.bytes.subarray(start, end);
  }

  /** Releases the bytes before its position. */
  close(): void {
    this.#events.closed();
  }
}

const EMPTY = Buffer.alloc(0);
/** Large blocks make garbage collections short: a backlog of 1 GB in blocks of 16 KB, as in Redis, would be 65,000 objects. */
const MAX_BLOCK = 1 << 18;
const MIN_BLOCK = 1 << 10;

/** A block is the unit in which the backlog forgets: a small part of it. */
function blockSizeFor(size: number): number {
  return Math.max(MIN_BLOCK, Math.min(size >> 4, MAX_BLOCK));
}
