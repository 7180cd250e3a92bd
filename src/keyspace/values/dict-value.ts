import type { Arena } from '../../structures/arena/arena.js';
import type { Ref } from '../../structures/arena/ref.js';
import { Dict } from '../../structures/dict/dict.js';
import type { KeyedHash } from '../../structures/dict/keyed-hash.js';
import type { LargeValue } from './large-value.js';

/** Redis's encoding `hashtable`: members, or fields with their values, are the nodes of a dictionary. */
export class DictValue implements LargeValue {
  readonly dict: Dict;
  /** While being released: the bucket reached; -1 before. */
  #releasing = -1;

  constructor(arena: Arena, keyedHash: KeyedHash, ownWords: number) {
    this.dict = new Dict(arena, keyedHash, ownWords);
  }

  get length(): number {
    return this.dict.count;
  }

  /** Nodes differ in size: estimated from the first few, as Redis does. */
  memory(): number {
    const { dict } = this;
    let sampled = 0;
    let bytes = 0;
    for (let bucket = 0; bucket < dict.bucketCount && sampled < SAMPLES; bucket++) {
      for (let node = dict.first(bucket); node !== 0 && sampled < SAMPLES; node = dict.following(node)) {
        bytes += dict.arena.capacity(node);
        sampled++;
      }
    }
    const nodes = sampled === 0 ? 0 : Math.round((bytes / sampled) * dict.count);
    return OBJECT_BYTES + dict.tableBytes + nodes;
  }

  /** An empty bucket counts as a step too, so that a sparse table takes no longer than a full one. */
  release(steps: number): number {
    const { dict } = this;
    if (this.#releasing < 0) {
      this.#releasing = 0;
      dict.pin();
    }
    for (let step = 0; step < steps; step++) {
      if (this.#releasing === dict.bucketCount) return step;
      const node = dict.first(this.#releasing);
      if (node === 0) this.#releasing++;
      else dict.remove(node);
    }
    return steps;
  }

  /**
   * Appends nodes to `found` from the cursor on, about `count` of them (whole buckets; fewer if many buckets are empty), and
   * returns the cursor to go on from, 0 at the end.
   */
  scan(cursor: number, count: number, found: Ref[]): number {
    const { dict } = this;
    collected = found;
    let at = cursor;
    for (let buckets = count * BUCKETS_PER_COUNT; buckets > 0; buckets--) {
      at = dict.scan(at, collect);
      if (at === 0 || found.length >= count) break;
    }
    collected = [];
    return at;
  }
}

let collected: Ref[] = [];

function collect(node: Ref): void {
  collected.push(node);
}

const SAMPLES = 5;
/** Approximate size of the objects around the table. */
const OBJECT_BYTES = 400;
/** Visits at most this many buckets for each element asked for. */
const BUCKETS_PER_COUNT = 10;
