/** How many steps (calls and rounds of loops) a script may take before the host is asked. */
const STEPS = 100_000;
/** Making that many bytes of string counts as one step: the host is asked at least every 6 MB. */
const BYTES_PER_STEP = 64;

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

/** What it takes to raise an error and to find out where, in steps. */
const STEPS_OF_ERROR = 200;

let inForce: Budget | undefined;

/** Says whose script is running now, and returns whose was. */
export function useBudget(budget: Budget | undefined): Budget | undefined {
  const before = inForce;
  inForce = budget;
  return before;
}

/** Counts an error, so that a script that does little else is not left alone for seconds. */
export function chargeError(): void {
  if (inForce === undefined) return;
  inForce.left -= STEPS_OF_ERROR;
  if (inForce.left < 0) inForce.refill();
}

/** Counts a long string that is about to be made, so that few steps cannot fill the memory unnoticed. */
export function chargeBytes(count: number): void {
  if (inForce === undefined || count < BYTES_PER_STEP) return;
  inForce.left -= Math.floor(count / BYTES_PER_STEP);
  if (inForce.left < 0) inForce.refill();
}
