/**
 * The parties that keep something from happening, such as the sending of replies, until all of them have released it. (A
 * boolean would be cleared by the first party that is done.)
 */
export class Holders {
  /** Whether any party holds. A field, since hot paths ask. */
  isHeld = false;
  readonly #parties = new Set<object>();
  readonly #changed: (isHeld: boolean) => void;

  /** `changed` is called when the first party begins to hold and when the last one has released. */
  constructor(changed: (isHeld: boolean) => void = () => {}) {
    this.#changed = changed;
  }

  /** Holding twice is the same as holding once. */
  hold(party: object): void {
    this.#parties.add(party);
    if (this.isHeld) return;
    this.isHeld = true;
    this.#changed(true);
  }

  /** Does nothing if the party does not hold. */
  release(party: object): void {
    if (!this.#parties.delete(party) || this.#parties.size > 0) return;
    this.isHeld = false;
    this.#changed(false);
  }
}
