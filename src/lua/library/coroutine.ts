import { all } from '../runtime/calls.js';
import { Coroutine, refuseYield, runningCoroutine, yieldValues } from '../runtime/coroutine.js';
import { catchable, failArgument, LuaError } from '../runtime/errors.js';
import { captureFrames, isNative, positionOf } from '../runtime/frames.js';
import type { LuaFunction, LuaResult, LuaValue } from '../runtime/value.js';
import type { Library } from './base.js';

export function coroutineLibrary(): Library {
  return {
    create: (...args) => coroutineOf(args[0]),
    resume,
    running: () => runningCoroutine(),
    status,
    wrap,
    yield: yieldFunction(),
  };
}

function coroutineOf(fn: LuaValue): Coroutine {
  if (typeof fn !== 'function' || isNative(fn)) return failArgument(1, 'Lua function expected');
  return new Coroutine(fn);
}

function checkCoroutine(args: LuaValue[]): Coroutine {
  const value = args[0];
  return value instanceof Coroutine ? value : failArgument(1, 'coroutine expected');
}

/** Why a coroutine cannot be resumed, or undefined when it can. */
function obstacle(coroutine: Coroutine): string | undefined {
  return coroutine.status === 'suspended' ? undefined : `cannot resume ${coroutine.status} coroutine`;
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
  const coroutine = coroutineOf(args[0]);
  return (...values) => {
    const reason = obstacle(coroutine);
    if (reason !== undefined) throw new LuaError(positionOf(captureFrames()[0]) + reason);
    try {
      return coroutine.resume(values);
    } catch (thrown) {
      const error = catchable(thrown);
      if (error === undefined || typeof error.value !== 'string') throw thrown;
      // Lua prefixes the message with the position of the call.
      throw new LuaError(positionOf(captureFrames()[0]) + error.value);
    }
  };
}

/** Every state has its own copies because a function stores the name it is registered under. */
function yieldFunction(): LuaFunction {
  const fn: LuaFunction = () => refuseYield();
  fn.generator = yieldValues;
  return fn;
}
