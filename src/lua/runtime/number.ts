import { DOUBLE_FORMAT, roundToFormat, toNumber } from '../../bytes/numbers/binary-float.js';
import { readNumberText } from '../../bytes/numbers/number-text.js';
import { charCodeAt } from '../../bytes/text.js';

/** Converts numbers to text and back as Lua 5.1 does with C's `strtod` and `%.14g`. */

/** Parses a whole text as a number; spaces around it are allowed. Undefined if it is not a number. */
export function parseNumber(text: string): number | undefined {
  const { length } = text;
  if (length > 0 && length < 16) {
    let value = 0;
    let at = 0;
    for (; at < length; at++) {
      const digit = charCodeAt(text, at) - 48;
      if (!(digit >= 0 && digit <= 9)) break;
      value = value * 10 + digit;
    }
    if (at === length) return value;
  }
  return isPlainDecimal(text) ? Number(text) : parseAnyNumber(text);
}

/** Digits with at most one point among them: JavaScript reads these as C does. */
function isPlainDecimal(text: string): boolean {
  const { length } = text;
  if (length > MAX_PLAIN) return false;
  let digits = 0;
  for (let at = 0; at < length; at++) {
    const code = charCodeAt(text, at);
    if (code >= 48 && code <= 57) digits++;
    else if (code !== 46) return false;
  }
  return digits > 0 && digits >= length - 1;
}

const MAX_PLAIN = 40;

function parseAnyNumber(text: string): number | undefined {
  // C reads up to the first NUL.
  const terminator = text.indexOf('\0');
  const readable = terminator < 0 ? text : text.slice(0, terminator);
  const number = readNumberText(readable);
  if (number === undefined) return undefined;
  if (!/^[ \t-\r]*$/.test(readable.slice(number.length))) return undefined;
  switch (number.kind) {
    case 'nan':
      return Number.NaN;
    case 'infinity':
      return number.negative ? -Infinity : Infinity;
    case 'decimal':
      return Number(readable.slice(0, number.length));
    case 'hexadecimal': {
      const rounded = roundToFormat(BigInt(`0x${number.digits}`), number.power, false, DOUBLE_FORMAT);
      const magnitude = rounded === undefined ? Infinity : toNumber(rounded);
      return number.negative ? -magnitude : magnitude;
    }
  }
}

/** Formats a number as `tostring` and `..` do. */
export function numberToString(value: number): string {
  if ((value | 0) === value) return value === 0 && 1 / value < 0 ? '-0' : `${value}`;
  if (Number.isInteger(value) && Math.abs(value) < 1e14) return `${value}`;
  return formatGeneral(value, 14);
}

/** Formats an infinity or NaN as C does. JavaScript does not distinguish NaNs; those that x86 computes are negative. */
function nonFinite(value: number): string {
  return value > 0 ? 'inf' : value < 0 ? '-inf' : '-nan';
}

/** `%.<precision>g`; with `alternate`, `%#.<precision>g`, which keeps zeros at the end. */
export function formatGeneral(value: number, precision: number, alternate = false): string {
  if (!Number.isFinite(value)) return nonFinite(value);
  const digits = Math.max(1, precision);
  const exponential = exponentialDigits(value, digits);
  const marker = exponential.indexOf('e');
  const exponent = Number(exponential.slice(marker + 1));
  const negative = exponential.charAt(0) === '-';
  const mantissa = exponential.slice(negative ? 1 : 0, marker).replace('.', '');
  let text: string;
  if (exponent < -4 || exponent >= digits) {
    text = `${mantissa.charAt(0)}.${mantissa.slice(1)}`;
    if (!alternate) text = trimFraction(text);
    text += exponentText(exponent);
  } else if (exponent < 0) {
    text = `0.${'0'.repeat(-exponent - 1)}${mantissa}`;
    if (!alternate) text = trimFraction(text);
  } else {
    text = `${mantissa.slice(0, exponent + 1)}.${mantissa.slice(exponent + 1)}`;
    if (!alternate) text = trimFraction(text);
  }
  return negative ? `-${text}` : text;
}

function trimFraction(text: string): string {
  return text.replace(/\.?0*$/, '');
}

function exponentText(exponent: number): string {
  const size = Math.abs(exponent);
  return `e${exponent < 0 ? '-' : '+'}${size < 10 ? '0' : ''}${size}`;
}

/** `%.<precision>e`. */
export function formatExponential(value: number, precision: number): string {
  if (!Number.isFinite(value)) return nonFinite(value);
  const exponential = exponentialDigits(value, precision + 1);
  const marker = exponential.indexOf('e');
  return exponential.slice(0, marker) + exponentText(Number(exponential.slice(marker + 1)));
}

/** `%.<precision>f`. */
export function formatFixed(value: number, precision: number): string {
  if (!Number.isFinite(value)) return nonFinite(value);
  const negative = value < 0 || (value === 0 && 1 / value < 0);
  const magnitude = Math.abs(value);
  let text: string;
  if (magnitude >= 1e21) {
    text = precision === 0 ? String(BigInt(magnitude)) : `${BigInt(magnitude)}.${'0'.repeat(precision)}`;
  } else {
    text = roundedAtTie(magnitude, precision) ?? magnitude.toFixed(precision);
  }
  return negative ? `-${text}` : text;
}

/** Formats as `d.ddde±x` with that many digits. Rounds as C does: to even when exactly between two texts. */
function exponentialDigits(value: number, digits: number): string {
  const text = value.toExponential(Math.min(digits, 101) - 1);
  const sign = value < 0 || (value === 0 && 1 / value < 0) ? '-' : '';
  if (digits > 100 || !mayBeTie(value)) return sign === '-' && text.charAt(0) !== '-' ? `-${text}` : text;
  const exact = Math.abs(value).toExponential(100);
  const marker = exact.indexOf('e');
  const all = exact.charAt(0) + exact.slice(2, marker);
  if (all.charAt(digits) !== '5' || !/^0*$/.test(all.slice(digits + 1))) {
    return sign === '-' && text.charAt(0) !== '-' ? `-${text}` : text;
  }
  const even = Number(all.charAt(digits - 1)) % 2 === 0;
  if (!even) return sign === '-' && text.charAt(0) !== '-' ? `-${text}` : text;
  const fraction = digits > 1 ? `.${all.slice(1, digits)}` : '';
  return `${sign}${all.charAt(0)}${fraction}${exact.slice(marker)}`;
}

/** A number halfway between two short decimals is a multiple of a small power of two. */
function mayBeTie(value: number): boolean {
  return Number.isInteger(value * 2 ** 60);
}

/**
 * The text with an even last digit if the value is exactly between two texts, else undefined. A fraction of n binary digits has n
 * decimal ones, the last of which is 5: only one with one digit more than the text is between two texts.
 */
function roundedAtTie(magnitude: number, precision: number): string | undefined {
  if (precision > 98) return undefined;
  const scaled = magnitude * 2 ** (precision + 1);
  if (!Number.isInteger(scaled) || scaled % 2 === 0) return undefined;
  const exact = magnitude.toFixed(100);
  const point = exact.indexOf('.');
  const rest = exact.slice(point + 1 + precision);
  if (rest.charAt(0) !== '5' || !/^50*$/.test(rest)) return undefined;
  const kept = exact.slice(0, precision === 0 ? point : point + 1 + precision);
  return charCodeAt(kept, kept.length - 1) % 2 === 0 ? kept : undefined;
}
