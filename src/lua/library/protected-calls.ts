/** The number of calls of pcall, xpcall and error handlers in progress. */
let depth = 0;

/**
 * Lua 5.1 allows 200 nested calls from C, of which a script has these left. Without this limit, only the size of the stack
 * would end a deeper recursion, and each level copies the results of all levels below it.
 */
const MAX_DEPTH = 198;

/** Error handlers may go a little deeper. */
export const EXTRA_FOR_HANDLERS = 25;

/** The error that pcall and xpcall return when they are nested too deeply. */
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
