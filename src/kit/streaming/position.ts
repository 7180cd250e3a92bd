/** A position in a stream: the id of an entry, `1700000000000-0`. */

/** Before all entries. */
export const BEGINNING = '0-0';

export function isPosition(text: string): boolean {
  return /^\d{1,15}-\d{1,15}$/.test(text);
}

/** Below 0 if the first one is before the second, 0 if they are the same. */
export function comparePositions(one: string, other: string): number {
  if (one === other) return 0;
  const [ms = 0, sequence = 0] = one.split('-').map(Number);
  const [otherMs = 0, otherSequence = 0] = other.split('-').map(Number);
  return ms - otherMs || sequence - otherSequence;
}
