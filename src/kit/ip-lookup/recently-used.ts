/**
 * Keeps values that were used recently: at least the last `max / 2` of them, at most `max`. A hit costs one lookup in a map:
 * values are not moved, except once when a generation ends.
 */
export class RecentlyUsed<Value> {
  readonly #half: number;
  #young = new Map<number, Value>();
  #old = new Map<number, Value>();

  constructor(max: number) {
    this.#half = Math.ceil(max / 2);
  }

  get(key: number): Value | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const older = this.#old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: number, value: Value): void {
    if (this.#half === 0) return;
    if (this.#young.size >= this.#half) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
