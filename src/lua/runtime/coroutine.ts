import { call, finish } from './calls.js';
import { LuaError } from './errors.js';
import { type LuaFunction, LuaObject, type LuaResult, type LuaValue } from './value.js';

type Body = Generator<LuaValue[], LuaResult, LuaValue[]>;

export type CoroutineStatus = 'suspended' | 'running' | 'normal' | 'dead';

let current: Coroutine | undefined;
/** Calls on the stack since the current coroutine was entered that cannot be suspended. */
let plainCalls = 0;

/** The running coroutine, or undefined in the main program. */
export function runningCoroutine(): Coroutine | undefined {
  return current;
}

/** A Lua thread: a function that can be suspended and resumed. */
export class Coroutine extends LuaObject {
  status: CoroutineStatus = 'suspended';
  readonly #fn: LuaFunction;
  #body: Body | undefined = undefined;

  constructor(fn: LuaFunction) {
    super();
    this.#fn = fn;
  }

  get typeName(): 'thread' {
    return 'thread';
  }

  /** Runs until the next yield or the end and returns the values that were yielded or returned. Errors end the coroutine. */
  resume(args: LuaValue[]): LuaResult {
    const caller = current;
    const plainCallsOfCaller = plainCalls;
    plainCalls = 0;
    if (caller !== undefined) caller.status = 'normal';
    current = this;
    this.status = 'running';
    let next: CoroutineStatus = 'dead';
    try {
      if (this.#body === undefined) {
        const { generator } = this.#fn;
        if (generator === undefined) return call(this.#fn, ...args);
        this.#body = generator(...args);
      }
      const step = this.#body.next(args);
      if (!step.done) next = 'suspended';
      return Array.isArray(step.value) ? finish(step.value) : step.value;
    } finally {
      this.status = next;
      current = caller;
      plainCalls = plainCallsOfCaller;
      if (caller !== undefined) caller.status = 'running';
    }
  }
}

/** A Lua function of a script that uses coroutines: called as a plain function, it cannot be suspended. */
export function suspendable(generator: NonNullable<LuaFunction['generator']>): LuaFunction {
  const fn: LuaFunction = (...args) => {
    plainCalls++;
    try {
      // A plain call cannot be suspended: yielding fails while plain calls are on the stack.
      return generator(...args).next([]).value;
    } finally {
      plainCalls--;
    }
  };
  fn.generator = generator;
  return fn;
}

/** `coroutine.yield` when called from code that can be suspended. */
export function* yieldValues(...args: LuaValue[]): Body {
  if (plainCalls > 0 || current === undefined) refuseYield();
  return yield args;
}

export function refuseYield(): never {
  throw new LuaError('attempt to yield across metamethod/C-call boundary');
}

/** A call from code that can be suspended. */
export function* invoke(fn: LuaFunction, ...args: LuaValue[]): Body {
  const { generator } = fn;
  if (generator !== undefined) return yield* generator(...args);
  const result = fn(...args);
  return Array.isArray(result) ? finish(result) : result;
}
