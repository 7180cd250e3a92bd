import { failInCall } from '../runtime/errors.js';

/** An error found deep inside a recursion, where the call to blame is too far up the stack to be seen. */
class NestedFailure extends Error {}

export function failInside(message: string): never {
  throw new NestedFailure(message);
}

/** Runs something that may {@link failInside}, and raises such an error as one of the running built-in function. */
export function raisingNestedFailures<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof NestedFailure) failInCall(error.message);
    throw error;
  }
}
