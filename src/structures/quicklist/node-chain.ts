import type { Arena } from '../arena/arena.js';
import { byteIndex, NO_BLOCK, type Ref, wordIndex } from '../arena/ref.js';
import { readUnsigned32, writeListpackHead } from '../listpack/listpack-format.js';

/**
 * The chain of nodes of a quicklist. A node is an arena block of six words, identified by its ref (0 for none):
 * its neighbours, the block with its elements, and the layout of that block.
 */
export class NodeChain {
  /** Elements in all nodes. */
  length = 0;
  nodeCount = 0;
  head = NO_BLOCK;
  tail = NO_BLOCK;
  readonly arena: Arena;
  /** Called before the elements of a node change or are removed, but not for new nodes. */
  guard: ((node: Ref) => void) | undefined;

  constructor(arena: Arena) {
    this.arena = arena;
  }

  next(node: Ref): Ref {
    return this.word(node, NEXT) as Ref;
  }

  previous(node: Ref): Ref {
    return this.word(node, PREVIOUS) as Ref;
  }

  /** The number of elements in the node. */
  count(node: Ref): number {
    return this.word(node, COUNT);
  }

  /** Whether the node's block is one large element rather than a listpack. */
  isPlain(node: Ref): boolean {
    return this.word(node, PLAIN_LENGTH) >= 0;
  }

  protected newNode(block: Ref, count: number, gap: number, plainLength: number): Ref {
    const node = this.arena.alloc(NODE_BYTES);
    this.setWord(node, BLOCK, block);
    this.setWord(node, COUNT, count);
    this.setWord(node, GAP, gap);
    this.setWord(node, PLAIN_LENGTH, plainLength);
    return node;
  }

  /** Links a new node before or after another one, which is 0 in an empty chain. The caller adjusts the length. */
  protected link(node: Ref, beside: Ref, after: boolean): void {
    const previous = beside === 0 ? NO_BLOCK : after ? beside : this.previous(beside);
    const next = beside === 0 ? NO_BLOCK : after ? this.next(beside) : beside;
    this.setWord(node, PREVIOUS, previous);
    this.setWord(node, NEXT, next);
    if (previous === 0) this.head = node;
    else this.setWord(previous, NEXT, node);
    if (next === 0) this.tail = node;
    else this.setWord(next, PREVIOUS, node);
    this.nodeCount++;
  }

  /** Removes a node from the chain and frees it with all its elements. */
  protected removeNode(node: Ref): void {
    if (this.guard !== undefined) this.guard(node);
    const previous = this.previous(node);
    const next = this.next(node);
    if (previous === 0) this.head = next;
    else this.setWord(previous, NEXT, next);
    if (next === 0) this.tail = previous;
    else this.setWord(next, PREVIOUS, previous);
    this.nodeCount--;
    this.length -= this.count(node);
    this.arena.free(this.block(node));
    this.arena.free(node);
  }

  /** The block with the node's elements. */
  protected block(node: Ref): Ref {
    return this.word(node, BLOCK) as Ref;
  }

  /** The offset of the node's listpack in its page. */
  protected packStart(node: Ref): number {
    return byteIndex(this.block(node)) + this.word(node, GAP);
  }

  protected page(node: Ref): Buffer {
    return this.arena.bytesOf(this.block(node));
  }

  /** Bytes of the node's listpack. */
  protected packBytes(node: Ref): number {
    return readUnsigned32(this.page(node), this.packStart(node));
  }

  /** Writes the header of the node's listpack, which then begins `gap` bytes into the block. */
  protected writeHead(node: Ref, gap: number, bytes: number, count: number): void {
    const buf = this.page(node);
    const start = byteIndex(this.block(node)) + gap;
    writeListpackHead(buf, start, bytes, count);
    this.length += count - this.count(node);
    this.setWord(node, GAP, gap);
    this.setWord(node, COUNT, count);
  }

  protected word(node: Ref, index: number): number {
    return this.arena.wordsOf(node)[wordIndex(node) + index] as number;
  }

  protected setWord(node: Ref, index: number, value: number): void {
    this.arena.wordsOf(node)[wordIndex(node) + index] = value;
  }
}

/** Words of a node. */
const PREVIOUS = 0;
const NEXT = 1;
export const BLOCK = 2;
export const COUNT = 3;
/** The offset of the node's listpack in its block. */
export const GAP = 4;
/** Bytes of the one element of a plain node; `PACKED` in others. */
export const PLAIN_LENGTH = 5;
export const PACKED = -1;
export const NODE_BYTES = 24;
