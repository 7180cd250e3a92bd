import { toNumber } from '../runtime/arithmetic.js';
import { failArgument } from '../runtime/errors.js';
import { numberToString } from '../runtime/number.js';
import { LuaTable } from '../runtime/table.js';
import { type LuaFunction, type LuaValue, typeName } from '../runtime/value.js';

/** The maximum number of slots of Lua's stack for the arguments and results of one call. */
export const STACK_SLOTS = 8000;

/** Arguments of built-in functions, checked as Lua's own library checks them. Positions count from 1. */

function failType(args: readonly LuaValue[], position: number, expected: string): never {
  const got = position > args.length ? 'no value' : typeName(args[position - 1]);
  return failArgument(position, `${expected} expected, got ${got}`);
}

export function checkAny(args: readonly LuaValue[], position: number): LuaValue {
  if (position > args.length) failArgument(position, 'value expected');
  return args[position - 1];
}

export function checkTable(args: readonly LuaValue[], position: number): LuaTable {
  const value = args[position - 1];
  return value instanceof LuaTable ? value : failType(args, position, 'table');
}

export function checkFunction(args: readonly LuaValue[], position: number): LuaFunction {
  const value = args[position - 1];
  return typeof value === 'function' ? value : failType(args, position, 'function');
}

export function checkString(args: readonly LuaValue[], position: number): string {
  const value = args[position - 1];
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? numberToString(value) : failType(args, position, 'string');
}

export function checkNumber(args: readonly LuaValue[], position: number): number {
  const value = args[position - 1];
  if (typeof value === 'number') return value;
  return toNumber(value) ?? failType(args, position, 'number');
}

/** A 64-bit integer, truncated. A number out of range becomes the smallest integer, as on x86. */
export function checkInteger(args: readonly LuaValue[], position: number): number {
  return toInteger(checkNumber(args, position));
}

export function toInteger(value: number): number {
  if (value >= -0x8000_0000_0000_0000 && value < 0x8000_0000_0000_0000) return Math.trunc(value) + 0;
  return -0x8000_0000_0000_0000;
}

/** A 32-bit integer: the low half of the 64-bit one. */
export function checkInt(args: readonly LuaValue[], position: number): number {
  return toInt(checkNumber(args, position));
}

export function toInt(value: number): number {
  const integer = toInteger(value);
  return (integer | 0) === integer ? integer : Number(BigInt.asIntN(32, BigInt(integer)));
}

export function isAbsent(args: readonly LuaValue[], position: number): boolean {
  return args[position - 1] === undefined;
}

export function optionalInteger(args: readonly LuaValue[], position: number, otherwise: number): number {
  return isAbsent(args, position) ? otherwise : checkInteger(args, position);
}

export function optionalString(args: readonly LuaValue[], position: number, otherwise: string): string {
  return isAbsent(args, position) ? otherwise : checkString(args, position);
}
