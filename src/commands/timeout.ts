import { EXTENDED_FORMAT, roundToFormat } from '../bytes/numbers/binary-float.js';
import { parseInteger } from '../bytes/numbers/integer.js';
import { parseLongDouble } from '../bytes/numbers/long-double.js';
import type { Call } from './call.js';
import { errors } from './errors.js';

/**
 * The argument as the time at which a blocking command stops waiting, in Unix ms; 0 is never. Given in seconds, with a
 * fraction if need be; parts of a millisecond are rounded up.
 */
export function deadlineArgument(call: Call, index: number): number {
  const { buf, start, end } = call.arg(index);
  const seconds = parseInteger(buf, start, end);
  const milliseconds = Number.isNaN(seconds)
    ? millisecondsOf(buf.latin1Slice(start, end))
    : Math.trunc(seconds * 1000);
  // What is beyond 64 bits wraps around in Redis, which then complains of a negative timeout.
  if (milliseconds < 0 || milliseconds >= 2 ** 63) throw errors.timeoutNegative;
  return milliseconds === 0 ? 0 : milliseconds + call.now;
}

/** Exactly as a long double is multiplied and rounded up: -0.001 is just above -1 ms, and so no negative timeout. */
function millisecondsOf(text: string): number {
  const seconds = parseLongDouble(text);
  if (seconds === undefined) throw errors.timeoutNotFloat;
  if (seconds.mantissa === undefined) return Number.POSITIVE_INFINITY;
  const product = roundToFormat(seconds.mantissa * 1000n, seconds.exponent, false, EXTENDED_FORMAT);
  if (product === undefined) return Number.POSITIVE_INFINITY;
  const { mantissa, exponent } = product;
  if (exponent >= 0) {
    const magnitude = Number(mantissa) * 2 ** exponent;
    return seconds.negative ? -magnitude : magnitude;
  }
  const unit = 1n << BigInt(-exponent);
  const whole = mantissa / unit;
  if (seconds.negative) return whole === 0n ? 0 : -Number(whole);
  return Number(whole * unit === mantissa ? whole : whole + 1n);
}
