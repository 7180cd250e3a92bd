import { chargeError } from './budget.js';
import { calledName, captureFrames, type Frame, framesOf, positionOf } from './frames.js';
import { numberToString } from './number.js';
import { type LuaValue, typeName } from './value.js';

/** The position of an error. */
export interface ErrorPlace {
  readonly chunkName: string;
  readonly line: number;
}

/** An error raised by a script or by the runtime. Any Lua value can be an error. */
export class LuaError extends Error {
  readonly value: LuaValue;
  /** The line of the script that was running, if any. */
  readonly place: ErrorPlace | undefined;
  /** One line for each function that was running, innermost first. */
  readonly traceback: string;

  constructor(value: LuaValue, frames: readonly Frame[] = captureFrames()) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(typeof value === 'string' ? value : typeof value === 'number' ? String(value) : typeName(value));
    Error.stackTraceLimit = limit;
    this.name = 'LuaError';
    this.value = value;
    this.place = placeOf(frames);
    this.traceback = frames.map(describe).join('\n');
    chargeError();
  }

  /** An error raised by the host. Its position is that of the script, however many built-in functions are on the stack. */
  static ofHost(value: LuaValue): LuaError {
    const frames = captureFrames();
    const innermost = frames.findIndex(({ kind }) => kind === 'lua');
    return new LuaError(value, innermost < 0 ? frames : frames.slice(innermost));
  }
}

/** The innermost function if it belongs to a script, else its caller. */
function placeOf(frames: readonly Frame[]): ErrorPlace | undefined {
  const frame = frames[0]?.kind === 'native' ? frames[1] : frames[0];
  if (frame?.kind !== 'lua' || frame.site === undefined) return undefined;
  return { chunkName: frame.chunk.chunkName, line: frame.site.line };
}

function describe(frame: Frame): string {
  if (frame.kind === 'native') return `[C]: in function '${frame.name}'`;
  return frame.site === undefined ? '(tail call): ?' : `${positionOf(frame)}in function`;
}

/** An error of the language itself: its text begins with the position if a function of a script is running. */
export function fail(message: string): never {
  const frames = captureFrames();
  throw new LuaError(positionOf(frames[0]) + message, frames);
}

/** An error of a built-in function: its text begins with the position of the call. */
export function failInCall(message: string): never {
  const frames = captureFrames();
  throw new LuaError(positionOf(frames[1]) + message, frames);
}

/** A built-in function was called with the wrong argument, counted from 1. */
export function failArgument(argument: number, message: string): never {
  const frames = captureFrames();
  const called = calledName(frames[1]);
  const name = called?.name ?? '?';
  let text = `bad argument #${argument} to '${name}' (${message})`;
  if (called?.kind === 'method') {
    text =
      argument === 1
        ? `calling '${name}' on bad self (${message})`
        : `bad argument #${argument - 1} to '${name}' (${message})`;
  }
  throw new LuaError(positionOf(frames[1]) + text, frames);
}

/** `attempt to <action> <what the source calls the value> (a <type> value)`. */
export function failOperand(action: string, operand: number, value: LuaValue): never {
  const frames = captureFrames();
  const frame = frames[0];
  const name = frame?.kind === 'lua' ? frame.site?.operands?.[operand] : undefined;
  const type = typeName(value);
  const text =
    name === undefined
      ? `attempt to ${action} a ${type} value`
      : `attempt to ${action} ${name.kind} '${name.name}' (a ${type} value)`;
  throw new LuaError(positionOf(frame) + text, frames);
}

/** Raises a value as `error(value, level)` does: a string or number gets the position of that level in front. */
export function raise(value: LuaValue, level: number): never {
  const frames = captureFrames();
  const isText = typeof value === 'string' || typeof value === 'number';
  if (!isText || level <= 0) throw new LuaError(value, frames);
  throw new LuaError(
    positionOf(frames[level]) + (typeof value === 'number' ? numberToString(value) : value),
    frames,
  );
}

/**
 * The error that a script may catch, or undefined for errors that must be rethrown: the host's own errors, and those that end
 * a script.
 */
export function catchable(thrown: unknown): LuaError | undefined {
  if (thrown instanceof LuaError) return thrown;
  if (!(thrown instanceof RangeError)) return undefined;
  const frames = framesOf(thrown);
  if (thrown.message.includes('call stack')) {
    // The function that could not be entered is already on the stack. Lua reports the position of its caller.
    return new LuaError(`${positionOf(frames[1] ?? frames[0])}stack overflow`, frames.slice(1));
  }
  return new LuaError('not enough memory', frames);
}
