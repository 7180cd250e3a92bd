/** How many steps (calls and rounds of loops) a script may take before the host is asked. */
const STEPS = 100_000;

/** Decides when a running script lets its host have a say. */
export class Budget {
  left = STEPS;
  readonly #onUsedUp: () => void;

  constructor(onUsedUp: () => void) {
    this.#onUsedUp = onUsedUp;
  }

  /** The host may throw: what is not a LuaError cannot be caught by the script. */
  refill(): void {
    this.left = STEPS;
    this.#onUsedUp();
  }
}
