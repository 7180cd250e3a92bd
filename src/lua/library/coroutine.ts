import { all } from '../runtime/calls.js';
import { Coroutine, refuseYield, runningCoroutine, yieldValues } from '../runtime/coroutine.js';
import { catchable, failArgument, LuaError } from '../runtime/errors.js';
import { captureFrames, positionOf } from '../runtime/frames.js';
import type { LuaFunction, LuaResult, LuaValue } from '../runtime/value.js';
import { checkFunction } from './arguments.js';
import type { Library } from './base.js';

export function coroutineLibrary(): Library {
  return { create, resume, running: () => runningCoroutine(), status, wrap, yield: yieldFunction() };
}

function create(...args: LuaValue[]): Coroutine {
  const fn = args[0];
  // A built-in function may be the body too, though a script's own is meant.
  if (typeof fn !== 'function') failArgument(1, 'Lua function expected');
  return new Coroutine(checkFunction(args, 1));
}

function checkCoroutine(args: LuaValue[]): Coroutine {
  const value = args[0];
  return value instanceof Coroutine ? value : failArgument(1, 'coroutine expected');
}

/** Why a coroutine cannot be resumed, or undefined when it can. */
function obstacle(coroutine: Coroutine): string | undefined {
  return coroutine.status === 'suspended' ? undefined : `cannot resume ${adjective(coroutine)} coroutine`;
}

function adjective(coroutine: Coroutine): string {
  return coroutine.status === 'dead' ? 'dead' : 'non-suspended';
}

function resume(...args: LuaValue[]): LuaResult {
  const coroutine = checkCoroutine(args);
  const reason = obstacle(coroutine);
  if (reason !== undefined) return [false, reason];
  try {
    return [true, ...all(coroutine.resume(args.slice(1)))];
  } catch (thrown) {
    const error = catchable(thrown);
    if (error === undefined) throw thrown;
    return [false, error.value];
  }
}

function status(...args: LuaValue[]): string {
  return checkCoroutine(args).status;
}

function wrap(...args: LuaValue[]): LuaFunction {
  const coroutine = create(...args);
  return (...values) => {
    const reason = obstacle(coroutine);
    if (reason !== undefined) throw new LuaError(positionOf(captureFrames()[0]) + reason);
    try {
      return coroutine.resume(values);
    } catch (thrown) {
      const error = catchable(thrown);
      if (error === undefined || typeof error.value !== 'string') throw thrown;
      // Lua puts the place of the call in front of the message.
      throw new LuaError(positionOf(captureFrames()[0]) + error.value);
    }
  };
}

/** Every state has its own, as functions carry the name they are installed under. */
function yieldFunction(): LuaFunction {
  const fn: LuaFunction = () => refuseYield();
  fn.generator = yieldValues;
  return fn;
}
