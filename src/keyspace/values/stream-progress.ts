import type { StreamId } from '../../structures/stream/stream-id.js';
import { add, type Counter, subtract } from '../counter.js';
import type { ConsumerGroup } from './stream-group.js';
import type { StreamValue } from './stream-value.js';

/** Stands for a count that is unknown. */
export const UNKNOWN_COUNT = -1;

/**
 * How many entries up to this id were ever added; `UNKNOWN_COUNT` if deleted entries, or ids that never existed, make
 * that impossible to tell without counting.
 */
export function countUpTo(stream: StreamValue, id: StreamId): Counter {
  const { entriesAdded, length, firstId, lastId, maxDeletedId } = stream;
  if (entriesAdded === 0) return 0;
  const last = id.compare(lastId);
  if (length === 0 && last <= 0) return entriesAdded;
  if (last === 0) return entriesAdded;
  if (last > 0) return UNKNOWN_COUNT;
  if (!maxDeletedId.isLeast && maxDeletedId.compare(firstId) >= 0) return UNKNOWN_COUNT;
  const first = id.compare(firstId);
  if (first > 0) return UNKNOWN_COUNT;
  const before = subtract(entriesAdded, length);
  return first < 0 ? before : add(before, 1);
}

/** Whether an entry may have been deleted at this id or behind it, among those that are left. */
function hasDeletedFrom(stream: StreamValue, id: StreamId): boolean {
  const { length, firstId, maxDeletedId } = stream;
  if (length === 0 || maxDeletedId.isLeast || firstId.compare(maxDeletedId) > 0) return false;
  return id.compare(maxDeletedId) <= 0;
}

/** The group has read the entry with this id, which is above its last one. */
export function advance(stream: StreamValue, group: ConsumerGroup, id: StreamId): void {
  if (group.entriesRead !== UNKNOWN_COUNT && !hasDeletedFrom(stream, id)) {
    group.entriesRead = add(group.entriesRead, 1);
  } else if (stream.entriesAdded !== 0) {
    group.entriesRead = countUpTo(stream, id);
  }
  group.lastId.set(id);
}

/** The group's lag: how many entries it has not read yet; undefined if unknown. */
export function lag(stream: StreamValue, group: ConsumerGroup): Counter | undefined {
  const { entriesAdded } = stream;
  if (entriesAdded === 0) return 0;
  if (group.entriesRead !== UNKNOWN_COUNT && !hasDeletedFrom(stream, group.lastId)) {
    return subtract(entriesAdded, group.entriesRead);
  }
  const read = countUpTo(stream, group.lastId);
  return read === UNKNOWN_COUNT ? undefined : subtract(entriesAdded, read);
}
