import { Bytes } from '../../bytes/bytes.js';
import { doubleIndex, type Ref, wordIndex } from '../../structures/arena/ref.js';
import { Element } from '../../structures/element.js';
import { Listpack } from '../../structures/listpack/listpack.js';
import { LEAF_MEMBERS, LEAF_SCORES } from '../../structures/ordered-tree/ordered-tree-node.js';
import type { Database } from '../database.js';
import { type Entry, NO_ENTRY } from '../entry.js';
import type { Keyspace } from '../keyspace.js';
import { Encoding, Type } from '../kinds.js';
import { LargeSortedSet } from './large-sorted-set.js';
import { PackedSortedSet } from './packed-sorted-set.js';
import { isEmptyLexRange, isEmptyScoreRange, type LexRange, type ScoreRange } from './sorted-set-range.js';

/** Conditions of `add`, and whether the number is a score or an increment. */
export const AddMode = { onlyNew: 1, onlyExisting: 2, onlyGreater: 4, onlyLess: 8, increment: 16 } as const;

/** The outcome of `add`. `refused`: a condition was not met. `notANumber`: infinities of both signs were added. */
export const AddResult = { refused: 0, same: 1, added: 2, updated: 3, notANumber: 4 } as const;
export type AddResult = (typeof AddResult)[keyof typeof AddResult];

/**
 * A sorted set: members with scores, in the order of scores and, where these are equal, of the members' bytes. Few and
 * short ones are one listpack (member, score, member, score …), else a dictionary and a tree. They are never converted
 * back.
 *
 * A `SortedSetValue` is a cursor, made once and pointed at one sorted set after another; it owns nothing.
 *
 *     const sortedSet = new SortedSetValue();
 *     sortedSet.open(keyspace, db, entry);             // the sorted set at an entry …
 *     sortedSet.create(keyspace, db, key);             // … or a new, empty one at a key that does not exist …
 *     sortedSet.begin(keyspace, db);                   // … or one at no key: then `store(key)` or `discard()`
 *     sortedSet.add(member, 1.5);                      // a plain ZADD; `AddMode` has its options
 *     sortedSet.score(member);                         // NaN if there is no such member
 *     sortedSet.ranksByScore(range);                   // ranks `from` up to `to`, as for `ranksByLex`
 *     for (let ok = sortedSet.seek(from); ok; ok = sortedSet.next()) use(sortedSet.member, sortedSet.memberScore);
 *
 * `member` is a view, valid until the next change; a change also ends a walk. Members given to `add` must not lie in the
 * sorted set itself. Removing the key of one that has become empty is left to the caller.
 */
export class SortedSetValue {
  /** `listpack` or `skiplist`. */
  encoding: Encoding = Encoding.listpack;
  /** The walk's element, after `seek`, `next` or `previous` returned true. */
  readonly member: Bytes;
  memberScore = 0;
  /** The score that the last `add` left the member with, unless it was refused. */
  newScore = 0;
  /** The result of `ranksByScore` and `ranksByLex`: ranks in [from, to). */
  from = 0;
  to = 0;

  #keyspace!: Keyspace;
  #db!: Database;
  /** 0 while the sorted set belongs to no key. */
  #entry = NO_ENTRY;
  readonly #packed = new PackedSortedSet();
  #large!: LargeSortedSet;
  readonly #element = new Element();
  /** The walk: the position of a member in the listpack and of the next one, or a leaf of the tree and an index. */
  #place = 0;
  #following = 0;
  /** The leaf: how many members it has, and the memory of their refs and scores. */
  #leafSize = 0;
  #leafWords = NO_WORDS;
  #leafMembers = 0;
  #leafDoubles = NO_DOUBLES;
  #leafScores = 0;

  constructor() {
    this.member = this.#element.bytes;
  }

  open(keyspace: Keyspace, db: Database, entry: Entry): this {
    this.#keyspace = keyspace;
    this.#db = db;
    this.#entry = entry;
    this.encoding = db.encoding(entry);
    if (this.encoding === Encoding.listpack) this.#packed.open(db.arena, db.block(entry));
    else this.#large = db.object(entry) as LargeSortedSet;
    return this;
  }

  /** A new sorted set at a key that does not exist. The length of its first member is given. */
  create(keyspace: Keyspace, db: Database, key: Bytes, memberLength = 0): this {
    this.begin(keyspace, db, memberLength);
    this.#entry = keyspace.create(db, key, Type.sortedSet, this.encoding, this.#valueWord());
    return this;
  }

