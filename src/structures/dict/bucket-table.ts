/**
 * The buckets of a hash table that grows by linear hashing: one bucket at a time, so that no operation ever rehashes the
 * whole table. A bucket is one number, the first node of its chain; 0 is an empty chain.
 *
 * `low` is the largest power of two that is not above the number of buckets. The first `split` buckets of the first
 * `low` have been split: to find a key in one of those, one more bit of the hash is used.
 */
export class BucketTable {
  /** The number of buckets: `low + split`. */
  count = FIRST_BUCKETS;
  #low = FIRST_BUCKETS;
  #split = 0;
  /** The buckets in segments; the first starts small and grows until it has full size. */
  readonly #segments: Int32Array[] = [new Int32Array(FIRST_BUCKETS)];

  /**
   * Bytes of the buckets. The space that a segment has reserved for further ones is not counted: it has not been touched, and the figure
   * would jump, so that one more key evicted many others (`maxmemory`).
   */
  get bytes(): number {
    return this.count * 4;
  }

  /** The bucket for this hash. */
  bucketOf(hash: number): number {
    const low = this.#low;
    const bucket = hash & ((low << 1) - 1);
    return bucket < this.count ? bucket : bucket & (low - 1);
  }

  /** The first node of the bucket's chain, or 0. */
  first(bucket: number): number {
    return (this.#segments[bucket >>> SEGMENT_BITS] as Int32Array)[bucket & SEGMENT_MASK] as number;
  }

  setFirst(bucket: number, node: number): void {
    (this.#segments[bucket >>> SEGMENT_BITS] as Int32Array)[bucket & SEGMENT_MASK] = node;
  }

  /**
   * Adds a bucket at the end and returns the bucket it was split from, whose nodes the caller divides between the two:
   * those whose hash has the bit `count - 1 - returned` go to the new one.
   */
  addLast(): number {
    const last = this.count;
    this.#makeRoom(last);
    this.count = last + 1;
    const from = this.#split++;
    if (this.#split === this.#low) {
      this.#low <<= 1;
      this.#split = 0;
    }
    return from;
  }

  /** Whether `removeLast` is possible: there are never fewer buckets than at the start. */
  get canShrink(): boolean {
    return this.count > FIRST_BUCKETS;
  }

  /** Removes the last bucket, which must be empty, and returns the bucket it was split from. */
  removeLast(): number {
    if (this.#split === 0) {
      this.#low >>= 1;
      this.#split = this.#low;
    }
    this.count--;
    // One empty segment is kept: otherwise a table at the boundary would allocate and release it repeatedly.
    const needed = (this.count >>> SEGMENT_BITS) + 2;
    if (this.#segments.length > needed) this.#segments.length = needed;
    return --this.#split;
  }

  /**
   * The cursor after this one, 0 at the end. Cursors count upwards in bit-reversed order: the two halves of a bucket after
   * a split, or the union of two after a merge, are then either both after the cursor or both before it.
   */
  cursorAfter(cursor: number): number {
    const bucket = this.bucketOf(cursor);
    const isSplit = bucket < this.#split || bucket >= this.#low;
    const mask = isSplit ? (this.#low << 1) - 1 : this.#low - 1;
    return reverseBits(reverseBits(cursor | ~mask) + 1) >>> 0;
  }

  /** Resizes an empty table to `count` empty buckets. */
  reset(count = FIRST_BUCKETS): void {
    let low = FIRST_BUCKETS;
    while (low << 1 <= count) low <<= 1;
    let first = FIRST_BUCKETS;
    while (first < count && first < SEGMENT_BUCKETS) first *= 2;
    this.#segments.length = 0;
    this.#segments.push(new Int32Array(first));
    for (let rest = count - first; rest > 0; rest -= SEGMENT_BUCKETS) {
      this.#segments.push(new Int32Array(SEGMENT_BUCKETS));
    }
    this.#low = low;
    this.#split = count - low;
    this.count = count;
  }

  #makeRoom(bucket: number): void {
    const segment = bucket >>> SEGMENT_BITS;
    if (segment > 0) {
      if (segment === this.#segments.length) this.#segments.push(new Int32Array(SEGMENT_BUCKETS));
      return;
    }
    const first = this.#segments[0] as Int32Array;
    if (bucket < first.length) return;
    const larger = new Int32Array(first.length < SMALL_TABLE ? first.length * 4 : first.length * 2);
    larger.set(first);
    this.#segments[0] = larger;
  }
}

const FIRST_BUCKETS = 4;
/** A first segment smaller than this grows by a factor of four: little space is wasted, and copies are rare. */
const SMALL_TABLE = 4096;
/** Segments are large, so that there are few: their JavaScript objects, which every lookup reads, stay in the CPU caches. */
const SEGMENT_BITS = 14;
const SEGMENT_BUCKETS = 1 << SEGMENT_BITS;
const SEGMENT_MASK = SEGMENT_BUCKETS - 1;

function reverseBits(value: number): number {
  let v = value;
  v = ((v >>> 1) & 0x55555555) | ((v & 0x55555555) << 1);
  v = ((v >>> 2) & 0x33333333) | ((v & 0x33333333) << 2);
  v = ((v >>> 4) & 0x0f0f0f0f) | ((v & 0x0f0f0f0f) << 4);
  v = ((v >>> 8) & 0x00ff00ff) | ((v & 0x00ff00ff) << 8);
  return (v >>> 16) | (v << 16);
}
