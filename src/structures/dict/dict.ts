import { type Bytes, copyBytes, sameBytes } from '../../bytes/bytes.js';
import { hashBytes } from '../../bytes/hash.js';
import type { RandomSource } from '../../bytes/random.js';
import type { Arena } from '../arena/arena.js';

/** The two secret words that key a dictionary's hash function. */
export interface HashKey {
  readonly key0: number;
  readonly key1: number;
}

/**
 * A hash table from byte strings to small records, all in an arena.
 *
 * A node is one block: `next` and `hash` words, the owner's own words, the key's length, the key's bytes, and behind
 * them whatever tail the owner asked for. Everything a look-up needs lies in one or two cache lines. A node's ref does
 * not change while it is in the table, so it serves as the entry's id.
 *
 * The table grows and shrinks by linear hashing: each insertion splits at most two buckets, each removal merges a few at
 * most, so no operation ever rehashes the whole. Cursors of `scan` stay valid across both.
 */
export class Dict {
  count = 0;
  readonly arena: Arena;
  /** Words before the key's bytes: 2 of ours, the owner's, and the key's length as the last. */
  readonly headerWords: number;
  readonly #key0: number;
  readonly #key1: number;

  /** Bucket heads in segments; the first starts small and doubles until it is full size. */
  readonly #segments: Int32Array[];
  /** Buckets in use: `#low + #split`, where #low is the power of two below. */
  #buckets = FIRST_BUCKETS;
  #low = FIRST_BUCKETS;
  #split = 0;
  /** While positive, nothing is merged: a walker relies on entries moving only to higher buckets. */
  #pinned = 0;
  /** The state of the mark bit that counts as marked; new nodes get it. */
  #marked = 0;
  /** Bytes whose hash is known. */
  #knownBuffer: Buffer | undefined;
  #knownStart = -1;
  #knownEnd = -1;
  #knownHash = 0;
  /** Is told of a node that is about to be removed or given another tail (and, by owners, of other changes). */
  guard: ((ref: number) => void) | undefined;

  constructor(arena: Arena, hashKey: HashKey, ownWords: number) {
    this.arena = arena;
    this.#key0 = hashKey.key0;
    this.#key1 = hashKey.key1;
    this.headerWords = 3 + ownWords;
    this.#segments = [new Int32Array(FIRST_BUCKETS)];
  }

  get bucketCount(): number {
    return this.#buckets;
  }

