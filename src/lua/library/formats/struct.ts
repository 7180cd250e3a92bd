import { toNumber } from '../../runtime/arithmetic.js';
import { failArgument, failInCall } from '../../runtime/errors.js';
import type { LuaResult, LuaValue } from '../../runtime/value.js';
import { checkNumber, checkString, optionalInteger } from '../arguments.js';
import type { Library } from '../base.js';

const MAXIMUM_INTEGER_SIZE = 32;
const NATIVE_ALIGNMENT = 8;
const view = new DataView(new ArrayBuffer(8));

/** Reads a format of the `struct` library, option by option. */
class FormatReader {
  readonly #format: string;
  #at = 0;
  littleEndian = true;
  #alignment = 1;
  option = '';
  /** 0 for options that take no space. */
  size = 0;

  constructor(format: string) {
    this.#format = format;
  }

  next(): boolean {
    if (this.#at >= this.#format.length) return false;
    this.option = this.#format.charAt(this.#at++);
    this.size = this.#optionSize();
    return true;
  }

  /** The number of bytes to skip at an offset to align the current option. */
  padding(offset: number): number {
    const unit = Math.min(this.size, this.#alignment);
    if (this.option === 'c' || unit <= 1) return 0;
    return (unit - (offset & (unit - 1))) & (unit - 1);
  }

  #number(otherwise: number): number {
    const match = /^[0-9]+/.exec(this.#format.slice(this.#at));
    if (match === null) return otherwise;
    this.#at += match[0].length;
    const value = Number(match[0]);
    if (value > 0x7fff_ffff) failInCall('integral size overflow');
    return value;
  }

  #optionSize(): number {
    switch (this.option) {
      case 'b':
      case 'B':
      case 'x':
        return 1;
      case 'h':
      case 'H':
        return 2;
      case 'f':
        return 4;
      case 'l':
      case 'L':
      case 'T':
      case 'd':
        return 8;
      case 'c':
        return this.#number(1);
      case 'i':
      case 'I': {
        const size = this.#number(4);
        if (size > MAXIMUM_INTEGER_SIZE) {
          failInCall(`integral size ${size} is larger than limit of ${MAXIMUM_INTEGER_SIZE}`);
        }
        return size;
      }
      default:
        return 0;
    }
  }

  /** Applies an option that only changes how the following ones are read. */
  control(): void {
    switch (this.option) {
      case ' ':
        return;
      case '>':
        this.littleEndian = false;
        return;
      case '<':
        this.littleEndian = true;
        return;
      case '!': {
        const alignment = this.#number(NATIVE_ALIGNMENT);
        if (alignment === 0 || (alignment & (alignment - 1)) !== 0) {
          failInCall(`alignment ${alignment} is not a power of 2`);
        }
        this.#alignment = alignment;
        return;
      }
      default:
        failArgument(1, `invalid format option '${this.option}'`);
    }
  }
}

function isInteger(option: string): boolean {
  return option !== '' && 'bBhHlLTiI'.includes(option);
}

export const structLibrary: Library = { pack, unpack, size };

function pack(...args: LuaValue[]): LuaResult {
  const format = new FormatReader(checkString(args, 1));
  // The library pushes a nil after the arguments, which error texts show.
  args.push(undefined);
  let text = '';
  let position = 2;
  while (format.next()) {
    text += '\0'.repeat(format.padding(text.length));
    const { option, size } = format;
    if (isInteger(option)) text += packInteger(checkNumber(args, position++), size, format.littleEndian);
    else if (option === 'x') text += '\0';
    else if (option === 'f' || option === 'd') text += packFloat(checkNumber(args, position++), format);
    else if (option === 'c' || option === 's') {
      const value = checkString(args, position++);
      const length = size === 0 ? value.length : size;
      if (value.length < length) failArgument(position, 'string too short');
      text += option === 's' ? `${value}\0` : value.slice(0, length);
    } else format.control();
  }
  return text;
}

function packInteger(value: number, size: number, littleEndian: boolean): string {
  let rest = BigInt.asUintN(64, toBigInteger(value));
  const codes: number[] = [];
  for (let i = 0; i < size; i++) {
    codes.push(Number(rest & 0xffn));
    rest >>= 8n;
  }
  if (!littleEndian) codes.reverse();
  return String.fromCharCode(...codes);
}

/** C's conversion, as x86 does it: a number out of range becomes 2^63, or 0 above 2^64. */
function toBigInteger(value: number): bigint {
  if (Number.isNaN(value) || value < -(2 ** 63)) return -(2n ** 63n);
  return value >= 2 ** 64 ? 0n : BigInt(Math.trunc(value));
}

function packFloat(value: number, format: FormatReader): string {
  if (format.option === 'f') view.setFloat32(0, value, format.littleEndian);
  else view.setFloat64(0, value, format.littleEndian);
  let text = '';
  for (let i = 0; i < format.size; i++) text += String.fromCharCode(view.getUint8(i));
  return text;
}

function unpack(...args: LuaValue[]): LuaResult {
  const format = new FormatReader(checkString(args, 1));
  const data = checkString(args, 2);
  let at = optionalInteger(args, 3, 1) - 1;
  if (at === -1) failArgument(3, 'offset must be 1 or greater');
  const results: LuaValue[] = [];
  while (format.next()) {
    at += format.padding(at);
    const { option } = format;
    let { size } = format;
    if (at < 0 || at + size > data.length) failArgument(2, 'data string too short');
    if (isInteger(option)) results.push(unpackInteger(data.slice(at, at + size), format));
    else if (option === 'f' || option === 'd') results.push(unpackFloat(data, at, format));
    else if (option === 'c') {
      if (size === 0) size = takeSize(results);
      if (at < 0 || at + size > data.length) failArgument(2, 'data string too short');
      results.push(data.slice(at, at + size));
    } else if (option === 's') {
      const end = data.indexOf('\0', at);
      if (end < 0) failInCall('unfinished string in data');
      results.push(data.slice(at, end));
      size = end - at + 1;
    } else if (option !== 'x') format.control();
    at += size;
  }
  results.push(at + 1);
  return results;
}

/** `c0` takes its size from the value before it. */
function takeSize(results: LuaValue[]): number {
  const size = toNumber(results.at(-1));
  if (size === undefined) return failInCall("format 'c0' needs a previous size");
  results.pop();
  return size;
}

function unpackInteger(bytes: string, format: FormatReader): number {
  let value = 0n;
  for (let i = 0; i < bytes.length; i++) {
    const at = format.littleEndian ? bytes.length - 1 - i : i;
    value = (value << 8n) | BigInt(bytes.charCodeAt(at));
  }
  const isSigned = format.option === format.option.toLowerCase();
  if (!isSigned) return Number(BigInt.asUintN(64, value));
  return Number(BigInt.asIntN(Math.min(64, bytes.length * 8), value));
}

function unpackFloat(data: string, at: number, format: FormatReader): number {
  for (let i = 0; i < format.size; i++) view.setUint8(i, data.charCodeAt(at + i));
  return format.option === 'f'
    ? view.getFloat32(0, format.littleEndian)
    : view.getFloat64(0, format.littleEndian);
}

function size(...args: LuaValue[]): LuaResult {
  const format = new FormatReader(checkString(args, 1));
  let total = 0;
  while (format.next()) {
    total += format.padding(total);
    if (format.option === 's') failArgument(1, "option 's' has no fixed size");
    if (format.option === 'c' && format.size === 0) failArgument(1, "option 'c0' has no fixed size");
    if (format.size === 0) format.control();
    total += format.size;
  }
  return total;
}
