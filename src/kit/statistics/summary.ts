import { KitError, shown } from '../foundation/index.js';
import { bucketOf, isBucket, mergeSketches, type Sketch, valueAtRank } from './sketch.js';

/** What is known of a set of values. */
export interface Summary {
  readonly count: number;
  readonly sum: number;
  readonly mean: number;
  /** The standard deviation of a sample; 0 for one value. */
  readonly deviation: number;
  readonly min: number;
  readonly max: number;
  /** Beginning and end of the period; undefined if the values are not of a period. */
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  /**
   * The value that `percent` percent of the values do not exceed (0 to 100), within 1 %.
   *
   * @example
   * summarize([1, 2, 3, 4, 100]).percentile(100); // 100
   */
  percentile(percent: number): number;
  /** One summary of both sets of values, for example of two hours or two contexts. As exact as if they had been one. */
  merge(other: Summary): Summary;
}

/** Count, mean and sum of squared distances from the mean: enough to merge two sets without loss. */
interface Moments {
  readonly count: number;
  readonly mean: number;
  readonly m2: number;
  readonly min: number;
  readonly max: number;
}

interface Period {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

const NO_PERIOD: Period = { from: undefined, to: undefined };

export class SummaryOfValues implements Summary {
  readonly count: number;
  readonly mean: number;
  readonly m2: number;
  readonly min: number;
  readonly max: number;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly sketch: Sketch;

  constructor({ count, mean, m2, min, max }: Moments, sketch: Sketch, { from, to }: Period = NO_PERIOD) {
    this.count = count;
    this.mean = mean;
    this.m2 = m2;
    this.min = min;
    this.max = max;
    this.sketch = sketch;
    this.from = from;
    this.to = to;
  }

  get sum(): number {
    return this.mean * this.count;
  }

  get deviation(): number {
    return this.count < 2 ? 0 : Math.sqrt(this.m2 / (this.count - 1));
  }

  percentile(percent: number): number {
    if (!(percent >= 0 && percent <= 100)) {
      throw new KitError('OPTION', `percentile: pass a number from 0 to 100, not ${shown(percent)}`);
    }
    const rank = Math.max(1, Math.ceil((percent / 100) * this.count));
    if (rank === 1) return this.min;
    if (rank === this.count) return this.max;
    return Math.min(this.max, Math.max(this.min, valueAtRank(this.sketch, rank)));
  }

  merge(other: Summary): Summary {
    if (!(other instanceof SummaryOfValues)) {
      throw new KitError('OPTION', 'merge: pass a summary that `read`, `summarize` or `merge` returned');
    }
    const count = this.count + other.count;
    const delta = other.mean - this.mean;
    const moments = {
      count,
      mean: this.mean + (delta * other.count) / count,
      m2: this.m2 + other.m2 + (delta * delta * this.count * other.count) / count,
      min: Math.min(this.min, other.min),
      max: Math.max(this.max, other.max),
    };
    const period = {
      from: earliest(this.from, other.from),
      to: latest(this.to, other.to),
    };
    return new SummaryOfValues(moments, mergeSketches(this.sketch, other.sketch), period);
  }
}

/** Collects values for a summary. */
export class SummaryBuilder {
  #count = 0;
  #mean = 0;
  #m2 = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  readonly #sketch = new Map<string, number>();

  add(value: number): void {
    this.#count++;
    const delta = value - this.#mean;
    this.#mean += delta / this.#count;
    this.#m2 += delta * (value - this.#mean);
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
    const bucket = bucketOf(value);
    this.#sketch.set(bucket, (this.#sketch.get(bucket) ?? 0) + 1);
  }

  build(): SummaryOfValues {
    const moments = {
      count: this.#count,
      mean: this.#mean,
      m2: this.#m2,
      min: this.#min,
      max: this.#max,
    };
    return new SummaryOfValues(moments, new Map(this.#sketch));
  }
}

/**
 * A summary of values that are at hand, to be compared or merged with one from the store; undefined for no values.
 *
 * @example
 * summarize([2, 4, 9])?.mean; // 5
 */
export function summarize(values: Iterable<number>): Summary | undefined {
  const builder = new SummaryBuilder();
  let isEmpty = true;
  for (const value of values) {
    builder.add(checkedValue('summarize', value));
    isEmpty = false;
  }
  return isEmpty ? undefined : builder.build();
}

/** Larger numbers could not be squared. */
const LARGEST = 1e100;

export function checkedValue(owner: string, value: unknown): number {
  if (typeof value === 'number' && Math.abs(value) <= LARGEST) return value;
  throw new KitError(
    'OPTION',
    `${owner}: a value must be a number from -1e100 to 1e100, not ${shown(value)}`,
  );
}

/** The summary that a hash holds; undefined if the hash does not exist. */
export function summaryFrom(fields: readonly string[], from: Date, to: Date): SummaryOfValues | undefined {
  if (fields.length === 0) return undefined;
  const sketch = new Map<string, number>();
  const moments: Record<string, number> = {};
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] as string;
    if (isBucket(name)) sketch.set(name, Number(fields[i + 1]));
    else moments[name] = Number(fields[i + 1]);
  }
  return new SummaryOfValues(moments as unknown as Moments, sketch, { from, to });
}

function earliest(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}

function latest(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one > other ? one : other;
}
