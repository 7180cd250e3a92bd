import type { Ref } from '../../structures/arena/ref.js';
import type { Element } from '../../structures/element.js';
import { StreamBlock } from '../../structures/stream/stream-block.js';
import { StreamId } from '../../structures/stream/stream-id.js';
import type { StreamValue } from './stream-value.js';

/**
 * Walks the entries of a stream between two ids, both included, forwards or backwards. Made once and used for one walk
 * after another; the stream must not change meanwhile.
 *
 *     for (cursor.open(stream, first, last); cursor.next(); ) {
 *       for (let i = 0; i < cursor.fieldCount; i++) use(cursor.readField(field), cursor.readValue(value));
 *     }
 */
export class StreamCursor {
  /** The block the entry is in. */
  readonly block = new StreamBlock();
  /** The entry's id. */
  readonly id: StreamId = this.block.id;
  #stream!: StreamValue;
  readonly #from = new StreamId();
  readonly #to = new StreamId();
  #begun = false;
  #isOver = false;

  open(stream: StreamValue, from: StreamId, to: StreamId): this {
    this.#begin(stream, from, to);
    const { blocks } = stream;
    this.#isOver = !blocks.floor(this.#from) && !blocks.first();
    return this;
  }

  openReverse(stream: StreamValue, from: StreamId, to: StreamId): this {
    this.#begin(stream, from, to);
    this.#isOver = !stream.blocks.floor(this.#to);
    return this;
  }

  #begin(stream: StreamValue, from: StreamId, to: StreamId): void {
    this.#stream = stream;
    this.#from.set(from);
    this.#to.set(to);
    this.#begun = false;
  }

  /** Moves to the next entry; false if there is none within the range. */
  next(): boolean {
    const { block } = this;
    if (this.#isOver) return false;
    if (!this.#begun) this.#enterBlock();
    for (;;) {
      while (block.next()) {
        if (block.isDeleted || this.id.compare(this.#from) < 0) continue;
        if (this.id.compare(this.#to) <= 0) return true;
        this.#isOver = true;
        return false;
      }
      if (!this.#goOn(true)) return false;
    }
  }

  /** Moves to the previous entry. Only after `openReverse`. */
  previous(): boolean {
    const { block } = this;
    if (this.#isOver) return false;
    if (!this.#begun) this.#enterBlock().toEnd();
    for (;;) {
      while (block.previous()) {
        if (block.isDeleted || this.id.compare(this.#to) > 0) continue;
        if (this.id.compare(this.#from) >= 0) return true;
        this.#isOver = true;
        return false;
      }
      if (!this.#goOn(false)) return false;
      block.toEnd();
    }
  }

  get fieldCount(): number {
    return this.block.fieldCount;
  }

  readField(field: Element): Element {
    return this.block.readField(field);
  }

  readValue(value: Element): Element {
    return this.block.readValue(value);
  }

  /** Moves to the neighbouring block. The tree's place may have changed meanwhile, so the block is searched for again. */
  #goOn(forwards: boolean): boolean {
    const { blocks } = this.#stream;
    blocks.floor(this.block.master);
    this.#isOver = !(forwards ? blocks.next() : blocks.previous());
    if (this.#isOver) return false;
    this.#enterBlock();
    return true;
  }

  #enterBlock(): StreamBlock {
    const { arena, blocks } = this.#stream;
    this.#begun = true;
    blocks.readId(this.block.master);
    return this.block.open(arena, blocks.word(0) as Ref);
  }
}
