import { EXTENDED_FORMAT, roundToFormat } from '../bytes/numbers/binary-float.js';
import { parseInteger } from '../bytes/numbers/integer.js';
import { parseLongDouble } from '../bytes/numbers/long-double.js';
import type { Call } from './call.js';
import { errors } from './errors.js';

/**
 * The timeout of a blocking command as the time at which it ends, in Unix ms; 0 is never. The argument is in seconds and
 * may have a fraction; parts of a millisecond are rounded up.
 */
export function deadlineArgument(call: Call, index: number): number {
  const { buf, start, end } = call.arg(index);
  const seconds = parseInteger(buf, start, end);
  const milliseconds = Number.isNaN(seconds)
    ? millisecondsOf(buf.latin1Slice(start, end))
    : Math.trunc(seconds * 1000);
  // Beyond 64 bits the number wraps around in Redis, which then reports a negative timeout.
  if (milliseconds < 0 || milliseconds >= 2 ** 63) throw errors.timeoutNegative;
  return milliseconds === 0 ? 0 : milliseconds + call.now;
}

/** Multiplies and rounds up exactly as a long double: -0.001 is just above -1 ms, so it is not a negative timeout. */
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
