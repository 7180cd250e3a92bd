import { failArgument, failInCall } from '../runtime/errors.js';
import { formatExponential, formatFixed, formatGeneral } from '../runtime/number.js';
import type { LuaValue } from '../runtime/value.js';
import { checkNumber, checkString, toInteger } from './arguments.js';
import { isDigit } from './character-classes.js';

interface Conversion {
  readonly leftAlign: boolean;
  readonly plus: boolean;
  readonly space: boolean;
  readonly alternate: boolean;
  readonly zeros: boolean;
  readonly width: number;
  readonly precision: number | undefined;
  readonly letter: string;
}

/** `string.format`: C's `sprintf`, restricted to the conversions that Lua allows. */
export function format(...args: LuaValue[]): string {
  // The usual way to write a large whole number, such as a time.
  if (args[0] === '%.0f' && Number.isSafeInteger(args[1]) && args[1] !== 0) return String(args[1]);
  const template = checkString(args, 1);
  let text = '';
  let position = 1;
  let at = 0;
  while (at < template.length) {
    const percent = template.indexOf('%', at);
    if (percent < 0) return text + template.slice(at);
    text += template.slice(at, percent);
    at = percent + 1;
    if (template.charAt(at) === '%') {
      text += '%';
      at++;
      continue;
    }
    position++;
    if (position > args.length) failArgument(position, 'no value');
    const end = conversionEnd(template, at);
    text += convert(readConversion(template.slice(at, end)), args, position);
    at = end;
  }
  return text;
}

/** Checks flags, width and precision as Lua does: at most two digits each. */
function conversionEnd(template: string, start: number): number {
  let at = start;
  while (template.charAt(at) !== '' && '-+ #0'.includes(template.charAt(at))) at++;
  if (at - start >= 6) failInCall('invalid format (repeated flags)');
  at = skipDigits(template, at);
  if (template.charAt(at) === '.') at = skipDigits(template, at + 1);
  if (isDigit(template.charCodeAt(at))) failInCall('invalid format (width or precision too long)');
  return at + 1;
}

function skipDigits(template: string, at: number): number {
  for (let i = 0; i < 2; i++) if (isDigit(template.charCodeAt(at))) at++;
  return at;
}

/** A cache: scripts use few formats, and repeatedly. */
const conversions = new Map<string, Conversion>();
const MAX_CONVERSIONS = 500;

function readConversion(specification: string): Conversion {
  const known = conversions.get(specification);
  if (known !== undefined) return known;
  if (conversions.size >= MAX_CONVERSIONS) conversions.clear();
  const conversion = parseConversion(specification);
  conversions.set(specification, conversion);
  return conversion;
}

