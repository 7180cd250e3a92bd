/** How many calls of pcall, xpcall and error handlers are in progress. */
let depth = 0;

/**
 * Lua 5.1 allows 200 nested calls from C, of which a script has these left. Deeper recursion would only be ended by the
 * size of the stack, and each level copies the results of all below it.
 */
const MAX_DEPTH = 198;

/** Error handlers may go a little deeper. */
export const EXTRA_FOR_HANDLERS = 25;

/** What pcall and xpcall give as the error when they are nested too deep. */
export const C_STACK_OVERFLOW = 'C stack overflow';

/** Begins a protected call, unless too many are in progress; `leaveProtectedCall` must follow if it returns true. */
export function enterProtectedCall(extra = 0): boolean {
  if (depth >= MAX_DEPTH + extra) return false;
  depth++;
  return true;
}

export function leaveProtectedCall(): void {
  depth--;
}
