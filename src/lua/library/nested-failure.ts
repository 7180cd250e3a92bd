import { failInCall } from '../runtime/errors.js';

/** An error deep inside a recursion, where the captured stack does not reach the call that the error names. */
class NestedFailure extends Error {}

export function failInside(message: string): never {
  throw new NestedFailure(message);
}

/** Runs a function that may {@link failInside}, and raises such an error as an error of the running built-in function. */
export function raisingNestedFailures<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof NestedFailure) failInCall(error.message);
    throw error;
  }
}
