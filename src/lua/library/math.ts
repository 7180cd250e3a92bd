import { power } from '../runtime/arithmetic.js';
import { failArgument, failInCall } from '../runtime/errors.js';
import { LuaTable } from '../runtime/table.js';
import type { LuaFunction, LuaResult, LuaValue } from '../runtime/value.js';
import { checkInt, checkNumber, toInt } from './arguments.js';
import { install } from './base.js';
import type { LuaRandom } from './random.js';

export function mathLibrary(random: LuaRandom): LuaTable {
  const table = new LuaTable();
  install(table, {
    abs: unary(Math.abs),
    acos: unary(Math.acos),
    asin: unary(Math.asin),
    atan: unary(Math.atan),
    atan2: (...args) => Math.atan2(checkNumber(args, 1), checkNumber(args, 2)),
    ceil: unary(Math.ceil),
    cos: unary(Math.cos),
    cosh: unary(Math.cosh),
    deg: unary((radians) => radians / (Math.PI / 180)),
    exp: unary(Math.exp),
    floor: unary(Math.floor),
    fmod: remainder,
    frexp,
    ldexp: (...args) => scale(checkNumber(args, 1), checkInt(args, 2)),
    log: unary(Math.log),
    log10: unary(Math.log10),
    max: (...args) => extreme(args, (value, best) => value > best),
    min: (...args) => extreme(args, (value, best) => value < best),
    mod: remainder,
    modf(...args) {
      const value = checkNumber(args, 1);
      const whole = Math.trunc(value);
      return [whole, Number.isFinite(value) ? value - whole : Number.isNaN(value) ? value : 0];
    },
    pow: (...args) => power(checkNumber(args, 1), checkNumber(args, 2)),
    rad: unary((degrees) => degrees * (Math.PI / 180)),
    random: (...args) => randomNumber(random, args),
    randomseed(...args) {
      random.seed(toInt(checkNumber(args, 1)));
      return [];
    },
    sin: unary(Math.sin),
    sinh: unary(Math.sinh),
    sqrt: unary(Math.sqrt),
    tan: unary(Math.tan),
    tanh: unary(Math.tanh),
  });
  table.set('huge', Infinity);
  table.set('pi', Math.PI);
  return table;
}

function unary(fn: (value: number) => number): LuaFunction {
  return (...args) => fn(checkNumber(args, 1));
}

function remainder(...args: LuaValue[]): LuaResult {
  return checkNumber(args, 1) % checkNumber(args, 2);
}

function extreme(args: LuaValue[], isBetter: (value: number, best: number) => boolean): number {
  let best = checkNumber(args, 1);
  for (let i = 2; i <= args.length; i++) {
    const value = checkNumber(args, i);
    if (isBetter(value, best)) best = value;
  }
  return best;
}

/** C's `frexp`: splits a number into a fraction in [0.5, 1) and a power of two. */
function frexp(...args: LuaValue[]): LuaResult {
  const value = checkNumber(args, 1);
  if (value === 0 || !Number.isFinite(value)) return [value, 0];
  let exponent = Math.max(-1023, Math.floor(Math.log2(Math.abs(value))) + 1);
  let fraction = value * 2 ** -exponent;
  while (Math.abs(fraction) < 0.5) {
    fraction *= 2;
    exponent--;
  }
  while (Math.abs(fraction) >= 1) {
    fraction /= 2;
    exponent++;
  }
  return [fraction, exponent];
}

/** value * 2^exponent, in steps: the power may be out of range even if the product is not. */
function scale(value: number, exponent: number): number {
  let left = Math.max(-2200, Math.min(2200, exponent));
  let scaled = value;
  while (left !== 0) {
    const step = Math.max(-1000, Math.min(1000, left));
    scaled *= 2 ** step;
    left -= step;
  }
  return scaled;
}

function randomNumber(random: LuaRandom, args: LuaValue[]): number {
  const value = random.next();
  switch (args.length) {
    case 0:
      return value;
    case 1: {
      const upper = checkInt(args, 1);
      if (upper < 1) failArgument(1, 'interval is empty');
      return Math.floor(value * upper) + 1;
    }
    case 2: {
      const lower = checkInt(args, 1);
      const upper = checkInt(args, 2);
      if (lower > upper) failArgument(2, 'interval is empty');
      return Math.floor(value * ((upper - lower + 1) | 0)) + lower;
    }
    default:
      return failInCall('wrong number of arguments');
  }
}
