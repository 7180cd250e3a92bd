/** How many steps (calls and rounds of loops) a script may take before the host is asked. */
const STEPS = 100_000;
/** Making or reading this many bytes of string counts as one step: the host is asked at least every 6 MB. */
const BYTES_PER_STEP = 64;

/** Decides when a running script calls its host. */
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

/** What it takes to raise an error and to find out where, in steps. */
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

/** Counts a long string that is made or read, so that few steps can neither fill the memory nor take long unnoticed. */
export function chargeBytes(count: number): void {
  if (count >= BYTES_PER_STEP) chargeSteps(Math.floor(count / BYTES_PER_STEP));
}

/** The text itself, counted: for functions that read or make it whole. */
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
