import type { Bytes } from '../../bytes/bytes.js';
import type { Arena } from '../arena/arena.js';
import { byteIndex, type Ref, wordIndex } from '../arena/ref.js';
import {
  LISTPACK_END,
  LISTPACK_HEADER,
  LONGEST_SHORT,
  NewListpackEntry,
  readUnsigned32,
  shortStringSize,
  writeListpackHead,
  writeShortString,
} from '../listpack/listpack-format.js';
import { BLOCK, COUNT, GAP, NodeChain, PACKED, PLAIN_LENGTH } from './node-chain.js';
import { clampFill, ENTRY_OVERHEAD, nodeAllows } from './quicklist-limits.js';

/** Limits on the size of nodes. Read at each insertion, because they may change while lists exist. */
export interface QuicklistLimits {
  /** Elements of at least this many bytes are not packed: each gets its own node. */
  readonly listPackedThreshold: number;
}

/**
 * A chain whose nodes are limited in size, and elements that are written at the ends of a node directly, where its block has
 * space: most pushes.
 */
export class NodeEnds extends NodeChain {
  /** `list-max-listpack-size` when the list was created: entries per node, or -1 … -5 for 4 … 64 KB. */
  readonly fill: number;
  readonly #limits: QuicklistLimits;

  constructor(arena: Arena, fill: number, limits: QuicklistLimits) {
    super(arena);
    this.fill = clampFill(fill);
    this.#limits = limits;
  }

  protected isLarge(length: number): boolean {
    return length >= this.#limits.listPackedThreshold;
  }

  /** Whether an element of `length` bytes may go into the node. */
  protected allowsInsert(node: Ref, length: number): boolean {
    if (node === 0 || this.isPlain(node) || this.isLarge(length)) return false;
    return nodeAllows(this.fill, this.packBytes(node) + length + ENTRY_OVERHEAD, this.count(node) + 1);
  }

  /**
   * The usual push: a short text that is not a number, to an end of a packed node whose block has space there. The result is that of
   * the general way, in half of the time (measured). False if the general way is needed.
   */
  protected pushShort(node: Ref, bytes: Bytes, atTail: boolean): boolean {
    const length = bytes.end - bytes.start;
    if (node === 0 || length === 0 || length > LONGEST_SHORT || this.isLarge(length)) return false;
    // It may be a number, which is stored as one.
    if ((bytes.buf[bytes.start] as number) <= DIGIT_9) return false;
    const { arena } = this;
    const words = arena.wordsOf(node);
    const at = wordIndex(node);
    if (words[at + PLAIN_LENGTH] !== PACKED) return false;
    const block = words[at + BLOCK] as Ref;
    const gap = words[at + GAP] as number;
    const count = (words[at + COUNT] as number) + 1;
    const page = arena.bytesOf(block);
    const start = byteIndex(block) + gap;
    const total = readUnsigned32(page, start);
    const size = shortStringSize(length);
    if (!nodeAllows(this.fill, total + length + ENTRY_OVERHEAD, count)) return false;
    if (atTail ? gap + total + size > arena.capacity(block) : gap < size) return false;
    if (this.guard !== undefined) this.guard(node);
    const end = start + total - 1;
    const head = atTail ? start : start - size;
    writeShortString(page, atTail ? end : head + LISTPACK_HEADER, bytes);
    if (atTail) page[end + size] = LISTPACK_END;
    else words[at + GAP] = gap - size;
    words[at + COUNT] = count;
    this.length++;
    writeListpackHead(page, head, total + size, count);
    return true;
  }

  /** Writes an element in front of the node's first one, if its block has space there. */
  protected prependIntoGap(node: Ref, bytes: Bytes): boolean {
    const words = this.arena.wordsOf(node);
    const at = wordIndex(node);
    const gap = words[at + GAP] as number;
    if (gap === 0) return false;
    const { size } = fresh.ofBytes(bytes);
    if (size > gap) return false;
    if (this.guard !== undefined) this.guard(node);
    const block = words[at + BLOCK] as Ref;
    const buf = this.arena.bytesOf(block);
    const start = byteIndex(block) + gap;
    const total = readUnsigned32(buf, start) + size;
    fresh.write(buf, start - size + LISTPACK_HEADER, bytes);
    const count = (words[at + COUNT] as number) + 1;
    words[at + GAP] = gap - size;
    words[at + COUNT] = count;
    this.length++;
    writeListpackHead(buf, start - size, total, count);
    return true;
  }

  /** Writes an element after the node's last one, if its block has space there. */
  protected appendIntoRoom(node: Ref, bytes: Bytes): boolean {
    const words = this.arena.wordsOf(node);
    const at = wordIndex(node);
    const block = words[at + BLOCK] as Ref;
    const gap = words[at + GAP] as number;
    const buf = this.arena.bytesOf(block);
    const start = byteIndex(block) + gap;
    const total = readUnsigned32(buf, start);
    const { size } = fresh.ofBytes(bytes);
    if (gap + total + size > this.arena.capacity(block)) return false;
    if (this.guard !== undefined) this.guard(node);
    const end = start + total - 1;
    fresh.write(buf, end, bytes);
    buf[end + size] = LISTPACK_END;
    const count = (words[at + COUNT] as number) + 1;
    words[at + COUNT] = count;
    this.length++;
    writeListpackHead(buf, start, total + size, count);
    return true;
  }
}

const DIGIT_9 = 57;
const fresh = new NewListpackEntry();
