import type { LuaFunction, LuaValue } from '../runtime/value.js';
import { checkNumber, isAbsent } from './arguments.js';
import type { Library } from './base.js';

const bits = new DataView(new ArrayBuffer(8));
/** After adding this constant, the low bits of a double's mantissa are the rounded integer. */
const MAGIC = 6755399441055744;

/** A number as a signed 32-bit integer: rounded, and modulo 2^32. */
function toBit(args: readonly LuaValue[], position: number): number {
  const value = checkNumber(args, position);
  if ((value | 0) === value) return value;
  bits.setFloat64(0, value + MAGIC);
  return bits.getInt32(4);
}

function fold(combine: (a: number, b: number) => number): LuaFunction {
  return (...args) => {
    let result = toBit(args, 1);
    for (let i = 2; i <= args.length; i++) result = combine(result, toBit(args, i));
    return result;
  };
}

function shift(apply: (value: number, count: number) => number): LuaFunction {
  return (...args) => apply(toBit(args, 1), toBit(args, 2) & 31) | 0;
}

/** LuaBitOp: operations on 32-bit integers. */
export const bitLibrary: Library = {
  arshift: shift((value, count) => value >> count),
  band: fold((a, b) => a & b),
  bnot: (...args) => ~toBit(args, 1),
  bor: fold((a, b) => a | b),
  bswap(...args) {
    const value = toBit(args, 1);
    return (value << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24);
  },
  bxor: fold((a, b) => a ^ b),
  lshift: shift((value, count) => value << count),
  rol: shift((value, count) => (value << count) | (value >>> ((32 - count) & 31))),
  ror: shift((value, count) => (value >>> count) | (value << ((32 - count) & 31))),
  rshift: shift((value, count) => value >>> count),
  tobit: (...args) => toBit(args, 1),
  tohex(...args) {
    const value = toBit(args, 1);
    const asked = isAbsent(args, 2) ? 8 : toBit(args, 2);
    const digits = Math.min(8, Math.abs(asked));
    const text = digits === 0 ? '' : (value >>> 0).toString(16).padStart(8, '0').slice(-digits);
    return asked < 0 ? text.toUpperCase() : text;
  },
};
