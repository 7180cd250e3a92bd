/**
 * Sorts as much of the array as is needed to order its first `wanted` elements: quicksort after Bentley and McIlroy
 * ("Engineering a sort function", 1993), which leaves the other parts unsorted. The order of equal elements depends on each step
 * of the algorithm, which is the one that Redis uses.
 */
export function sortFirst<T>(items: T[], wanted: number, compare: (a: T, b: T) => number): void {
  new PartialSort(items, wanted, compare).sort(0, items.length);
}

class PartialSort<T> {
  readonly #items: T[];
  readonly #wanted: number;
  readonly #compare: (a: T, b: T) => number;

  constructor(items: T[], wanted: number, compare: (a: T, b: T) => number) {
    this.#items = items;
    this.#wanted = wanted;
    this.#compare = compare;
  }

  /** Sorts `count` elements from `first` on. */
  sort(first: number, count: number): void {
    let start = first;
    let length = count;
    while (length >= FEW) {
      this.#swap(start, this.#pivotOf(start, length));
      const parts = this.#partition(start, length);
      if (parts.below > 1 && start < this.#wanted) this.sort(start, parts.below);
      if (parts.above <= 1) return;
      start += length - parts.above;
      length = parts.above;
      if (start >= this.#wanted) return;
    }
    this.#insertionSort(start, length);
  }

  #insertionSort(start: number, length: number): void {
    for (let i = start + 1; i < start + length; i++) {
      for (let at = i; at > start && this.#order(at - 1, at) > 0; at--) this.#swap(at, at - 1);
    }
  }

  #pivotOf(start: number, length: number): number {
    let middle = start + Math.floor(length / 2);
    if (length === FEW) return middle;
    let low = start;
    let high = start + length - 1;
    if (length > MANY) {
      const apart = Math.floor(length / 8);
      low = this.#median(low, low + apart, low + 2 * apart);
      middle = this.#median(middle - apart, middle, middle + apart);
      high = this.#median(high - 2 * apart, high - apart, high);
    }
    return this.#median(low, middle, high);
  }

  #median(a: number, b: number, c: number): number {
    if (this.#order(a, b) < 0) {
      if (this.#order(b, c) < 0) return b;
      return this.#order(a, c) < 0 ? c : a;
    }
    if (this.#order(b, c) > 0) return b;
    return this.#order(a, c) < 0 ? a : c;
  }

  /** Partitions by the pivot, at `start`: elements below it, equal ones, those above. */
  #partition(start: number, length: number): { below: number; above: number } {
    const end = start + length;
    // Equal elements are collected at both ends, up to `equalBelow` and from after `equalAbove`.
    let equalBelow = start + 1;
    let low = start + 1;
    let high = end - 1;
    let equalAbove = end - 1;
    for (;;) {
      for (; low <= high; low++) {
        const order = this.#order(low, start);
        if (order > 0) break;
        if (order === 0) this.#swap(equalBelow++, low);
      }
      for (; low <= high; high--) {
        const order = this.#order(high, start);
        if (order < 0) break;
        if (order === 0) this.#swap(high, equalAbove--);
      }
      if (low > high) break;
      this.#swap(low++, high--);
    }
    const below = low - equalBelow;
    const above = equalAbove - high;
    this.#swapRanges(start, low, Math.min(equalBelow - start, below));
    this.#swapRanges(low, end, Math.min(above, end - equalAbove - 1));
    return { below, above };
  }

  /** Exchanges `count` elements from `first` on with those just before `end`. */
  #swapRanges(first: number, end: number, count: number): void {
    for (let i = 0; i < count; i++) this.#swap(first + i, end - count + i);
  }

  #order(a: number, b: number): number {
    return this.#compare(this.#items[a] as T, this.#items[b] as T);
  }

  #swap(a: number, b: number): void {
    const item = this.#items[a] as T;
    this.#items[a] = this.#items[b] as T;
    this.#items[b] = item;
  }
}

/** Fewer items than this are sorted by insertion. */
const FEW = 7;
/** With more items than this, the pivot is chosen from nine instead of three. */
const MANY = 40;
