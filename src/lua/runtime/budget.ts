/** The number of calls, or of other steps (iterations of loops), after which a script calls the host. */
const STEPS = 100_000;
/** Creating or reading this many bytes of strings counts as one step: the host is called at least every 6 MB. */
const BYTES_PER_STEP = 64;

/** Decides when a running script calls its host. */
export class Budget {
  /** Calls of functions. They are counted apart, since only they use up the stack. */
  calls = STEPS;
  left = STEPS;
  readonly #onUsedUp: () => void;

  constructor(onUsedUp: () => void) {
    this.#onUsedUp = onUsedUp;
  }

  /** The host may throw. The script can catch a LuaError, but no other error. */
  refill(): void {
    this.calls = STEPS;
    this.left = STEPS;
    this.#onUsedUp();
  }
}

/** The cost, in steps, of raising an error and finding its position. */
const STEPS_OF_ERROR = 200;

let inForce: Budget | undefined;

/** Sets the owner of the running script, and returns the previous one. */
export function useBudget(budget: Budget | undefined): Budget | undefined {
  const before = inForce;
  inForce = budget;
  return before;
}

/** Counts an error, so that a script that mostly raises errors still calls the host in time. */
export function chargeError(): void {
  chargeSteps(STEPS_OF_ERROR);
}

/**
 * Counts the creation or reading of a long string, so that a few steps cannot fill the memory or take long before the host is
 * called.
 */
export function chargeBytes(count: number): void {
  if (count >= BYTES_PER_STEP) chargeSteps(Math.floor(count / BYTES_PER_STEP));
}

/** Counts a text and returns it: for functions that read or create it as a whole. */
export function charged(text: string): string {
  chargeBytes(text.length);
  return text;
}

/** Counts the work of a built-in function as the steps that a script would need for it. */
export function chargeSteps(count: number): void {
  if (inForce === undefined) return;
  inForce.left -= count;
  if (inForce.left < 0) inForce.refill();
}