  /** A new sorted set without a key. */
  begin(keyspace: Keyspace, db: Database, memberLength = 0): this {
    const { limits } = keyspace;
    if (limits.zsetMaxListpackEntries === 0 || memberLength > limits.zsetMaxListpackValue) {
      return this.adoptLarge(keyspace, db, new LargeSortedSet(db.arena, db.keyedHash));
    }
    return this.#beginPacked(keyspace, db, Listpack.create(db.arena));
  }

  /** A sorted set without a key from a listpack of a file or DUMP payload; converted if it is over the limit. */
  adopt(keyspace: Keyspace, db: Database, listpack: Ref): this {
    this.#beginPacked(keyspace, db, listpack);
    if (this.#packed.length > keyspace.limits.zsetMaxListpackEntries) this.#convert();
    return this;
  }

  /** A sorted set without a key from a computed one. */
  adoptLarge(keyspace: Keyspace, db: Database, large: LargeSortedSet): this {
    this.#keyspace = keyspace;
    this.#db = db;
    this.#entry = NO_ENTRY;
    this.encoding = Encoding.skiplist;
    this.#large = large;
    return this;
  }

  /** Converts a large sorted set without a key to a listpack, if it is within the limits. */
  packIfSmall(): void {
    const { zsetMaxListpackEntries, zsetMaxListpackValue } = this.#keyspace.limits;
    if (this.#large.length <= zsetMaxListpackEntries && this.#longest() <= zsetMaxListpackValue) this.#pack();
  }

  #beginPacked(keyspace: Keyspace, db: Database, listpack: Ref): this {
    this.#keyspace = keyspace;
    this.#db = db;
    this.#entry = NO_ENTRY;
    this.encoding = Encoding.listpack;
    this.#packed.open(db.arena, listpack);
    return this;
  }

  /** Stores a sorted set without a key at this key, replacing any old value. Returns the entry. */
  store(key: Bytes): Entry {
    this.#entry = this.#keyspace.replace(this.#db, key, Type.sortedSet, this.encoding, this.#valueWord());
    return this.#entry;
  }

  /** Converts a listpack to a tree: SORT does that to every sorted set it reads. */
  makeLarge(): void {
    if (this.encoding === Encoding.listpack) this.#convert();
  }

  /** Frees a sorted set without a key. */
  discard(): void {
    if (this.encoding === Encoding.listpack) this.#packed.pack.free();
    else this.#keyspace.release(this.#large);
  }

  /** Copies the open sorted set, as it is, to a key that does not exist, perhaps of another database. Returns the entry. */
  copyTo(db: Database, key: Bytes): Entry {
    let value: number;
    if (this.encoding === Encoding.listpack) value = Listpack.load(db.arena, this.packed(scratch));
    else value = db.addObject(this.#copyOfLarge(db));
    return this.#keyspace.create(db, key, Type.sortedSet, this.encoding, value);
  }

  get length(): number {
    return this.encoding === Encoding.listpack ? this.#packed.length : this.#large.length;
  }

  /** Points `view` at the whole listpack, as files carry it. Only of a packed sorted set. */
  packed(view: Bytes): Bytes {
    return this.#packed.pack.whole(view);
  }

  /** The dictionary and the tree: for cursors of ZSCAN. Only of a sorted set that is not packed. */
  get large(): LargeSortedSet {
    return this.#large;
  }

  // ---- single members ----

  has(member: Bytes): boolean {
    if (this.encoding === Encoding.listpack) return this.#packed.find(member) !== -1;
    return this.#large.dict.find(member) !== 0;
  }

  /** NaN if there is no such member. */
  score(member: Bytes): number {
    if (this.encoding === Encoding.listpack) {
      const position = this.#packed.find(member);
      return position === -1 ? Number.NaN : this.#packed.scoreAt(position);
    }
    const node = this.#large.dict.find(member);
    return node === 0 ? Number.NaN : this.#large.scoreOf(node);
  }

  /** The number of members before this one; -1 if there is no such member. */
  rank(member: Bytes): number {
    if (this.encoding === Encoding.listpack) {
      const position = this.#packed.find(member);
      return position === -1 ? -1 : this.#packed.rankOf(position);
    }
    const node = this.#large.dict.find(member);
    return node === 0 ? -1 : this.#large.rankOf(node);
  }

  /** Adds the member or changes its score, as `mode` allows (bits of `AddMode`). */
  add(member: Bytes, score: number, mode = 0): AddResult {
    if (this.encoding === Encoding.listpack) {
      const position = this.#packed.find(member);
      if (position !== -1) return this.#rescorePacked(member, position, score, mode);
      if ((mode & AddMode.onlyExisting) !== 0) return AddResult.refused;
      this.newScore = score;
      if (this.#fits(member)) {
        this.#packed.insert(member, score);
        this.#saveBlock();
        return AddResult.added;
      }
      this.#convert();
    }
    const large = this.#large;
    const hash = large.dict.hash(member);
    const node = large.dict.findHashed(member, hash);
    if (node === 0) {
      if ((mode & AddMode.onlyExisting) !== 0) return AddResult.refused;
      large.insert(member, hash, score);
      this.newScore = score;
      return AddResult.added;
    }
    const result = this.#judge(large.scoreOf(node), score, mode);
    if (result === AddResult.updated) large.setScore(node, this.newScore);
    return result;
  }

  /** Removes the member; false if it was not there. */
  remove(member: Bytes): boolean {
    if (this.encoding === Encoding.listpack) {
      const position = this.#packed.find(member);
      if (position === -1) return false;
      this.#packed.removeAt(position);
      this.#saveBlock();
      return true;
    }
    const node = this.#large.dict.find(member);
    if (node === 0) return false;
    this.#large.remove(node);
    return true;
  }

  /** Removes `count` members from this rank on; there must be that many. */
  removeRanks(rank: number, count: number): void {
    if (this.encoding === Encoding.listpack) {
      this.#packed.removeRanks(rank, count);
      this.#saveBlock();
    } else {
      this.#large.removeRanks(rank, count);
    }
  }

  // ---- ranges ----

  /** Finds which ranks (`from` up to `to`) have scores within the range. Returns how many. */
  ranksByScore(range: ScoreRange): number {
    if (isEmptyScoreRange(range)) return this.#found(0, 0);
    if (this.encoding === Encoding.listpack) {
      this.#packed.ranksByScore(range);
      return this.#found(this.#packed.from, this.#packed.to);
    }
    const { tree } = this.#large;
    return this.#found(
      tree.countBelow(range.min, range.minExclusive),
      tree.countBelow(range.max, !range.maxExclusive),
    );
  }

  /**
   * Finds which ranks (`from` up to `to`) have members within the range, all scores being the same. Returns how many.
   * `reverse` matters only if scores differ, which Redis's documentation advises against.
   */
  ranksByLex(range: LexRange, reverse = false): number {
    if (isEmptyLexRange(range)) return this.#found(0, 0);
    if (this.encoding === Encoding.listpack) {
      this.#packed.ranksByLex(range, reverse);
      return this.#found(this.#packed.from, this.#packed.to);
    }
    const { min, max } = range;
    const { tree } = this.#large;
    const from = min.kind === 'member' ? tree.countBelowMember(min.member, min.exclusive) : 0;
    const to = max.kind === 'member' ? tree.countBelowMember(max.member, !max.exclusive) : tree.length;
    return this.#found(from, to);
  }

  #found(from: number, to: number): number {
    this.from = from;
    this.to = Math.max(from, to);
    return this.to - from;
  }

