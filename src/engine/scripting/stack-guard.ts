import type { LuaState } from '../../lua/index.js';

/**
 * Keeps commands from being called with too little stack left: one that overflowed half-way would leave its data half
 * changed. Trying the stack out takes longer than a short command, so it is done only when a script may have come
 * deeper by more than the last trial covered: the calls it has made since are among its steps.
 */
export class StackGuard {
  #state: LuaState | undefined;
  #stepsLeft = 0;

  /** A script begins, on a stack that is all but empty. */
  begin(state: LuaState): void {
    this.#state = state;
    this.#stepsLeft = state.stepsLeft;
  }

  /** Raises a stack overflow in the script if there is not enough stack for a command. */
  check(): void {
    const state = this.#state as LuaState;
    const { stepsLeft } = state;
    const steps = this.#stepsLeft - stepsLeft;
    if (steps >= 0 && steps < STEPS_COVERED) return;
    try {
      tryOut(TRIAL_DEPTH);
    } catch {
      state.fail('stack overflow');
    }
    this.#stepsLeft = stepsLeft;
  }
}

/** Takes some 50 to 150 bytes of stack for each call. */
function tryOut(depth: number): number {
  return depth === 0 ? 0 : 1 + tryOut(depth - 1);
}

/** A step takes up to half a kilobyte of stack, unless a function has a great many variables; a command some more. */
const STEPS_COVERED = 128;
const TRIAL_DEPTH = 1500;
