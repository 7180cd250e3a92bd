import { Bytes } from '../../bytes/bytes.js';
import type { Arena } from '../../structures/arena/arena.js';
import type { Ref } from '../../structures/arena/ref.js';
import { Listpack } from '../../structures/listpack/listpack.js';
import { LARGEST_LISTPACK } from '../../structures/listpack/listpack-format.js';
import { IdTree } from '../../structures/stream/id-tree.js';
import { StreamBlock } from '../../structures/stream/stream-block.js';
import { StreamId } from '../../structures/stream/stream-id.js';
import { add, type Counter } from '../counter.js';
import type { Database } from '../database.js';
import type { Entry } from '../entry.js';
import type { Keyspace } from '../keyspace.js';
import { Encoding, Type } from '../kinds.js';
import type { EncodingLimits } from '../limits.js';
import type { LargeValue } from './large-value.js';
import { StreamCursor } from './stream-cursor.js';
import { ConsumerGroup } from './stream-group.js';

/**
 * A stream: entries of fields and values in the order of their ids, packed into blocks that are found by their ids, and
 * the groups that read it. A stream without entries is still a stream.
 *
 * To read entries, walk with a `StreamCursor`.
 */
export class StreamValue implements LargeValue {
  length = 0;
  /** The greatest id ever used; the id of the first entry (0-0 if there is none); the greatest deleted id. */
  readonly lastId = new StreamId();
  readonly firstId = new StreamId();
  readonly maxDeletedId = new StreamId();
  /** The number of entries that were ever added. */
  entriesAdded: Counter = 0;
  readonly groups = new Map<string, ConsumerGroup>();
  readonly arena: Arena;
  /** The blocks' refs by the blocks' ids. */
  readonly blocks: IdTree;
  /** Called before the bytes of a block change or are removed. */
  guard: ((block: Ref) => void) | undefined;
  /** While being released: what is left of it. */
  #releasing: IdTree[] | undefined;

  constructor(arena: Arena) {
    this.arena = arena;
    this.blocks = new IdTree(arena, 1);
  }

  static open(db: Database, entry: Entry): StreamValue {
    return db.object(entry) as StreamValue;
  }

  /** A new, empty stream at a key that does not exist. */
  static create(keyspace: Keyspace, db: Database, key: Bytes): StreamValue {
    const stream = new StreamValue(db.arena);
    keyspace.create(db, key, Type.stream, Encoding.stream, db.addObject(stream));
    return stream;
  }

  /** Copies everything, groups and pending entries too, to a key that does not exist. Returns the entry. */
  copyTo(keyspace: Keyspace, db: Database, key: Bytes): Entry {
    const copy = new StreamValue(db.arena);
    const { blocks } = this;
    for (let more = blocks.first(); more; more = blocks.next()) {
      pack.open(this.arena, blocks.word(0) as Ref);
      copy.loadBlock(blocks.readId(scratch), pack.whole(view));
    }
    copy.length = this.length;
    copy.entriesAdded = this.entriesAdded;
    copy.lastId.set(this.lastId);
    copy.firstId.set(this.firstId);
    copy.maxDeletedId.set(this.maxDeletedId);
    for (const group of this.groups.values()) copy.#copyGroup(group);
    return keyspace.create(db, key, Type.stream, Encoding.stream, db.addObject(copy));
  }