  // ---- walking ----

  /** Moves to the member with this rank; false if there is none. */
  seek(rank: number): boolean {
    if (this.encoding === Encoding.listpack) {
      const position = rank < 0 ? -1 : this.#packed.at(rank);
      return position !== -1 && this.#readPacked(position);
    }
    const { tree } = this.#large;
    return tree.seek(rank) && this.#enterLeaf(tree.leaf, tree.index);
  }

  /** Moves to the next member; false at the end. */
  next(): boolean {
    if (this.encoding === Encoding.listpack) {
      return this.#following !== -1 && this.#readPacked(this.#following);
    }
    const index = this.#following + 1;
    if (index < this.#leafSize) return this.#readLarge(index);
    const after = this.#large.tree.leafAfter(this.#place as Ref);
    return after !== 0 && this.#enterLeaf(after, 0);
  }

  /** Moves to the previous member; false at the beginning. */
  previous(): boolean {
    if (this.encoding === Encoding.listpack) {
      const position = this.#packed.before(this.#place);
      return position !== -1 && this.#readPacked(position);
    }
    if (this.#following > 0) return this.#readLarge(this.#following - 1);
    const { tree } = this.#large;
    const before = tree.leafBefore(this.#place as Ref);
    return before !== 0 && this.#enterLeaf(before, tree.sizeOf(before) - 1);
  }

  #readPacked(position: number): boolean {
    this.#place = position;
    this.#following = this.#packed.read(position, this.#element);
    this.#element.toBytes();
    this.memberScore = this.#packed.lastScore;
    return true;
  }

  #enterLeaf(leaf: Ref, index: number): boolean {
    const { arena } = this.#large.dict;
    this.#place = leaf;
    this.#leafSize = this.#large.tree.sizeOf(leaf);
    this.#leafWords = arena.wordsOf(leaf);
    this.#leafMembers = wordIndex(leaf) + LEAF_MEMBERS;
    this.#leafDoubles = arena.doublesOf(leaf);
    this.#leafScores = doubleIndex(leaf) + LEAF_SCORES;
    return this.#readLarge(index);
  }

  #readLarge(index: number): boolean {
    this.#following = index;
    this.memberScore = this.#leafDoubles[this.#leafScores + index] as number;
    this.#large.dict.key(this.#leafWords[this.#leafMembers + index] as Ref, this.member);
    return true;
  }

