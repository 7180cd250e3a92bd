import type { EntryHead, EntryWriter } from '../keyspace/entry-writer.js';
import type { LargeValue } from '../keyspace/values/large-value.js';

/**
 * A large value as it was at one moment, to be written part by part while commands go on changing it: what is about to
 * change and has not been written yet is put aside first, element by element (of lists: node by node).
 */
export interface ValueCapture {
  readonly head: EntryHead;
  /** The value itself, which must not be released meanwhile; undefined for strings. */
  readonly large: LargeValue | undefined;
  /** Writes parts until `performance.now()` is beyond `until`. True when all have been written. */
  step(writer: EntryWriter, until: number): boolean;
  /** The value is left to itself again. To be called once, when `step` has returned true. */
  close(): void;
}
