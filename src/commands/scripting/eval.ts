import type { Call } from '../call.js';

/** `evaluate` is called `eval` in the rows, a name strict code may not use. */
export function evaluate(call: Call): void {
  call.engine.scripting.evaluate(call, 'source', false);
}

export function evalReadonly(call: Call): void {
  call.engine.scripting.evaluate(call, 'source', true);
}

export function evalsha(call: Call): void {
  call.engine.scripting.evaluate(call, 'sha', false);
}

export function evalshaReadonly(call: Call): void {
  call.engine.scripting.evaluate(call, 'sha', true);
}

export function fcall(call: Call): void {
  call.engine.scripting.functions.call(call, false);
}

export function fcallReadonly(call: Call): void {
  call.engine.scripting.functions.call(call, true);
}
