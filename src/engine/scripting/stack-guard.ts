import type { LuaState } from '../../lua/index.js';

/**
 * Keeps scripts from calling a command with too little stack left: an overflow inside the command would leave data half
 * changed. Testing the stack takes longer than a short command, so it is tested only after more steps than the last test
 * covered: a script gets deeper only by calls, which count as steps.
 */
export class StackGuard {
  #state: LuaState | undefined;
  #stepsLeft = 0;

  /** Called when a script begins: the stack is nearly empty. */
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

/** Uses about 50 to 150 bytes of stack per call. */
function tryOut(depth: number): number {
  return depth === 0 ? 0 : 1 + tryOut(depth - 1);
}

/** A step uses up to 512 bytes of stack, unless a function has very many variables. A command needs some more. */
const STEPS_COVERED = 128;
const TRIAL_DEPTH = 1500;
