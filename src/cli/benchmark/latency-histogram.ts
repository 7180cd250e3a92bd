/** Latencies in microseconds, counted in ranges no wider than a thousandth of their value. */
export class LatencyHistogram {
  readonly #counts: Float64Array;
  count = 0;
  sum = 0;
  min = 0;
  max = 0;

  constructor(counts: Float64Array = new Float64Array(EXACT + (31 - EXACT_BITS) * HALF)) {
    this.#counts = counts;
  }

  record(microseconds: number, times: number): void {
    const value = Math.min(MAX_VALUE, Math.max(0, Math.round(microseconds)));
    if (this.count === 0 || value < this.min) this.min = value;
    if (value > this.max) this.max = value;
    const index = indexOf(value);
    this.#counts[index] = (this.#counts[index] as number) + times;
    this.count += times;
    this.sum += value * times;
  }

  /** The latency that this share of the requests, in percent, did not exceed. */
  percentile(percent: number): number {
    const wanted = Math.max(1, Math.ceil((percent / 100) * this.count));
    let seen = 0;
    for (let index = 0; index < this.#counts.length; index++) {
      seen += this.#counts[index] as number;
      if (seen >= wanted) return Math.min(this.max, upperEnd(index));
    }
    return this.max;
  }

  /** How many did not take longer. */
  countUpTo(microseconds: number): number {
    let seen = 0;
    const end = indexOf(Math.min(MAX_VALUE, microseconds));
    for (let index = 0; index <= end; index++) seen += this.#counts[index] as number;
    return seen;
  }

  get average(): number {
    return this.count === 0 ? 0 : this.sum / this.count;
  }

  add(other: LatencyHistogram): void {
    if (other.count === 0) return;
    this.min = this.count === 0 ? other.min : Math.min(this.min, other.min);
    this.max = Math.max(this.max, other.max);
    this.count += other.count;
    this.sum += other.sum;
    for (let index = 0; index < this.#counts.length; index++) {
      this.#counts[index] = (this.#counts[index] as number) + (other.#counts[index] as number);
    }
  }

  /** For another thread. */
  toMessage(): HistogramMessage {
    const { count, sum, min, max } = this;
    return { counts: this.#counts, count, sum, min, max };
  }

  static fromMessage({ counts, ...totals }: HistogramMessage): LatencyHistogram {
    return Object.assign(new LatencyHistogram(counts), totals);
  }
}

export interface HistogramMessage {
  readonly counts: Float64Array;
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

const EXACT_BITS = 11;
/** Below this, every microsecond has its own count. */
const EXACT = 1 << EXACT_BITS;
const HALF = EXACT / 2;
const MAX_VALUE = 2 ** 31 - 1;

function indexOf(value: number): number {
  if (value < EXACT) return value;
  const shift = 32 - EXACT_BITS - Math.clz32(value);
  return EXACT + (shift - 1) * HALF + (value >>> shift) - HALF;
}

/** The highest value that is counted there. */
function upperEnd(index: number): number {
  if (index < EXACT) return index;
  const shift = Math.floor((index - EXACT) / HALF) + 1;
  return (((index - EXACT) % HALF) + HALF + 1) * 2 ** shift - 1;
}
