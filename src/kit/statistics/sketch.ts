/**
 * A histogram with buckets that grow by 2 %, so that every value is known within 1 %, however large or small it is. Two of
 * them are merged by adding the counts of their buckets, without any further error. (The idea is that of DDSketch: Masson,
 * Rim, Lee, 2019.)
 */
export type Sketch = ReadonlyMap<string, number>;

/** Max relative error of a percentile. All sketches have the same, so that any two can be merged. */
export const ACCURACY = 0.01;
const GROWTH = (1 + ACCURACY) / (1 - ACCURACY);
const LOG_GROWTH = Math.log(GROWTH);
/** Values closer to zero count as zero. */
export const SMALLEST = 1e-9;

/** The name of the bucket that holds a value: `z`, `p` or `n` with the exponent of its upper end. */
export function bucketOf(value: number): string {
  const size = Math.abs(value);
  if (size < SMALLEST) return 'z';
  return `${value > 0 ? 'p' : 'n'}${Math.ceil(Math.log(size) / LOG_GROWTH)}`;
}

const BUCKET = /^(?:z|[pn]-?\d+)$/;

export function isBucket(name: string): boolean {
  return BUCKET.test(name);
}

/** The value in the middle of a bucket: no value of the bucket is farther away than `ACCURACY`. */
function middleOf(bucket: string): number {
  if (bucket === 'z') return 0;
  const size = (2 * GROWTH ** Number(bucket.slice(1))) / (GROWTH + 1);
  return bucket.startsWith('p') ? size : -size;
}

/** About the value of this rank, counted from 1 for the smallest. */
export function valueAtRank(sketch: Sketch, rank: number): number {
  const buckets = [...sketch].map(([name, count]) => ({ value: middleOf(name), count }));
  let seen = 0;
  let found = 0;
  for (const { value, count } of buckets.sort((a, b) => a.value - b.value)) {
    found = value;
    seen += count;
    if (seen >= rank) break;
  }
  return found;
}

export function mergeSketches(one: Sketch, other: Sketch): Sketch {
  const merged = new Map(one);
  for (const [bucket, count] of other) merged.set(bucket, (merged.get(bucket) ?? 0) + count);
  return merged;
}