  #copyGroup(group: ConsumerGroup): void {
    const copy = this.createGroup(group.name, group.lastId, group.entriesRead);
    for (const { name, seenTime } of group.consumers.values()) copy.createConsumer(name, seenTime);
    const { pending } = group;
    for (let more = pending.first(); more; more = pending.next()) {
      const consumer = copy.consumers.get(group.owner.name);
      if (consumer === undefined) continue;
      copy.assign(pending.readId(scratch), consumer, group.deliveryTime, group.deliveryCount);
    }
  }

  // ---- entries ----

  /** Appends an entry with fields and values `args[from]`, `args[from + 1]` … Its id must be above `lastId`. */
  append(
    id: StreamId,
    args: readonly Bytes[],
    from: number,
    fieldCount: number,
    limits: EncodingLimits,
  ): void {
    const { arena, blocks } = this;
    if (!blocks.last() || this.#isFull(args, from, fieldCount, limits)) {
      block.create(arena, id, args, from, fieldCount);
      blocks.insert(id);
    } else {
      if (this.guard !== undefined) this.guard(block.ref);
      blocks.readId(block.master);
    }
    block.append(id, args, from, fieldCount);
    blocks.setWord(0, block.ref);
    this.length++;
    this.entriesAdded = add(this.entriesAdded, 1);
    this.lastId.set(id);
    if (this.length === 1) this.firstId.set(id);
  }

  /** Whether the last block, which is opened, has no room for the entry. Deleted entries count. */
  #isFull(args: readonly Bytes[], from: number, fieldCount: number, limits: EncodingLimits): boolean {
    block.open(this.arena, this.blocks.word(0) as Ref);
    const { streamNodeMaxBytes, streamNodeMaxEntries } = limits;
    const max = streamNodeMaxBytes === 0 ? LARGEST_LISTPACK : Math.min(streamNodeMaxBytes, LARGEST_LISTPACK);
    let bytes = block.byteLength;
    for (let i = from; i < from + 2 * fieldCount; i++) bytes += (args[i] as Bytes).length;
    if (bytes >= max) return true;
    return streamNodeMaxEntries > 0 && block.live + block.deleted >= streamNodeMaxEntries;
  }

  /** Adds a block as a file has it, behind all others. */
  loadBlock(id: StreamId, listpack: Bytes): void {
    this.blocks.insert(id);
    this.blocks.setWord(0, Listpack.load(this.arena, listpack));
  }

  has(id: StreamId): boolean {
    return cursor.open(this, id, id).next();
  }

  /** Deletes the entry; false if there is none. `firstId` and `maxDeletedId` are left to `noteDeleted`. */
  delete(id: StreamId): boolean {
    if (!cursor.open(this, id, id).next()) return false;
    const found = cursor.block;
    this.length--;
    if (found.live === 1) {
      this.#dropBlock(found);
    } else {
      if (this.guard !== undefined) this.guard(found.ref);
      found.delete();
      found.countDeleted(1);
      this.blocks.find(found.master);
      this.blocks.setWord(0, found.ref);
    }
    return true;
  }

  /** Entries were deleted, the greatest of them being `greatest`. */
  noteDeleted(greatest: StreamId, firstWasDeleted: boolean): void {
    if (greatest.compare(this.maxDeletedId) > 0) this.maxDeletedId.set(greatest);
    if (firstWasDeleted) this.findFirstId();
  }

  findFirstId(): void {
    if (this.length > 0 && cursor.open(this, MIN_ID, MAX_ID).next()) this.firstId.set(cursor.id);
    else this.firstId.setLeast();
  }

  /** The id of the last entry; 0-0 if there is none. */
  lastEntryId(id: StreamId): StreamId {
    if (this.length > 0 && cursor.openReverse(this, MIN_ID, MAX_ID).previous()) return id.set(cursor.id);
    return id.setLeast();
  }

  #dropBlock(dropped: StreamBlock): void {
    if (this.guard !== undefined) this.guard(dropped.ref);
    dropped.free();
    this.blocks.remove(dropped.master);
  }

  /**
   * Deletes entries from the beginning: those in excess of `max`, or all whose id is below `min`. If
   * `wholeBlocks`, deletes only whole blocks, with at most `limit` entries in total (0: no limit).
   * Returns how many it deleted.
   */
  trim(bound: TrimBound, wholeBlocks: boolean, limit: number): number {
    const { blocks } = this;
    let deleted = 0;
    while (blocks.first()) {
      if (bound.kind === 'length' && this.length <= bound.max) break;
      blocks.readId(block.master);
      block.open(this.arena, blocks.word(0) as Ref);
      const { live } = block;
      if (limit > 0 && deleted + live > limit) break;
      if (!this.#isAllBefore(bound, live)) {
        if (!wholeBlocks) deleted += this.#trimBlock(bound);
        break;
      }
      this.#dropBlock(block);
      this.length -= live;
      deleted += live;
    }
    if (deleted > 0 || this.length === 0) this.findFirstId();
    return deleted;
  }

  /** Whether trimming removes all of the opened block, which has `live` entries. */
  #isAllBefore(bound: TrimBound, live: number): boolean {
    if (bound.kind === 'length') return this.length - live >= bound.max;
    block.toEnd();
    block.previous();
    return block.id.compare(bound.min) < 0;
  }

  /** Deletes entries of the opened block, the first one. */
  #trimBlock(bound: TrimBound): number {
    if (this.guard !== undefined) this.guard(block.ref);
    block.open(this.arena, block.ref);
    let deleted = 0;
    while (block.next()) {
      if (bound.kind === 'length' ? this.length <= bound.max : block.id.compare(bound.min) >= 0) break;
      if (block.isDeleted) continue;
      block.delete();
      deleted++;
      this.length--;
    }
    block.countDeleted(deleted);
    this.blocks.setWord(0, block.ref);
    return deleted;
  }

  // ---- groups ----

  /** Creates a group, which must not exist yet. */
  createGroup(name: string, lastId: StreamId, entriesRead: Counter): ConsumerGroup {
    const group = new ConsumerGroup(name, this.arena, lastId, entriesRead);
    this.groups.set(name, group);
    return group;
  }

  removeGroup(group: ConsumerGroup): void {
    this.groups.delete(group.name);
    for (const tree of group.trees()) {
      for (let more = tree.dismantle(); more; ) more = tree.freeLeaf();
    }
  }

  // ---- as a large value ----

  /** Blocks differ in size: estimated from the first few. */
  memory(): number {
    const { blocks } = this;
    let sampled = 0;
    let bytes = 0;
    for (let more = blocks.first(); more && sampled < SAMPLES; more = blocks.next()) {
      bytes += this.arena.capacity(blocks.word(0) as Ref);
      sampled++;
    }
    let total = OBJECT_BYTES + blocks.bytes;
    if (sampled > 0) total += Math.round((bytes / sampled) * blocks.count);
    for (const group of this.groups.values()) total += group.memory();
    return total;
  }

  release(steps: number): number {
    this.#releasing ??= this.#dismantle();
    const trees = this.#releasing;
    let step = 0;
    while (step < steps) {
      const tree = trees.at(-1);
      if (tree === undefined) return step;
      if (tree === this.blocks) step += this.#freeBlocksOfLeaf();
      step++;
      if (!tree.freeLeaf()) trees.pop();
    }
    return steps;
  }

  #dismantle(): IdTree[] {
    const trees: IdTree[] = [];
    if (this.blocks.dismantle()) trees.push(this.blocks);
    for (const group of this.groups.values()) {
      for (const tree of group.trees()) if (tree.dismantle()) trees.push(tree);
    }
    return trees;
  }

  /** Frees the blocks that the records of the first leaf refer to; returns how many. */
  #freeBlocksOfLeaf(): number {
    const { blocks } = this;
    const count = blocks.leafSize;
    for (let i = 0; i < count; i++) {
      this.arena.free(blocks.word(0) as Ref);
      if (i + 1 < count) blocks.next();
    }
    return count;
  }
}

/** The limits of trimming: at most `max` entries, or no entry with an ID below `min`. */
export type TrimBound =
  | { readonly kind: 'length'; readonly max: number }
  | { readonly kind: 'id'; readonly min: StreamId };

/** Redis stores no entry longer than this. */
export const LONGEST_ENTRY = LARGEST_LISTPACK;

const SAMPLES = 5;
/** Approximate size of the objects around the blocks. */
const OBJECT_BYTES = 500;
const MIN_ID = new StreamId();
const MAX_ID = new StreamId().setGreatest();
const scratch = new StreamId();
const block = new StreamBlock();
const cursor = new StreamCursor();
const pack = new Listpack();
const view = new Bytes();
