import { copyBytes } from '../bytes/bytes.js';
import type { RequestSink } from '../resp/request-encoder.js';

/** A piece of the stream. Bytes are only ever appended, so that parts of it can be sent without a copy. */
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
 * before every reader has no reference left, and the garbage collector frees it.
 */
export class SharedBuffer implements RequestSink {
  #first: Block;
  #last: Block;
  #size: number;
  readonly #readers = new Set<StreamReader>();

  /** `offset` is the stream's offset of the first byte that will be appended. */
  constructor(offset: number, size: number) {
    this.#size = size;
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
    this.#trim();
  }

  bytes(buffer: Buffer, start: number, end: number): void {
    for (let at = start; at < end; ) {
      let last = this.#last;
      if (last.used === last.bytes.length) last = this.#addBlock(end - at);
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

  #addBlock(wanted: number): Block {
    const last = this.#last;
    const size = Math.min(Math.max(wanted, MIN_BLOCK), Math.max(this.#size >> 4, 1024));
    const block: Block = {
      bytes: Buffer.allocUnsafeSlow(size),
      begin: this.end,
      used: 0,
      next: undefined,
    };
    last.next = block;
    this.#last = block;
    if (this.#first.bytes === EMPTY) this.#first = block;
    this.#trim();
    return block;
  }

  /** As in Redis, the backlog is longer than its size while a reader needs the bytes: they cost nothing more. */
  #trim(): void {
    let kept = this.end;
    for (const { position } of this.#readers) kept = Math.min(kept, position);
    for (;;) {
      const { used, begin, next } = this.#first;
      if (next === undefined || begin + used > kept || this.end - next.begin < this.#size) return;
      this.#first = next;
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

  /** The next bytes, at most `max` of them; undefined if the reader is at the end. They will not change. */
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
/** As in Redis: small commands share a block. */
const MIN_BLOCK = 1 << 14;
