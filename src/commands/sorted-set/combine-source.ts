import type { Bytes } from '../../bytes/bytes.js';
import { Encoding, Type } from '../../keyspace/kinds.js';
import { SetValue } from '../../keyspace/values/set-value.js';
import { SortedSetValue } from '../../keyspace/values/sorted-set-value.js';
import type { Ref } from '../../structures/arena/ref.js';
import type { Dict } from '../../structures/dict/dict.js';
import { Element } from '../../structures/element.js';
import type { Call } from '../call.js';
import { errors } from '../errors.js';

/** One input of a union, intersection or difference: a sorted set, a set whose members all have the score 1, or nothing. */
export class Source {
  weight = 1;
  /** The walk's element, after `next` returned true. */
  member!: Bytes;
  score = 1;

  #kind: 'nothing' | 'set' | 'sortedSet' = 'nothing';
  readonly #set = new SetValue();
  readonly #sortedSet = new SortedSetValue();
  readonly #element = new Element();
  #begun = false;

  /** Opens what is at the key in argument `index`. */
  open(call: Call, index: number): this {
    this.weight = 1;
    this.#begun = false;
    this.#kind = 'nothing';
    const entry = call.keyspace.read(call.db, call.arg(index));
    if (entry === 0) return this;
    const type = call.db.type(entry);
    if (type === Type.sortedSet) {
      this.#kind = 'sortedSet';
      this.#sortedSet.open(call.keyspace, call.db, entry);
      this.member = this.#sortedSet.member;
    } else if (type === Type.set) {
      this.#kind = 'set';
      this.#set.open(call.keyspace, call.db, entry);
    } else {
      throw errors.wrongType;
    }
    return this;
  }

  get length(): number {
    if (this.#kind === 'nothing') return 0;
    return this.#kind === 'set' ? this.#set.length : this.#sortedSet.length;
  }

  /** Moves to the next member, at first to the first one; false at the end. */
  next(): boolean {
    if (this.#kind === 'sortedSet') {
      const ok = this.#begun ? this.#sortedSet.next() : this.#sortedSet.seek(0);
      this.#begun = true;
      this.score = this.#sortedSet.memberScore;
      return ok;
    }
    if (this.#kind === 'nothing' || !this.#set.next(this.#element)) return false;
    this.member = this.#element.toBytes();
    this.score = 1;
    return true;
  }

  /** The dictionary of the members, if it has one: a large set or sorted set. */
  get dict(): Dict | undefined {
    if (this.#kind === 'sortedSet') {
      return this.#sortedSet.encoding === Encoding.skiplist ? this.#sortedSet.large.dict : undefined;
    }
    return this.#kind === 'set' && this.#set.encoding === Encoding.hashtable
      ? this.#set.table.dict
      : undefined;
  }

  /** The score of a node of `dict`. */
  nodeScore(node: Ref): number {
    return this.#kind === 'sortedSet' ? this.#sortedSet.large.scoreOf(node) : 1;
  }

  /** NaN if there is no such member. */
  scoreOf(member: Bytes): number {
    if (this.#kind === 'sortedSet') return this.#sortedSet.score(member);
    return this.#kind === 'set' && this.#set.has(member) ? 1 : Number.NaN;
  }

  /** The weighted score of the walk's member. Zero times infinity is zero. */
  get weighted(): number {
    return this.weigh(this.score);
  }

  weigh(score: number): number {
    const weighted = this.weight * score;
    return Number.isNaN(weighted) ? 0 : weighted;
  }
}

/** Kept for the next command. */
const sources: Source[] = [];

/** Opens the keys in arguments `from` up to `to`. */
export function openSources(call: Call, from: number, to: number): Source[] {
  const opened: Source[] = [];
  for (let i = from; i < to; i++) {
    let source = sources[i - from];
    if (source === undefined) {
      source = new Source();
      sources[i - from] = source;
    }
    opened.push(source.open(call, i));
  }
  return opened;
}