  // ---- inside ----

  /** Decides what to do with an existing member. Stores its new score in `newScore`. */
  #judge(current: number, score: number, mode: number): AddResult {
    if ((mode & AddMode.onlyNew) !== 0) return AddResult.refused;
    const wanted = (mode & AddMode.increment) !== 0 ? current + score : score;
    if (Number.isNaN(wanted)) return AddResult.notANumber;
    if ((mode & AddMode.onlyLess) !== 0 && wanted >= current) return AddResult.refused;
    if ((mode & AddMode.onlyGreater) !== 0 && wanted <= current) return AddResult.refused;
    this.newScore = wanted;
    return wanted === current ? AddResult.same : AddResult.updated;
  }

  #rescorePacked(member: Bytes, position: number, score: number, mode: number): AddResult {
    const result = this.#judge(this.#packed.scoreAt(position), score, mode);
    if (result === AddResult.updated) {
      this.#packed.removeAt(position);
      this.#packed.insert(member, this.newScore);
      this.#saveBlock();
    }
    return result;
  }

  /** Whether the listpack has room for this member within the limits. */
  #fits(member: Bytes): boolean {
    const { zsetMaxListpackEntries, zsetMaxListpackValue } = this.#keyspace.limits;
    const length = member.end - member.start;
    return (
      this.#packed.length < zsetMaxListpackEntries &&
      length <= zsetMaxListpackValue &&
      this.#packed.pack.hasRoomFor(length)
    );
  }

  #saveBlock(): void {
    if (this.#entry !== 0) this.#db.moveValue(this.#entry, this.#packed.ref);
  }

  /** The entry's value word. */
  #valueWord(): number {
    return this.encoding === Encoding.listpack ? this.#packed.ref : this.#db.addObject(this.#large);
  }

  #convert(): void {
    const large = this.#copyOfLarge(this.#db);
    this.#packed.pack.free();
    this.encoding = Encoding.skiplist;
    this.#large = large;
    if (this.#entry !== 0) {
      this.#db.setValue(this.#entry, Type.sortedSet, Encoding.skiplist, this.#valueWord());
    }
  }

  #copyOfLarge(db: Database): LargeSortedSet {
    const copy = new LargeSortedSet(db.arena, db.keyedHash);
    for (let ok = this.seek(0); ok; ok = this.next()) {
      copy.insert(this.member, copy.dict.hash(this.member), this.memberScore);
    }
    return copy;
  }

  #pack(): void {
    this.#packed.open(this.#db.arena, Listpack.create(this.#db.arena));
    for (let ok = this.seek(0); ok; ok = this.next()) this.#packed.append(this.member, this.memberScore);
    this.#keyspace.release(this.#large);
    this.encoding = Encoding.listpack;
  }

  #longest(): number {
    let longest = 0;
    for (let ok = this.seek(0); ok; ok = this.next()) {
      if (this.member.length > longest) longest = this.member.length;
    }
    return longest;
  }
}

const NO_WORDS: Int32Array = new Int32Array(0);
const NO_DOUBLES: Float64Array = new Float64Array(0);
const scratch = new Bytes();
