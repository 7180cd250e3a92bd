import type { Ref } from '../arena/ref.js';
import type { Dict } from './dict.js';

/**
 * A walk over all nodes of a dictionary, a batch at a time. The nodes of a batch are loaded together, so that the waits for memory overlap.
 * The dictionary must not change meanwhile.
 */
export class DictWalk {
  /** The nodes of the batch, and their hashes: as many as `start` or `next` has returned. */
  readonly nodes = new Int32Array(BATCH);
  readonly hashes = new Int32Array(BATCH);
  /** Keeps the loads from being optimised away. */
  touched = 0;
  readonly #firstNodes = new Int32Array(2 * BATCH);
  #dict!: Dict;
  #bucket = 0;
  /** The next node of the bucket, or 0. */
  #node = 0;

  /** Begins with another dictionary. Returns the length of the first batch, 0 if there is no node. */
  start(dict: Dict): number {
    this.#dict = dict;
    this.#bucket = -1;
    this.#node = 0;
    return this.next();
  }

  /** The length of the next batch; 0 at the end. */
  next(): number {
    const dict = this.#dict;
    if (dict.count === 0) return 0;
    const { nodes, hashes } = this;
    const last = dict.bucketCount - 1;
    // About a batch: a dictionary has two buckets per node.
    const end = Math.min(last, this.#bucket + 2 * BATCH) + 1;
    this.touched ^= dict.touchBuckets(this.#bucket + 1, end, this.#firstNodes);
    let count = 0;
    let node = this.#node;
    while (count < BATCH) {
      if (node === 0) {
        if (this.#bucket === last) break;
        node = dict.first(++this.#bucket);
      } else {
        nodes[count] = node;
        hashes[count++] = dict.hashOf(node as Ref);
        node = dict.following(node as Ref);
      }
    }
    this.#node = node;
    return count;
  }
}

const BATCH = 64;
