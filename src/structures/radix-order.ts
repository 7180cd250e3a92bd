/**
 * The order of keys of a fixed size: their places in `keys`, the lowest key first. A key is `width` unsigned words, the most significant
 * first; equal keys keep their order. A radix sort from the least significant byte on: linear time, no comparison. Bytes that are the same
 * in all keys cost nothing, so short and similar keys are ordered in a few passes.
 */
export function radixOrder(keys: Uint32Array, width: number, count: number): Uint32Array {
  const counts = countDigits(keys, width, count);
  let order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  let spare = new Uint32Array(count);
  for (let word = width - 1; word >= 0; word--) {
    for (let byte = 0; byte < BYTES; byte++) {
      const first = (word * BYTES + byte) * DIGITS;
      const shift = byte << 3;
      if (counts[first + digitOf(keys[word] as number, shift)] === count) continue;
      toPlaces(counts, first);
      for (let i = 0; i < count; i++) {
        const key = order[i] as number;
        const at = first + digitOf(keys[key * width + word] as number, shift);
        const place = counts[at] as number;
        counts[at] = place + 1;
        spare[place] = key;
      }
      [order, spare] = [spare, order];
    }
  }
  return order;
}

/** How often each digit occurs in each byte of the keys, in one pass over them. */
function countDigits(keys: Uint32Array, width: number, count: number): Uint32Array {
  const counts = new Uint32Array(width * BYTES * DIGITS);
  for (let word = 0; word < width; word++) {
    const first = word * BYTES * DIGITS;
    for (let at = word; at < count * width; at += width) {
      const value = keys[at] as number;
      for (let byte = 0; byte < BYTES; byte++) {
        const digit = first + byte * DIGITS + digitOf(value, byte << 3);
        counts[digit] = (counts[digit] as number) + 1;
      }
    }
  }
  return counts;
}

/** Replaces the counts of a byte's digits by the places where keys with these digits begin. */
function toPlaces(counts: Uint32Array, first: number): void {
  let place = 0;
  for (let at = first; at < first + DIGITS; at++) {
    const size = counts[at] as number;
    counts[at] = place;
    place += size;
  }
}

function digitOf(word: number, shift: number): number {
  return (word >>> shift) & (DIGITS - 1);
}

const BYTES = 4;
const DIGITS = 256;
