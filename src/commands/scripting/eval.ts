import type { Call } from '../call.js';

/** Called `eval` in the rows, which is not allowed as a name in strict mode. */
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
