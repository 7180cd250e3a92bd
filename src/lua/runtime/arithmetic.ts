import { callForOne } from './calls.js';
import { failOperand } from './errors.js';
import { metamethod } from './metatables.js';
import { numberToString, parseNumber } from './number.js';
import type { LuaValue } from './value.js';

/** Converts a number, or a string with a valid number, to a number. */
export function toNumber(value: LuaValue): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? parseNumber(value) : undefined;
}

function viaMetamethod(a: LuaValue, b: LuaValue, event: string): LuaValue {
  const handler = metamethod(a, event) ?? metamethod(b, event);
  if (handler !== undefined) return callForOne(handler, a, b);
  const operand = toNumber(a) === undefined ? 0 : 1;
  return failOperand('perform arithmetic on', operand, operand === 0 ? a : b);
}

export function add(a: LuaValue, b: LuaValue): LuaValue {
  const x = toNumber(a);
  const y = toNumber(b);
  return x === undefined || y === undefined ? viaMetamethod(a, b, '__add') : x + y;
}

export function subtract(a: LuaValue, b: LuaValue): LuaValue {
  const x = toNumber(a);
  const y = toNumber(b);
  return x === undefined || y === undefined ? viaMetamethod(a, b, '__sub') : x - y;
}

export function multiply(a: LuaValue, b: LuaValue): LuaValue {
  const x = toNumber(a);
  const y = toNumber(b);
  return x === undefined || y === undefined ? viaMetamethod(a, b, '__mul') : x * y;
}

export function divide(a: LuaValue, b: LuaValue): LuaValue {
  const x = toNumber(a);
  const y = toNumber(b);
  return x === undefined || y === undefined ? viaMetamethod(a, b, '__div') : x / y;
}

export function modulo(a: LuaValue, b: LuaValue): LuaValue {
  const x = toNumber(a);
  const y = toNumber(b);
  return x === undefined || y === undefined ? viaMetamethod(a, b, '__mod') : x - Math.floor(x / y) * y;
}

export function raiseTo(a: LuaValue, b: LuaValue): LuaValue {
  const x = toNumber(a);
  const y = toNumber(b);
  return x === undefined || y === undefined ? viaMetamethod(a, b, '__pow') : power(x, y);
}

/** C's `pow`, which differs from JavaScript's where the base is 1 or -1. */
export function power(base: number, exponent: number): number {
  if (base === 1) return 1;
  if (base === -1 && (exponent === Infinity || exponent === -Infinity)) return 1;
  if (exponent === 0.5) return base === -Infinity ? Infinity : Math.sqrt(base);
  return base ** exponent;
}

export function negate(value: LuaValue): LuaValue {
  const number = toNumber(value);
  if (number !== undefined) return -number;
  const handler = metamethod(value, '__unm');
  return handler === undefined
    ? failOperand('perform arithmetic on', 0, value)
    : callForOne(handler, value, value);
}

export function concat(a: LuaValue, b: LuaValue): LuaValue {
  if (typeof a === 'string') {
    if (typeof b === 'string') return a + b;
    if (typeof b === 'number') return a + numberToString(b);
  } else if (typeof a === 'number') {
    if (typeof b === 'string') return numberToString(a) + b;
    if (typeof b === 'number') return numberToString(a) + numberToString(b);
  }
  const handler = metamethod(a, '__concat') ?? metamethod(b, '__concat');
  if (handler !== undefined) return callForOne(handler, a, b);
  const operand = typeof a === 'string' || typeof a === 'number' ? 1 : 0;
  return failOperand('concatenate', operand, operand === 0 ? a : b);
}
