import { type Arena, offsetOf, pageOf } from '../arena/arena.js';
import { readUnsigned32, writeListpackHead } from '../listpack/listpack-format.js';

/**
 * The chain of nodes that a quicklist is made of. A node is an arena block of six words, named by its ref, 0 for none:
 * its neighbours, the block with its elements, and what is to be known of that block.
 */
export class NodeChain {
  /** Elements in all nodes. */
  length = 0;
  nodeCount = 0;
  head = 0;
  tail = 0;
  readonly arena: Arena;
  /** Is told of a node whose elements are about to change or to go. New nodes do not matter to it. */
  guard: ((node: number) => void) | undefined;

  constructor(arena: Arena) {
    this.arena = arena;
  }

  next(node: number): number {
    return this.word(node, NEXT);
  }

  previous(node: number): number {
    return this.word(node, PREVIOUS);
  }

  /** How many elements the node holds. */
  count(node: number): number {
    return this.word(node, COUNT);
  }

  /** Whether the node's block is one large element rather than a listpack. */
  isPlain(node: number): boolean {
    return this.word(node, PLAIN_LENGTH) >= 0;
  }

  protected newNode(block: number, count: number, gap: number, plainLength: number): number {
    const node = this.arena.alloc(NODE_BYTES);
    this.setWord(node, BLOCK, block);
    this.setWord(node, COUNT, count);
    this.setWord(node, GAP, gap);
    this.setWord(node, PLAIN_LENGTH, plainLength);
    return node;
  }

  /** Links a new node before or after another one, which is 0 in an empty chain. The length is the caller's to adjust. */
  protected link(node: number, beside: number, after: boolean): void {
    const previous = beside === 0 ? 0 : after ? beside : this.previous(beside);
    const next = beside === 0 ? 0 : after ? this.next(beside) : beside;
    this.setWord(node, PREVIOUS, previous);
    this.setWord(node, NEXT, next);
    if (previous === 0) this.head = node;
    else this.setWord(previous, NEXT, node);
    if (next === 0) this.tail = node;
    else this.setWord(next, PREVIOUS, node);
    this.nodeCount++;
  }

  /** Takes a node out of the chain and frees it with all its elements. */
  protected removeNode(node: number): void {
    if (this.guard !== undefined) this.guard(node);
    const previous = this.previous(node);
    const next = this.next(node);
    if (previous === 0) this.head = next;
    else this.setWord(previous, NEXT, next);
    if (next === 0) this.tail = previous;
    else this.setWord(next, PREVIOUS, previous);
    this.nodeCount--;
    this.length -= this.count(node);
    this.arena.free(this.word(node, BLOCK));
    this.arena.free(node);
  }

  /** Where in its page the node's listpack begins. */
  protected packStart(node: number): number {
    return offsetOf(this.word(node, BLOCK)) + this.word(node, GAP);
  }

  protected page(node: number): Buffer {
    return this.arena.bytes[pageOf(this.word(node, BLOCK))] as Buffer;
  }

  /** Bytes of the node's listpack. */
  protected packBytes(node: number): number {
    return readUnsigned32(this.page(node), this.packStart(node));
  }

  /** Writes the header of the node's listpack, which begins `gap` bytes into the block from now on. */
  protected writeHead(node: number, gap: number, bytes: number, count: number): void {
    const buf = this.page(node);
    const start = offsetOf(this.word(node, BLOCK)) + gap;
    writeListpackHead(buf, start, bytes, count);
    this.length += count - this.count(node);
    this.setWord(node, GAP, gap);
    this.setWord(node, COUNT, count);
  }

  protected word(node: number, index: number): number {
    return (this.arena.words[node >>> 17] as Int32Array)[((node & 0x1ffff) << 1) + index] as number;
  }

  protected setWord(node: number, index: number, value: number): void {
    (this.arena.words[node >>> 17] as Int32Array)[((node & 0x1ffff) << 1) + index] = value;
  }
}

/** Words of a node. */
const PREVIOUS = 0;
const NEXT = 1;
export const BLOCK = 2;
export const COUNT = 3;
/** How far into its block the node's listpack begins. */
export const GAP = 4;
/** Bytes of the one element of a plain node; `PACKED` in others. */
export const PLAIN_LENGTH = 5;
export const PACKED = -1;
export const NODE_BYTES = 24;