function parseConversion(specification: string): Conversion {
  const parts = /^([-+ #0]*)([0-9]*)(?:\.([0-9]*))?(.?)$/s.exec(specification);
  const [, flags = '', width = '', precision, letter = ''] = parts ?? [];
  return {
    leftAlign: flags.includes('-'),
    plus: flags.includes('+'),
    space: flags.includes(' '),
    alternate: flags.includes('#'),
    zeros: flags.includes('0'),
    width: Number(width),
    precision: precision === undefined ? undefined : Number(precision),
    letter,
  };
}

function convert(conversion: Conversion, args: LuaValue[], position: number): string {
  const { letter } = conversion;
  switch (letter) {
    case 'c':
      return character(conversion, checkNumber(args, position));
    case 'd':
    case 'i':
      return signedInteger(conversion, checkNumber(args, position));
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      return unsignedInteger(conversion, checkNumber(args, position));
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
      return float(conversion, checkNumber(args, position));
    case 'q':
      return quoted(checkString(args, position));
    case 's':
      return stringConversion(conversion, args, position);
    default:
      return failInCall(`invalid option '%${letter}' to 'format'`);
  }
}

/** A NUL character ends C's string, so its padding is lost. */
function character(conversion: Conversion, value: number): string {
  const code = Number(BigInt.asUintN(8, BigInt(toInteger(value))));
  const text = pad(conversion, String.fromCharCode(code));
  return code === 0 ? text.slice(0, text.indexOf('\0')) : text;
}

function stringConversion(conversion: Conversion, args: LuaValue[], position: number): string {
  const text = checkString(args, position);
  // A long string is inserted whole, NULs included. Others are formatted by C, which stops at a NUL.
  if (conversion.precision === undefined && text.length >= 100) return text;
  const terminator = text.indexOf('\0');
  const visible = terminator < 0 ? text : text.slice(0, terminator);
  const { precision } = conversion;
  return pad(conversion, precision === undefined ? visible : visible.slice(0, precision));
}

function pad(conversion: Conversion, text: string): string {
  return conversion.leftAlign ? text.padEnd(conversion.width) : text.padStart(conversion.width);
}

/** Inserts zeros between the sign or prefix and the digits if the format has the flag `0`. */
function padNumber(conversion: Conversion, sign: string, digits: string, mayZero: boolean): string {
  if (!conversion.zeros || conversion.leftAlign || !mayZero) return pad(conversion, sign + digits);
  return sign + digits.padStart(conversion.width - sign.length, '0');
}

function signOf(conversion: Conversion, negative: boolean): string {
  if (negative) return '-';
  return conversion.plus ? '+' : conversion.space ? ' ' : '';
}

function signedInteger(conversion: Conversion, value: number): string {
  const integer = toInteger(value);
  const digits = String(Number.isSafeInteger(integer) ? Math.abs(integer) : BigInt(integer)).replace('-', '');
  const sign = signOf(conversion, integer < 0);
  return padNumber(conversion, sign, withPrecision(conversion, digits), conversion.precision === undefined);
}

function withPrecision(conversion: Conversion, digits: string): string {
  const { precision } = conversion;
  if (precision === undefined) return digits;
  return precision === 0 && digits === '0' ? '' : digits.padStart(precision, '0');
}

function unsignedInteger(conversion: Conversion, value: number): string {
  const { letter, alternate } = conversion;
  const integer = unsigned64(value);
  const base = letter === 'o' ? 8 : letter === 'u' ? 10 : 16;
  let digits = withPrecision(conversion, integer.toString(base));
  let prefix = '';
  if (alternate && base === 8 && !digits.startsWith('0')) digits = `0${digits}`;
  if (alternate && base === 16 && integer !== 0n) prefix = '0x';
  const text = padNumber(conversion, prefix, digits, conversion.precision === undefined);
  return letter === 'X' ? text.toUpperCase() : text;
}

/** C's conversion of a double to an unsigned 64-bit integer, as x86 does it. */
function unsigned64(value: number): bigint {
  if (value >= 2 ** 63 && value < 2 ** 64) return BigInt(Math.trunc(value));
  if (value >= 2 ** 64) return 0n;
  return BigInt.asUintN(64, BigInt(toInteger(value)));
}

function float(conversion: Conversion, value: number): string {
  const { letter, alternate, precision } = conversion;
  const lower = letter.toLowerCase();
  let text: string;
  if (lower === 'e') text = formatExponential(value, precision ?? 6);
  else if (lower === 'f') text = formatFixed(value, precision ?? 6);
  else text = formatGeneral(value, precision ?? 6, alternate);
  const negative = text.startsWith('-');
  let digits = negative ? text.slice(1) : text;
  if (alternate && precision === 0 && (lower === 'f' || lower === 'e'))
    digits = digits.replace(/^([0-9]+)/, '$1.');
  const sign = signOf(conversion, negative);
  const padded = padNumber(conversion, sign, digits, Number.isFinite(value));
  return letter === lower ? padded : padded.toUpperCase();
}

/** A string as Lua source. */
function quoted(text: string): string {
  const escaped = text.replace(/["\\\n\r\0]/g, (character) => {
    if (character === '\r') return '\\r';
    return character === '\0' ? '\\000' : `\\${character}`;
  });
  return `"${escaped}"`;
}
