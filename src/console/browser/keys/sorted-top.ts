/** Something with a key to sort by, which is computed once. */
export interface Sortable {
  readonly sortKey: string;
}

/** A text whose order is the natural one of `text`: numbers in it are compared by their value. */
export function naturalKey(text: string): string {
  return text.replace(/\d+/g, (digits) => digits.padStart(12, '0'));
}

/**
 * The first items of many, in order. Only `limit` of them are kept in order, so that adding one costs little however many there are:
 * a folder may have 200,000 keys, of which a person sees the first.
 */
export class SortedTop<Item extends Sortable> {
  #items: Item[] = [];
  /** Items that may belong to the first ones, not in order yet. */
  #fresh: Item[] = [];
  #count = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get items(): readonly Item[] {
    if (this.#fresh.length > 0) this.#order([...this.#items, ...this.#fresh]);
    return this.#items;
  }

  /** How many items are not among the first ones. */
  get hidden(): number {
    return this.#count - this.items.length;
  }

  add(item: Item): void {
    this.#count++;
    const last = this.#items[this.#limit - 1];
    if (last !== undefined && last.sortKey <= item.sortKey) return;
    this.#fresh.push(item);
    if (this.#fresh.length >= MAX_FRESH * this.#limit) this.#order([...this.#items, ...this.#fresh]);
  }

  /** Begins again with these items, after some were removed. */
  rebuild(all: Iterable<Item>): void {
    const items = [...all];
    this.#count = items.length;
    this.#order(items);
  }

  #order(items: Item[]): void {
    items.sort((one, other) => (one.sortKey < other.sortKey ? -1 : 1));
    items.length = Math.min(items.length, this.#limit);
    this.#items = items;
    this.#fresh = [];
  }
}

const MAX_FRESH = 4;
