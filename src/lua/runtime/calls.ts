import { failOperand } from './errors.js';
import { isNative } from './frames.js';
import { metamethod } from './metatables.js';
import { LuaTable } from './table.js';
import type { LuaFunction, LuaResult, LuaValue } from './value.js';

/** A deferred tail call: the caller that receives it as a result makes the call. */
class DeferredCall extends Array<LuaValue> {
  fn: LuaFunction | undefined = undefined;
  args: LuaValue[] = [];
}

/** The number of tail calls since the last one that was deferred. */
export const tails = { made: 0 };

/** A built-in function is called immediately: it does not replace its caller, whose position appears in its errors. */
export function deferCall(fn: LuaFunction, args: LuaValue[]): LuaResult {
  tails.made = 0;
  if (isNative(fn)) return fn(...args);
  const deferred = new DeferredCall();
  deferred.fn = fn;
  deferred.args = args;
  return deferred;
}

/** Makes deferred calls until one returns results. */
export function finish(result: LuaResult): LuaResult {
  while (result instanceof DeferredCall) {
    tails.made = 0;
    result = (result.fn as LuaFunction)(...result.args);
  }
  return result;
}

/** The first of several results. */
export function first(results: LuaValue[]): LuaValue {
  if (results instanceof DeferredCall) {
    const finished = finish(results);
    return Array.isArray(finished) ? finished[0] : finished;
  }
  return results.length === 0 ? undefined : results[0];
}

/** The results as an array, which the caller must not change. */
export function all(result: LuaResult): LuaValue[] {
  if (!Array.isArray(result)) return [result];
  if (!(result instanceof DeferredCall)) return result;
  const finished = finish(result);
  return Array.isArray(finished) ? finished : [finished];
}

/** The function to call for a value that is not a function: its metamethod, or a function that raises the error. */
export function callable(value: LuaValue): LuaFunction {
  const handler = metamethod(value, '__call');
  if (typeof handler === 'function') return withFirst(handler, value);
  return () => failOperand('call', 0, value);
}

function withFirst(handler: LuaFunction, value: LuaValue): LuaFunction {
  const fn: LuaFunction = (...args) => handler(value, ...args);
  const { generator } = handler;
  if (generator !== undefined) fn.generator = (...args) => generator(value, ...args);
  return fn;
}

/** Calls any value from a built-in function. */
export function call(fn: LuaValue, ...args: LuaValue[]): LuaResult {
  const callee = typeof fn === 'function' ? fn : callable(fn);
  const result = callee(...args);
  return Array.isArray(result) ? finish(result) : result;
}

/** Calls any value and keeps the first result. */
export function callForOne(fn: LuaValue, ...args: LuaValue[]): LuaValue {
  const callee = typeof fn === 'function' ? fn : callable(fn);
  const result = callee(...args);
  return Array.isArray(result) ? first(result) : result;
}

/** Creates the table `arg` of Lua 5.0. */
export function packArguments(args: LuaValue[]): LuaTable {
  const table = new LuaTable(args.slice(), 1);
  table.set('n', args.length);
  return table;
}
