import type { Database } from './database.js';
import type { Entry } from './entry.js';
import type { LargeValue } from './values/large-value.js';

/**
 * Called before entries change, for a snapshot in progress. The keyspace calls it wherever an entry is handed out
 * for writing, removed, or gets another value. While there is no guard, this costs one test.
 */
export interface ChangeGuard {
  /** Called before the entry's value, time to live or key changes, or the entry is removed; any number of times. */
  beforeChange(db: Database, entry: Entry): void;
  /** Whether the guard still needs a large value that was removed from its key; the guard then releases the value later. */
  keeps(large: LargeValue): boolean;
  /**
   * Whether the bytes of this block, which has a page to itself, are still needed: it may be freed, but not be filled
   * with something else.
   */
  holds(block: Buffer): boolean;
  /** Bytes `from` to `to` of a block are about to be changed in place. */
  beforeEdit(block: Buffer, from: number, to: number): void;
}
