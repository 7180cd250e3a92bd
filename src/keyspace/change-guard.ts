import type { Database } from './database.js';
import type { Entry } from './entry.js';
import type { LargeValue } from './values/large-value.js';

/**
 * Somebody who must see entries before they change: a snapshot that is being taken. The keyspace asks it wherever an
 * entry is handed out for writing, removed, or gets another value. While there is none, that costs one test.
 */
export interface ChangeGuard {
  /** The entry's value, time to live or key is about to change, or the entry to go. Call it as often as you like. */
  beforeChange(db: Database, entry: Entry): void;
  /** Whether a large value that no key has any more is still needed; then the guard will release it. */
  keeps(large: LargeValue): boolean;
  /**
   * Whether the bytes of this block, which has a page to itself, are still needed: it may be freed, but not be filled
   * with something else.
   */
  holds(block: Buffer): boolean;
  /** Bytes `from` to `to` of a block are about to be changed in place. */
  beforeEdit(block: Buffer, from: number, to: number): void;
}
