/** Keeps the values that were used last, up to a number of them. */
export class RecentlyUsed<Key, Value> {
  readonly #max: number;
  readonly #values = new Map<Key, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: Key): Value | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    // A map keeps the order of insertion.
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    if (this.#max === 0) return;
    this.#values.set(key, value);
    if (this.#values.size <= this.#max) return;
    const [oldest] = this.#values.keys();
    this.#values.delete(oldest as Key);
  }

  delete(key: Key): void {
    this.#values.delete(key);
  }
}
