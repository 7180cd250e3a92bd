import type { Call } from './call.js';
import { CommandError } from './errors.js';

/** An integer argument that will be negated, which the lowest 64-bit integer cannot be. */
export function negatableInteger(call: Call, index: number): number {
  const value = call.integer(index);
  if (value <= LOWEST && call.text(index) === String(LOWEST_EXACT)) throw outOfRange;
  return value;
}

const LOWEST_EXACT = -(2n ** 63n);
const LOWEST = Number(LOWEST_EXACT);
const outOfRange = new CommandError(
  'ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807',
);
