interface Slot<Value> {
  readonly key: number;
  value: Value;
  /** Since the hand last passed. */
  isUsed: boolean;
}

/**
 * Keeps `max` values, and prefers those that were used: a hand goes round over them when room is needed, passes over each that was used
 * since it was there last, and drops the first that was not. A hit costs one lookup in a map; nothing is moved.
 */
export class RecentlyUsed<Value> {
  readonly #max: number;
  readonly #byKey = new Map<number, Slot<Value>>();
  readonly #circle: Slot<Value>[] = [];
  #hand = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get(key: number): Value | undefined {
    const slot = this.#byKey.get(key);
    if (slot === undefined) return undefined;
    slot.isUsed = true;
    return slot.value;
  }

  set(key: number, value: Value): void {
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.value = value;
      return;
    }
    if (this.#max === 0) return;
    const slot = { key, value, isUsed: false };
    if (this.#circle.length < this.#max) this.#circle.push(slot);
    else this.#replace(slot);
    this.#byKey.set(key, slot);
  }

  #replace(slot: Slot<Value>): void {
    for (;;) {
      const at = this.#hand;
      const old = this.#circle[at] as Slot<Value>;
      this.#hand = (at + 1) % this.#max;
      if (!old.isUsed) {
        this.#byKey.delete(old.key);
        this.#circle[at] = slot;
        return;
      }
      old.isUsed = false;
    }
  }
}
