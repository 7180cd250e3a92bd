import type { EntryHead, EntryWriter } from '../../keyspace/entry-writer.js';
import type { LargeValue } from '../../keyspace/values/large-value.js';

/**
 * A large value as it was at one moment, to be written in parts while commands go on changing it. Elements that are
 * about to change and have not been written yet are copied first (of lists: whole nodes).
 */
export interface ValueCapture {
  readonly head: EntryHead;
  /** The captured value, which must not be released during the capture; undefined for strings. */
  readonly large: LargeValue | undefined;
  /** Writes parts until `performance.now()` passes `until`. Returns true when all parts are written. */
  step(writer: EntryWriter, until: number): boolean;
  /** Ends the capture. Call it once, after `step` has returned true. */
  close(): void;
}
