import { parseDouble } from '../bytes/double.js';
import { parseLongDouble } from '../bytes/long-double.js';
import type { Call } from './call.js';
import { errors } from './errors.js';

/**
 * The argument as the time at which a blocking command stops waiting, in Unix ms; 0 is never. Given in seconds, with a
 * fraction if need be; parts of a millisecond are rounded up.
 */
export function deadlineArgument(call: Call, index: number): number {
  const { buf, start, end } = call.arg(index);
  let seconds = parseDouble(buf, start, end);
  if (Number.isNaN(seconds)) seconds = beyondDoubles(buf.latin1Slice(start, end));
  const milliseconds = Math.ceil(seconds * 1000);
  if (milliseconds >= LARGEST) throw errors.timeoutOutOfRange;
  if (milliseconds < 0) throw errors.timeoutNegative;
  if (milliseconds === 0) return 0;
  if (milliseconds + call.now >= LARGEST) throw errors.timeoutOutOfRange;
  return milliseconds + call.now;
}

/** Redis reads a long double: what no double can hold is still a number, too large to wait for or all but zero. */
function beyondDoubles(text: string): number {
  const extended = parseLongDouble(text);
  if (extended === undefined) throw errors.timeoutNotFloat;
  const { negative, mantissa, exponent } = extended;
  const magnitude = mantissa === undefined || exponent > 0 ? Number.POSITIVE_INFINITY : Number.MIN_VALUE;
  return negative ? -magnitude : magnitude;
}

const LARGEST = 2 ** 63;
