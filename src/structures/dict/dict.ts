import { type Bytes, copyBytes, sameBytes } from '../../bytes/bytes.js';
import type { RandomSource } from '../../bytes/random.js';
import type { Arena } from '../arena/arena.js';
import { type Address, byteIndex, pageOf, type Ref, wordIndex } from '../arena/ref.js';
import { BucketTable } from './bucket-table.js';
import type { KeyedHash } from './keyed-hash.js';

/**
 * A hash table from byte strings to small records, all in an arena.
 *
 * A node is one block: `next` and `hash` words, the owner's words, the key's length, the key's bytes, and after them the
 * tail, if the owner asked for one. A lookup reads only one or two cache lines of it. A node's address does not
 * change while it is in the table, so it serves as the node's id. `Node` is the owner's type for these addresses.
 *
 * Each insertion splits at most two buckets (see `BucketTable`), each removal from a sparse table merges a few. Cursors of `scan`
 * stay valid across both.
 */
export class Dict<Node extends Address = Ref> {
  count = 0;
  readonly arena: Arena;
  /** Words before the key's bytes: `next` and `hash`, the owner's words, and the key's length as the last. */
  readonly headerWords: number;
  readonly #keyedHash: KeyedHash;
  readonly #table = new BucketTable();
  /** While positive, no buckets are merged: walkers rely on nodes moving only to higher buckets. */
  #pinned = 0;
  /** Whether buckets are being merged, a few with each removal. */
  isShrinking = false;
  /** The value of the mark bit that means "marked". New nodes are marked. */
  #marked = 0;
  /** The node that `findRecent` found last, or 0 if it has been removed. */
  #recent: Node = 0 as Node;
  /** The length of its key, and the four bytes up to its end where it was looked up. */
  #recentLength = NO_LENGTH;
  #recentTail = 0;
  /** Called before a node is removed or its tail resized (and by owners before other changes). */
  guard: ((node: Node) => void) | undefined;

  constructor(arena: Arena, keyedHash: KeyedHash, ownWords: number) {
    this.arena = arena;
    this.#keyedHash = keyedHash;
    this.headerWords = OWN_WORDS_AT + ownWords + 1;
  }

  get bucketCount(): number {
    return this.#table.count;
  }

  /** Bytes of the bucket table itself. */
  get tableBytes(): number {
    return this.#table.bytes;
  }

  // ---- looking up ----

  hash(key: Bytes): number {
    return this.#keyedHash.of(key);
  }

  /** The node of this key, or 0. */
  find(key: Bytes): Node {
    return this.findHashed(key, this.hash(key));
  }

  /**
   * The same, for keys that are often looked up several times in succession, as in a pipeline of commands on one list: comparing
   * the key with the last one found takes less time than hashing it.
   */
  findRecent(key: Bytes): Node {
    const { buf, start, end } = key;
    const { wide } = buf;
    const length = end - start;
    const tail = wide !== undefined && end >= 4 ? wide.getInt32(end - 4, true) : 0;
    // Different keys usually differ in their last bytes. (Of a shorter key, these include bytes in front of it.)
    if (tail === this.#recentTail && length === this.#recentLength && this.#hasKey(this.#recent, key)) {
      return this.#recent;
    }
    const node = this.findHashed(key, this.hash(key));
    if (node !== 0) {
      this.#recent = node;
      this.#recentLength = length;
      this.#recentTail = tail;
    }
    return node;
  }