  /** Bytes of the bucket table itself. */
  get tableBytes(): number {
    return this.#segments.length === 1
      ? (this.#segments[0] as Int32Array).byteLength
      : this.#segments.length * SEGMENT_BUCKETS * 4;
  }

  hash(key: Bytes): number {
    const { buf, start, end } = key;
    if (start === this.#knownStart && end === this.#knownEnd && buf === this.#knownBuffer) {
      return this.#knownHash;
    }
    return hashBytes(buf, start, end, this.#key0, this.#key1);
  }

  /** Whoever has hashed these bytes already says so here; they must stay as they are until `forgetHash`. */
  knowHash(key: Bytes, hash: number): void {
    this.#knownBuffer = key.buf;
    this.#knownStart = key.start;
    this.#knownEnd = key.end;
    this.#knownHash = hash;
  }

  forgetHash(): void {
    this.#knownBuffer = undefined;
    this.#knownStart = -1;
  }

  /** The node of this key, or 0. */
  find(key: Bytes): number {
    return this.findHashed(key, this.hash(key));
  }

  findHashed(key: Bytes, hash: number): number {
    const { words, bytes } = this.arena;
    const headerWords = this.headerWords;
    const start = key.start;
    const length = key.end - start;
    const bucket = this.#bucketOf(hash);
    let ref = (this.#segments[bucket >>> SEGMENT_SHIFT] as Int32Array)[bucket & SEGMENT_MASK] as number;
    while (ref !== 0) {
      const page = ref >>> 17;
      const pageWords = words[page] as Int32Array;
      const at = (ref & 0x1ffff) << 1;
      if (
        pageWords[at + 1] === hash &&
        ((pageWords[at + headerWords - 1] as number) & KEY_LENGTH_MASK) === length &&
        sameBytes(bytes[page] as Buffer, (at + headerWords) << 2, key.buf, start, length)
      ) {
        return ref;
      }
      ref = pageWords[at] as number;
    }
    return 0;
  }

  /**
   * Loads what look-ups of so many hashes will read, each step for all of them before the next, so that the waits for
   * memory overlap. `nodes` gets the node that each will probably find, or 0. The result means nothing; it is there for
   * the loads to have a purpose. The table must not be empty.
   */
  touch(hashes: Int32Array, nodes: Int32Array, count: number): number {
    const { words } = this.arena;
    for (let i = 0; i < count; i++) {
      const bucket = this.#bucketOf(hashes[i] as number);
      nodes[i] = (this.#segments[bucket >>> SEGMENT_SHIFT] as Int32Array)[bucket & SEGMENT_MASK] as number;
    }
    let touched = 0;
    for (let step = 0; step < TOUCHED_CHAIN; step++) {
      for (let i = 0; i < count; i++) {
        const ref = nodes[i] as number;
        const pageWords = words[ref >>> 17] as Int32Array;
        const at = (ref & 0x1ffff) << 1;
        // No branch may depend on what is loaded: a wrong guess would wait for it, and all that follows with it. (Of no
        // node, the first block of the arena is loaded, which nobody has.)
        const difference = (pageWords[at + 1] as number) ^ (hashes[i] as number);
        const isOther = (difference | -difference) >> 31;
        nodes[i] = ref ^ ((ref ^ (pageWords[at] as number)) & isOther);
        // Header and key may lie in two cache lines.
        touched ^= pageWords[(at + NEAR_WORDS) & PAGE_WORDS_MASK] as number;
      }
    }
    return touched;
  }

  /** Adds a node for a key that is not in the table, with `tailBytes` of room behind the key; the owner's words are 0. */
  insert(key: Bytes, hash: number, tailBytes = 0): number {
    const length = key.end - key.start;
    const headerWords = this.headerWords;
    const ref = this.arena.alloc((headerWords << 2) + length + tailBytes);
    const page = ref >>> 17;
    const pageWords = this.arena.words[page] as Int32Array;
    const at = (ref & 0x1ffff) << 1;
    const bucket = this.#bucketOf(hash);
    const segment = this.#segments[bucket >>> SEGMENT_SHIFT] as Int32Array;
    pageWords[at] = segment[bucket & SEGMENT_MASK] as number;
    pageWords[at + 1] = hash;
    for (let word = 2; word < headerWords - 1; word++) pageWords[at + word] = 0;
    pageWords[at + headerWords - 1] = length | this.#marked;
    copyBytes(key.buf, key.start, key.end, this.arena.bytes[page] as Buffer, (at + headerWords) << 2);
    segment[bucket & SEGMENT_MASK] = ref;
    this.count++;
    if (this.count << 1 > this.#buckets) this.#grow();
    return ref;
  }

  /** Takes the node out of the table and frees it. */
  remove(ref: number): void {
    this.unlink(ref);
    this.arena.free(ref);
  }

  /** Takes the node out of the table; its memory stays the caller's. */
  unlink(ref: number): void {
    if (this.guard !== undefined) this.guard(ref);
    this.#replaceLink(ref, this.#next(ref));
    this.count--;
    if (this.count < this.#buckets >> 3) this.#shrink();
  }

  /**
   * Gives the node room for a tail of another size: the same ref if it fits, else a moved node with the same header,
   * key and as much of the old tail as fits. The caller updates whatever else names the node.
   */
  resizeTail(ref: number, tailBytes: number): number {
    if (this.guard !== undefined) this.guard(ref);
    const head = (this.headerWords << 2) + this.keyLength(ref);
    const { arena } = this;
    const capacity = arena.capacity(ref);
    const size = head + tailBytes;
    if (size <= capacity && (size << 1 >= capacity || capacity <= 64)) return ref;
    const moved = arena.alloc(size);
    const from = (ref & 0x1ffff) << 3;
    const kept = size < capacity ? size : capacity;
    copyBytes(
      arena.bytes[ref >>> 17] as Buffer,
      from,
      from + kept,
      arena.bytes[moved >>> 17] as Buffer,
      (moved & 0x1ffff) << 3,
    );
    this.#replaceLink(ref, moved);
    arena.free(ref);
    return moved;
  }

  /** Points `view` at the node's key and returns it. */
  key(ref: number, view: Bytes): Bytes {
    const start = ((ref & 0x1ffff) << 3) + (this.headerWords << 2);
    return view.set(this.arena.bytes[ref >>> 17] as Buffer, start, start + this.keyLength(ref));
  }

  keyLength(ref: number): number {
    const at = ((ref & 0x1ffff) << 1) + this.headerWords - 1;
    return ((this.arena.words[ref >>> 17] as Int32Array)[at] as number) & KEY_LENGTH_MASK;
  }

  /** Where the tail begins, as a byte offset in the node's page. */
  tailOffset(ref: number): number {
    return ((ref & 0x1ffff) << 3) + (this.headerWords << 2) + this.keyLength(ref);
  }

  /** One of the owner's words, counted from 0. */
  word(ref: number, index: number): number {
    return (this.arena.words[ref >>> 17] as Int32Array)[((ref & 0x1ffff) << 1) + 2 + index] as number;
  }

  setWord(ref: number, index: number, value: number): void {
    (this.arena.words[ref >>> 17] as Int32Array)[((ref & 0x1ffff) << 1) + 2 + index] = value;
  }

  /** First node of a bucket, or 0; then `following` until 0. */
  first(bucket: number): number {
    return (this.#segments[bucket >>> SEGMENT_SHIFT] as Int32Array)[bucket & SEGMENT_MASK] as number;
  }

  following(ref: number): number {
    return this.#next(ref);
  }

  /** Every node, in bucket order. The visitor may remove the node it is given, and nothing else. */
  forEach(visit: (ref: number) => void): void {
    this.#pinned++;
    try {
      for (let bucket = 0; bucket < this.#buckets; bucket++) {
        for (let ref = this.first(bucket); ref !== 0; ) {
          const next = this.#next(ref);
          visit(ref);
          ref = next;
        }
      }
    } finally {
      this.#pinned--;
    }
  }

  /** Until `unpin`, entries never move to a lower bucket: a walk in bucket order over several turns misses none. */
  pin(): void {
    this.#pinned++;
  }

  unpin(): void {
    this.#pinned--;
  }

  // ---- marks ----

  /**
   * Takes the mark off every node, at once: from now on the other state of the bit counts. Nodes added later come
   * marked. To be called again only when all have been marked, one by one, since.
   */
  unmarkAll(): void {
    this.#marked ^= MARK_BIT;
  }

  isMarked(ref: number): boolean {
    const at = ((ref & 0x1ffff) << 1) + this.headerWords - 1;
    const word = (this.arena.words[ref >>> 17] as Int32Array)[at] as number;
    return (word & MARK_BIT) === this.#marked;
  }

  mark(ref: number): void {
    const words = this.arena.words[ref >>> 17] as Int32Array;
    const at = ((ref & 0x1ffff) << 1) + this.headerWords - 1;
    words[at] = ((words[at] as number) & ~MARK_BIT) | this.#marked;
  }

  /**
   * Visits the bucket a cursor points at and returns the next cursor, 0 at the end. Counts upwards in bit-reversed
   * order, so that a bucket's two halves after a split, or the union of two after a merge, are still ahead or still
   * behind as a whole: what was in the table all the time is visited at least once. The visitor may remove the node it
   * is given, and nothing else.
   */
  scan(cursor: number, visit: (ref: number) => void): number {
    const bucket = this.#bucketOf(cursor);
    this.#pinned++;
    try {
      for (let ref = this.first(bucket); ref !== 0; ) {
        const next = this.#next(ref);
        visit(ref);
        ref = next;
      }
    } finally {
      this.#pinned--;
    }
    const mask = bucket < this.#split || bucket >= this.#low ? (this.#low << 1) - 1 : this.#low - 1;
    return reverseBits(reverseBits(cursor | ~mask) + 1) >>> 0;
  }

  /**
   * A node chosen at random, all with the same probability: a bucket and a place in its chain are drawn together, and
   * again until there is a node. (Nodes of the very rare longer chains are a little less likely.) The table must not be
   * empty.
   */
  random(random: RandomSource): number {
    for (;;) {
      const drawn = random.integer(this.#buckets * CHAIN_PLACES);
      const head = this.first((drawn / CHAIN_PLACES) | 0);
      let node = head;
      for (let place = drawn % CHAIN_PLACES; place > 0 && node !== 0; place--) node = this.#next(node);
      if (node === 0) {
        // Removals while the table was pinned have left it too large: looking for an entry may take long.
        if (this.count < this.#buckets >> 3) this.#shrink();
        continue;
      }
      const length = this.#chainLength(head);
      if (length <= CHAIN_PLACES) return node;
      node = head;
      for (let skip = random.integer(length); skip > 0; skip--) node = this.#next(node);
      return node;
    }
  }

  #chainLength(head: number): number {
    let length = 0;
    for (let node = head; node !== 0; node = this.#next(node)) length++;
    return length;
  }

  /** Gives an empty table the buckets for so many nodes at once, so that filling it has none to divide. */
  reserve(count: number): void {
    const buckets = count * 2;
    if (this.count > 0 || this.#pinned > 0 || buckets <= this.#buckets) return;
    let low = FIRST_BUCKETS;
    while (low << 1 <= buckets) low <<= 1;
    let first = FIRST_BUCKETS;
    while (first < buckets && first < SEGMENT_BUCKETS) first *= 2;
    this.#segments.length = 0;
    this.#segments.push(new Int32Array(first));
    for (let rest = buckets - first; rest > 0; rest -= SEGMENT_BUCKETS) {
      this.#segments.push(new Int32Array(SEGMENT_BUCKETS));
    }
    this.#low = low;
    this.#split = buckets - low;
    this.#buckets = buckets;
  }

  /** Frees every node. The table is empty and small afterwards. */
  clear(): void {
    this.forEach((ref) => {
      this.arena.free(ref);
    });
    this.#segments.length = 1;
    this.#segments[0] = new Int32Array(FIRST_BUCKETS);
    this.#buckets = FIRST_BUCKETS;
    this.#low = FIRST_BUCKETS;
    this.#split = 0;
    this.count = 0;
  }

  #next(ref: number): number {
    return (this.arena.words[ref >>> 17] as Int32Array)[(ref & 0x1ffff) << 1] as number;
  }

  #bucketOf(hash: number): number {
    const low = this.#low;
    const bucket = hash & ((low << 1) - 1);
    return bucket < this.#buckets ? bucket : bucket & (low - 1);
  }

  #replaceLink(ref: number, replacement: number): void {
    const { words } = this.arena;
    const hash = (words[ref >>> 17] as Int32Array)[((ref & 0x1ffff) << 1) + 1] as number;
    const bucket = this.#bucketOf(hash);
    const segment = this.#segments[bucket >>> SEGMENT_SHIFT] as Int32Array;
    let at = segment[bucket & SEGMENT_MASK] as number;
    if (at === ref) {
      segment[bucket & SEGMENT_MASK] = replacement;
      return;
    }
    for (;;) {
      const pageWords = words[at >>> 17] as Int32Array;
      const place = (at & 0x1ffff) << 1;
      const next = pageWords[place] as number;
      if (next === ref) {
        pageWords[place] = replacement;
        return;
      }
      at = next;
    }
  }

  /** Two buckets an entry: chains then seldom have a second node, each of which is a cache miss. */
  #grow(): void {
    this.#splitBucket();
    this.#splitBucket();
  }

  /** Bucket `#split` is divided between itself and the new last bucket. */
  #splitBucket(): void {
    const from = this.#split;
    const to = this.#buckets;
    this.#addBucket(to);
    const low = this.#low;
    const { words } = this.arena;
    const fromSegment = this.#segments[from >>> SEGMENT_SHIFT] as Int32Array;
    const toSegment = this.#segments[to >>> SEGMENT_SHIFT] as Int32Array;
    let stay = 0;
    let go = 0;
    for (let ref = fromSegment[from & SEGMENT_MASK] as number; ref !== 0; ) {
      const pageWords = words[ref >>> 17] as Int32Array;
      const at = (ref & 0x1ffff) << 1;
      const next = pageWords[at] as number;
      if ((pageWords[at + 1] as number) & low) {
        pageWords[at] = go;
        go = ref;
      } else {
        pageWords[at] = stay;
        stay = ref;
      }
      ref = next;
    }
    fromSegment[from & SEGMENT_MASK] = stay;
    toSegment[to & SEGMENT_MASK] = go;
    this.#buckets = to + 1;
    this.#split = from + 1;
    if (this.#split === low) {
      this.#low = low << 1;
      this.#split = 0;
    }
  }

  /**
   * Merges as many buckets as it takes to keep pace with removals: at an eighth full eight for each, and one more to
   * catch up after a time when nothing was merged.
   */
  #shrink(): void {
    if (this.#pinned > 0) return;
    for (let merged = 0; merged < 9; merged++) {
      if (this.count >= this.#buckets >> 3 || this.#buckets === FIRST_BUCKETS) return;
      this.#mergeBucket();
    }
  }

  /** The last bucket goes back to the one it was split from. */
  #mergeBucket(): void {
    if (this.#split === 0) {
      this.#low >>= 1;
      this.#split = this.#low;
    }
    const into = --this.#split;
    const last = --this.#buckets;
    const lastSegment = this.#segments[last >>> SEGMENT_SHIFT] as Int32Array;
    const intoSegment = this.#segments[into >>> SEGMENT_SHIFT] as Int32Array;
    let ref = lastSegment[last & SEGMENT_MASK] as number;
    lastSegment[last & SEGMENT_MASK] = 0;
    while (ref !== 0) {
      const pageWords = this.arena.words[ref >>> 17] as Int32Array;
      const at = (ref & 0x1ffff) << 1;
      const next = pageWords[at] as number;
      pageWords[at] = intoSegment[into & SEGMENT_MASK] as number;
      intoSegment[into & SEGMENT_MASK] = ref;
      ref = next;
    }
    // One empty segment is kept, so that a table at the edge does not allocate and drop it in turn.
    const needed = (last >>> SEGMENT_SHIFT) + 2;
    if (this.#segments.length > needed) this.#segments.length = needed;
  }

  #addBucket(bucket: number): void {
    const at = bucket >>> SEGMENT_SHIFT;
    if (at > 0) {
      if (at === this.#segments.length) this.#segments.push(new Int32Array(SEGMENT_BUCKETS));
      return;
    }
    const first = this.#segments[0] as Int32Array;
    if (bucket < first.length) return;
    const larger = new Int32Array(first.length < SMALL_TABLE ? first.length * 4 : first.length * 2);
    larger.set(first);
    this.#segments[0] = larger;
  }
}

/** The key's length takes 30 bits of its word; the mark is one of the other two. */
export const KEY_LENGTH_MASK = 0x3fffffff;
const MARK_BIT = 1 << 30;

const FIRST_BUCKETS = 4;
/** A first segment below this grows by four times at once: little room is lost, and it is seldom copied. */
const SMALL_TABLE = 4096;
/** About where a short key ends: in the next cache line, if not in the node's first. */
const NEAR_WORDS = 9;
const PAGE_WORDS_MASK = (1 << 18) - 1;
/** So many nodes of a chain are loaded ahead. */
const TOUCHED_CHAIN = 3;
/** Chains are seldom longer than this: one bucket in six thousand, with two buckets to a node. */
const CHAIN_PLACES = 4;
/** Large enough that the segments' own objects, one for each look-up to pass through, stay in the caches. */
const SEGMENT_SHIFT = 14;
const SEGMENT_BUCKETS = 1 << SEGMENT_SHIFT;
const SEGMENT_MASK = SEGMENT_BUCKETS - 1;

function reverseBits(value: number): number {
  let v = value;
  v = ((v >>> 1) & 0x55555555) | ((v & 0x55555555) << 1);
  v = ((v >>> 2) & 0x33333333) | ((v & 0x33333333) << 2);
  v = ((v >>> 4) & 0x0f0f0f0f) | ((v & 0x0f0f0f0f) << 4);
  v = ((v >>> 8) & 0x00ff00ff) | ((v & 0x00ff00ff) << 8);
  return (v >>> 16) | (v << 16);
}
