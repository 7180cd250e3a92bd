import { Bytes } from '../../bytes/bytes.js';
import type { EntryHead, EntryWriter, StreamPartsWriter } from '../../keyspace/entry-writer.js';
import type { StreamValue } from '../../keyspace/values/stream-value.js';
import type { Ref } from '../../structures/arena/ref.js';
import { Listpack } from '../../structures/listpack/listpack.js';
import type { Quicklist } from '../../structures/quicklist/quicklist.js';
import { StreamId } from '../../structures/stream/stream-id.js';
import type { ValueCapture } from './capture.js';

/**
 * Captures a list node by node, in order. The nodes are remembered at once; the contents of a node are copied when it
 * is about to change.
 */
export class ListCapture implements ValueCapture {
  readonly head: EntryHead;
  readonly large: Quicklist;
  readonly #nodes: Int32Array;
  /** Contents of nodes that changed before they were written. */
  readonly #aside = new Map<Ref, SavedNode>();
  /** Unchanged nodes still to be written. */
  readonly #unchanged = new Set<Ref>();
  #at = 0;

  constructor(head: EntryHead, list: Quicklist) {
    this.head = head;
    this.large = list;
    this.#nodes = new Int32Array(list.nodeCount);
    let count = 0;
    for (let node = list.head; node !== 0; node = list.next(node)) {
      this.#nodes[count++] = node;
      this.#unchanged.add(node);
    }
    list.guard = (node) => {
      if (!this.#unchanged.delete(node)) return;
      this.#aside.set(node, { bytes: list.bytes(node, view).copy(), plain: list.isPlain(node) });
    };
  }

  step(writer: EntryWriter, until: number): boolean {
    while (this.#at < this.#nodes.length) {
      const node = this.#nodes[this.#at++] as Ref;
      if (this.#unchanged.delete(node)) {
        writer.node(this.large.bytes(node, view), this.large.isPlain(node));
      } else {
        const { bytes, plain } = this.#aside.get(node) as SavedNode;
        this.#aside.delete(node);
        writer.node(bytes, plain);
      }
      if (performance.now() > until) break;
    }
    return this.#at === this.#nodes.length;
  }

  close(): void {
    this.large.guard = undefined;
  }
}

interface SavedNode {
  readonly bytes: Bytes;
  readonly plain: boolean;
}

/** Captures a stream block by block, in the order of ids. Everything but the blocks is encoded at once. */
export class StreamCapture implements ValueCapture {
  readonly head: EntryHead;
  readonly large: StreamValue;
  readonly #blocks: Int32Array;
  readonly #ids: Buffer;
  readonly #tail: Buffer;
  /** Contents of blocks that changed before they were written. */
  readonly #aside = new Map<Ref, Bytes>();
  /** Unchanged blocks still to be written. */
  readonly #unchanged = new Set<Ref>();
  #at = 0;

  constructor(head: EntryHead, stream: StreamValue, writer: StreamPartsWriter) {
    this.head = head;
    this.large = stream;
    const { blocks, arena } = stream;
    this.#blocks = new Int32Array(blocks.count);
    this.#ids = Buffer.allocUnsafeSlow(blocks.count * ID_BYTES);
    let count = 0;
    for (let more = blocks.first(); more; more = blocks.next()) {
      const block = blocks.word(0) as Ref;
      blocks.readId(id).encode(this.#ids, count * ID_BYTES);
      this.#blocks[count++] = block;
      this.#unchanged.add(block);
    }
    this.#tail = writer.encodeTail(stream);
    stream.guard = (block) => {
      if (this.#unchanged.delete(block)) this.#aside.set(block, pack.open(arena, block).whole(view).copy());
    };
  }

  step(writer: EntryWriter, until: number): boolean {
    while (this.#at < this.#blocks.length) {
      const at = this.#at++;
      const block = this.#blocks[at] as Ref;
      const bytes = this.#unchanged.delete(block)
        ? pack.open(this.large.arena, block).whole(view)
        : (this.#aside.get(block) as Bytes);
      this.#aside.delete(block);
      writer.streams?.block(idView.set(this.#ids, at * ID_BYTES, (at + 1) * ID_BYTES), bytes);
      if (performance.now() > until) return false;
    }
    writer.streams?.tail(this.#tail);
    return true;
  }

  close(): void {
    this.large.guard = undefined;
  }
}

const ID_BYTES = 16;
const view = new Bytes();
const idView = new Bytes();
const id = new StreamId();
const pack = new Listpack();
