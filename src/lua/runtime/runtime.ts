import type { Runtime } from '../compiler/compile.js';
import { ElementCursor, ipairsIterator, next } from '../library/iteration.js';
import {
  add,
  concat,
  divide,
  modulo,
  multiply,
  negate,
  power,
  raiseTo,
  subtract,
  toNumber,
} from './arithmetic.js';
import type { Budget } from './budget.js';
import { all, callable, deferCall, finish, first, packArguments, tails } from './calls.js';
import { equal, lessOrEqual, lessThan } from './comparison.js';
import { invoke, suspendable } from './coroutine.js';
import { inEnvironment, knowingCaller } from './environments.js';
import { fail } from './errors.js';
import {
  getGlobal,
  index,
  indexConstant,
  indexString,
  length,
  recordOf,
  setIndex,
  tableOf,
} from './indexing.js';
import { LuaTable, TableCursor } from './table.js';
import { type LuaValue, NOTHING } from './value.js';

/** The functions that generated code calls, under the names that the generators write. */
export function runtimeFor(globals: LuaTable, budget: Budget): Runtime {
  return {
    G: globals,
    E: { table: globals },
    B: budget,
    refill: () => budget.refill(),
    Array,
    Table: LuaTable,
    NOTHING,
    floor: Math.floor,
    tails,
    add,
    subtract,
    multiply,
    divide,
    modulo,
    power,
    raiseTo,
    negate,
    concat,
    equal,
    lessThan,
    lessOrEqual,
    getGlobal,
    inEnvironment,
    knowingCaller,
    index,
    indexString,
    indexConstant,
    setIndex,
    tableOf,
    recordOf,
    length,
    all,
    callable,
    deferCall,
    finish,
    first,
    packArguments,
    invoke,
    suspendable,
    loopNumber,
    cursorOver,
  };
}

/** Converts a bound of a counting loop that is not a number: a string may contain one. */
function loopNumber(value: LuaValue, what: string): number {
  return toNumber(value) ?? fail(`'for' ${what} must be a number`);
}

/** Iterates over `pairs(t)` and `ipairs(t)` faster than by calls of their iterators. */
function cursorOver(
  iterator: LuaValue,
  subject: LuaValue,
  control: LuaValue,
): TableCursor | ElementCursor | undefined {
  if (!(subject instanceof LuaTable)) return undefined;
  if (iterator === next) return new TableCursor(subject, control);
  return iterator === ipairsIterator && control === 0 ? new ElementCursor(subject) : undefined;
}
