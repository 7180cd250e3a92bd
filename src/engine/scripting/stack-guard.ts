import type { LuaState } from '../../lua/index.js';

/**
 * Keeps scripts from calling a command with too little stack left: an overflow inside the command would leave data half
 * changed. Testing the stack takes longer than a short command, so it is tested only after more calls of Lua functions
 * than the last test covered: a script gets deeper only by calls.
 */
export class StackGuard {
  #state: LuaState | undefined;
  #callsLeft = 0;

  /** Called when a script begins: the stack is nearly empty. */
  begin(state: LuaState): void {
    this.#state = state;
    this.#callsLeft = state.callsLeft;
  }

  /** Raises a stack overflow in the script if there is not enough stack for a command. */
  check(): void {
    const state = this.#state as LuaState;
    const { callsLeft } = state;
    const calls = this.#callsLeft - callsLeft;
    if (calls >= 0 && calls < CALLS_COVERED) return;
    try {
      tryOut(TRIAL_DEPTH);
    } catch {
      state.fail('stack overflow');
    }
    this.#callsLeft = callsLeft;
  }
}

/** Uses about 50 to 150 bytes of stack per call. */
function tryOut(depth: number): number {
  return depth === 0 ? 0 : 1 + tryOut(depth - 1);
}

/** A call uses up to 512 bytes of stack, unless a function has very many variables. A command needs some more. */
const CALLS_COVERED = 128;
const TRIAL_DEPTH = 1500;