  #hasKey(node: Node, { buf, start, end }: Bytes): boolean {
    const page = pageOf(node);
    const from = (wordIndex(node) + this.headerWords) << 2;
    return sameBytes(this.arena.bytes[page] as Buffer, from, buf, start, end - start);
  }

  #forgetRecent(): void {
    this.#recent = 0 as Node;
    this.#recentLength = NO_LENGTH;
  }

  findHashed(key: Bytes, hash: number): Node {
    const { words, bytes } = this.arena;
    const headerWords = this.headerWords;
    const start = key.start;
    const length = key.end - start;
    const table = this.#table;
    let node = table.first(table.bucketOf(hash)) as Node;
    while (node !== 0) {
      const page = pageOf(node);
      const pageWords = words[page] as Int32Array;
      const at = wordIndex(node);
      if (
        pageWords[at + HASH_AT] === hash &&
        ((pageWords[at + headerWords - 1] as number) & KEY_LENGTH_MASK) === length &&
        sameBytes(bytes[page] as Buffer, (at + headerWords) << 2, key.buf, start, length)
      ) {
        return node;
      }
      node = pageWords[at] as Node;
    }
    return node;
  }

  /**
   * Loads the memory that lookups of the first `count` hashes will read: each step for all hashes before the next step, so that
   * the waits for memory overlap. `nodes` receives the node that each lookup will probably find, or 0. The table must not be
   * empty. The result has no meaning; it only prevents the compiler from removing the loads.
   */
  touch(hashes: Int32Array, nodes: Int32Array, count: number): number {
    const { words } = this.arena;
    const table = this.#table;
    for (let i = 0; i < count; i++) nodes[i] = table.first(table.bucketOf(hashes[i] as number));
    let touched = 0;
    for (let step = 0; step < TOUCHED_CHAIN; step++) {
      for (let i = 0; i < count; i++) {
        const node = nodes[i] as Node;
        const pageWords = words[pageOf(node)] as Int32Array;
        const at = wordIndex(node);
        // No branch may depend on a loaded value: a wrong prediction would wait for the load and delay all later loads.
        // (For node 0 this loads the first block of the arena, which is never allocated.)
        const difference = (pageWords[at + HASH_AT] as number) ^ (hashes[i] as number);
        const isOther = (difference | -difference) >> 31;
        nodes[i] = node ^ ((node ^ (pageWords[at] as number)) & isOther);
        // Header and key may be in two cache lines.
        touched ^= pageWords[(at + NEAR_WORDS) & PAGE_WORDS_MASK] as number;
      }
    }
    return touched;
  }

  /** The same for the first node of each bucket from `from` up to `to`; `nodes` receives them. The table must not be empty. */
  touchBuckets(from: number, to: number, nodes: Int32Array): number {
    const { words } = this.arena;
    let touched = 0;
    for (let bucket = from; bucket < to; bucket++) {
      const node = this.#table.first(bucket) as Node;
      nodes[bucket - from] = node;
      touched ^= (words[pageOf(node)] as Int32Array)[wordIndex(node)] as number;
    }
    return touched;
  }

  // ---- adding and removing ----

  /** Adds a node for a key that is not in the table, with `tailBytes` bytes after the key. The owner's words are 0. */
  insert(key: Bytes, hash: number, tailBytes = 0): Node {
    const length = key.end - key.start;
    const headerWords = this.headerWords;
    const node = this.arena.alloc((headerWords << 2) + length + tailBytes) as Address as Node;
    const page = pageOf(node);
    const pageWords = this.arena.words[page] as Int32Array;
    const at = wordIndex(node);
    const table = this.#table;
    const bucket = table.bucketOf(hash);
    pageWords[at] = table.first(bucket);
    pageWords[at + HASH_AT] = hash;
    for (let word = OWN_WORDS_AT; word < headerWords - 1; word++) pageWords[at + word] = 0;
    pageWords[at + headerWords - 1] = length | this.#marked;
    copyBytes(key.buf, key.start, key.end, this.arena.bytes[page] as Buffer, (at + headerWords) << 2);
    table.setFirst(bucket, node);
    this.count++;
    if (this.count << 1 > table.count) this.#grow();
    return node;
  }

  /** Removes the node from the table and frees it. */
  remove(node: Node): void {
    this.unlink(node);
    this.#free(node);
  }

  /** Removes the node from the table; the caller frees it. */
  unlink(node: Node): void {
    if (this.guard !== undefined) this.guard(node);
    this.#replaceLink(node, this.following(node));
    if (node === this.#recent) this.#forgetRecent();
    this.count--;
    if (this.isShrinking || this.count < this.#table.count >> SPARSE_BITS) this.#shrink();
  }

  /**
   * Resizes the node's tail. Returns the same node if the size fits, otherwise a new one with the same header,
   * key and as much of the old tail as fits. The caller updates its own references to the node.
   */
  resizeTail(node: Node, tailBytes: number): Node {
    if (this.guard !== undefined) this.guard(node);
    const { arena } = this;
    const capacity = arena.capacity(node);
    const size = (this.headerWords << 2) + this.keyLength(node) + tailBytes;
    if (size <= capacity && (size << 1 >= capacity || capacity <= 64)) return node;
    const moved = arena.alloc(size) as Address as Node;
    const from = byteIndex(node);
    const kept = size < capacity ? size : capacity;
    copyBytes(arena.bytesOf(node), from, from + kept, arena.bytesOf(moved), byteIndex(moved));
    this.#replaceLink(node, moved);
    if (node === this.#recent) this.#recent = moved;
    this.#free(node);
    return moved;
  }

  /** Reserves buckets for `count` nodes in an empty table, so that filling it splits none. */
  reserve(count: number): void {
    const buckets = count * 2;
    if (this.count === 0 && this.#pinned === 0 && buckets > this.#table.count) this.#table.reset(buckets);
  }

  /** Frees every node. The table is then empty and small. */
  clear(): void {
    this.forEach((node) => {
      this.#free(node);
    });
    this.#table.reset();
    this.#forgetRecent();
    this.count = 0;
    this.isShrinking = false;
  }

  // ---- nodes ----

  /** Points `view` at the node's key and returns it. */
  key(node: Node, view: Bytes): Bytes {
    const start = byteIndex(node) + (this.headerWords << 2);
    return view.set(this.arena.bytesOf(node), start, start + this.keyLength(node));
  }

  keyLength(node: Node): number {
    return (this.arena.wordsOf(node)[this.#lengthAt(node)] as number) & KEY_LENGTH_MASK;
  }

  /** The hash of the node's key. */
  hashOf(node: Node): number {
    return this.arena.wordsOf(node)[wordIndex(node) + HASH_AT] as number;
  }

  /** The start of the tail as a byte offset in the node's page. */
  tailOffset(node: Node): number {
    return byteIndex(node) + (this.headerWords << 2) + this.keyLength(node);
  }

  /** One of the owner's words, counted from 0. */
  word(node: Node, index: number): number {
    return this.arena.wordsOf(node)[wordIndex(node) + OWN_WORDS_AT + index] as number;
  }

  setWord(node: Node, index: number, value: number): void {
    this.arena.wordsOf(node)[wordIndex(node) + OWN_WORDS_AT + index] = value;
  }

  /**
   * Removes the mark of every node at once, by inverting the meaning of the mark bit. Nodes added later are marked.
   * Before the next call every node must have been marked.
   */
  unmarkAll(): void {
    this.#marked ^= MARK_BIT;
  }

  isMarked(node: Node): boolean {
    return ((this.arena.wordsOf(node)[this.#lengthAt(node)] as number) & MARK_BIT) === this.#marked;
  }

  mark(node: Node): void {
    const words = this.arena.wordsOf(node);
    const at = this.#lengthAt(node);
    words[at] = ((words[at] as number) & ~MARK_BIT) | this.#marked;
  }

  // ---- walking ----

  /** The first node of a bucket, or 0. */
  first(bucket: number): Node {
    return this.#table.first(bucket) as Node;
  }

  /** The next node of the same bucket, or 0. */
  following(node: Node): Node {
    return this.arena.wordsOf(node)[wordIndex(node)] as Node;
  }

  /** Visits every node, in bucket order. The visitor may remove the visited node, but no other. */
  forEach(visit: (node: Node) => void): void {
    this.#pinned++;
    try {
      for (let bucket = 0; bucket < this.#table.count; bucket++) this.#visitBucket(bucket, visit);
    } finally {
      this.#pinned--;
    }
  }

  /** Until `unpin`, nodes never move to a lower bucket: a walk in bucket order, even over several turns, misses none. */
  pin(): void {
    this.#pinned++;
  }

  unpin(): void {
    this.#pinned--;
  }

  /**
   * Visits the bucket that a cursor points to and returns the next cursor, 0 at the end. A node that is in the table during
   * the whole scan is visited at least once. The visitor may remove the visited node, but no other.
   */
  scan(cursor: number, visit: (node: Node) => void): number {
    const table = this.#table;
    this.#pinned++;
    try {
      this.#visitBucket(table.bucketOf(cursor), visit);
    } finally {
      this.#pinned--;
    }
    return table.cursorAfter(cursor);
  }

  #visitBucket(bucket: number, visit: (node: Node) => void): void {
    for (let node = this.first(bucket); node !== 0; ) {
      const next = this.following(node);
      visit(node);
      node = next;
    }
  }

  /**
   * A random node, each with the same probability: chooses a random bucket and position in its chain, until
   * there is a node at that position. (Nodes of longer chains, which are rare, are slightly less likely.) The table must
   * not be empty. About one choice in ten finds a node, so several are made at a time: their waits for memory overlap.
   */
  random(random: RandomSource): Node {
    const table = this.#table;
    for (;;) {
      const places = table.count * CHAIN_PLACES;
      for (let i = 0; i < CHOICES; i++) {
        const drawn = random.integer(places);
        chosenPlaces[i] = drawn % CHAIN_PLACES;
        chosenHeads[i] = table.first((drawn / CHAIN_PLACES) | 0);
      }
      for (let i = 0; i < CHOICES; i++) {
        const head = chosenHeads[i] as Node;
        const node = this.#skip(head, chosenPlaces[i] as number);
        if (node === 0) continue;
        const length = this.#chainLength(head);
        return length <= CHAIN_PLACES ? node : this.#skip(head, random.integer(length));
      }
      // Removals while the table was pinned left it too large: most choices would fail.
      if (this.#isRoomy) this.#shrink();
    }
  }

  /** The node `count` places after this one in its chain, or 0. */
  #skip(from: Node, count: number): Node {
    let node = from;
    for (let left = count; left > 0 && node !== 0; left--) node = this.following(node);
    return node;
  }

  #chainLength(head: Node): number {
    let length = 0;
    for (let node = head; node !== 0; node = this.following(node)) length++;
    return length;
  }

  // ---- internal ----

  #free(node: Node): void {
    this.arena.free(node as Address as Ref);
  }

  /** The index of the word with the key's length and the mark. */
  #lengthAt(node: Node): number {
    return wordIndex(node) + this.headerWords - 1;
  }

  #replaceLink(node: Node, replacement: Node): void {
    const { words } = this.arena;
    const table = this.#table;
    const bucket = table.bucketOf(this.arena.wordsOf(node)[wordIndex(node) + HASH_AT] as number);
    let other = table.first(bucket) as Node;
    if (other === node) {
      table.setFirst(bucket, replacement);
      return;
    }
    for (;;) {
      const pageWords = words[pageOf(other)] as Int32Array;
      const at = wordIndex(other);
      const next = pageWords[at] as Node;
      if (next === node) {
        pageWords[at] = replacement;
        return;
      }
      other = next;
    }
  }

  /** Two buckets per node: chains then rarely have a second node, which would be another cache miss. */
  #grow(): void {
    this.#splitBucket();
    this.#splitBucket();
  }

  #splitBucket(): void {
    const table = this.#table;
    const from = table.addLast();
    const to = table.count - 1;
    const bit = to - from;
    const { words } = this.arena;
    let stay = 0;
    let go = 0;
    for (let node = table.first(from) as Node; node !== 0; ) {
      const pageWords = words[pageOf(node)] as Int32Array;
      const at = wordIndex(node);
      const next = pageWords[at] as Node;
      if ((pageWords[at + HASH_AT] as number) & bit) {
        pageWords[at] = go;
        go = node;
      } else {
        pageWords[at] = stay;
        stay = node;
      }
      node = next;
    }
    table.setFirst(from, stay);
    table.setFirst(to, go);
  }

  /** Whether there are more buckets per node than a table keeps when it shrinks. */
  get #isRoomy(): boolean {
    return this.count < this.#table.count >> ROOMY_BITS;
  }

  /**
   * Merges `SPARSE` buckets. Called for every removal since the table became sparse, it has merged all when the table is empty.
   */
  #shrink(): void {
    if (this.#pinned > 0) return;
    const table = this.#table;
    for (let merged = 0; merged < SPARSE && this.#isRoomy && table.canShrink; merged++) this.#mergeBucket();
    this.isShrinking = this.#isRoomy && table.canShrink;
  }

  /** Moves the nodes of the last bucket to the one it was split from, and removes it. */
  #mergeBucket(): void {
    const table = this.#table;
    const last = table.count - 1;
    let node = table.first(last) as Node;
    table.setFirst(last, 0);
    const into = table.removeLast();
    while (node !== 0) {
      const pageWords = this.arena.wordsOf(node);
      const at = wordIndex(node);
      const next = pageWords[at] as Node;
      pageWords[at] = table.first(into);
      table.setFirst(into, node);
      node = next;
    }
  }
}

const NO_LENGTH = -1;

/** A node's words: the next node of its chain, its hash, then the owner's. */
const HASH_AT = 1;
const OWN_WORDS_AT = 2;

/** The key's length takes 30 bits of its word; the mark is one of the other two. */
export const KEY_LENGTH_MASK = 0x3fffffff;
const MARK_BIT = 1 << 30;

/** The binary logarithms of the buckets per node with which merging begins, and ends. */
const SPARSE_BITS = 3;
const SPARSE = 1 << SPARSE_BITS;
const ROOMY_BITS = 2;

/** The approximate end of a short key: in the node's first or second cache line. */
const NEAR_WORDS = 9;
const PAGE_WORDS_MASK = (1 << 18) - 1;
/** The number of nodes of a chain that are loaded ahead. */
const TOUCHED_CHAIN = 3;
/** Few chains are longer than this: one bucket in six thousand, with two buckets per node. */
const CHAIN_PLACES = 4;
/** The number of places that `random` chooses at a time. */
const CHOICES = 8;
const chosenPlaces = new Int32Array(CHOICES);
const chosenHeads = new Int32Array(CHOICES);
