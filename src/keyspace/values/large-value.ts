import type { Dict } from '../../structures/dict/dict.js';

/**
 * A value too large for one packed block: an object in the database's object table whose bytes are in the arena.
 * Each type has a class that implements this.
 */
export interface LargeValue {
  /** The number of elements. */
  readonly length: number;
  /** The dictionary of its elements, if it has one. */
  readonly dict?: Dict;
  /** Approximate size in bytes, arena and heap. */
  memory(): number;
  /** Frees about `steps` nodes of arena memory and returns how many; fewer than `steps` means that all is freed. */
  release(steps: number): number;
}
