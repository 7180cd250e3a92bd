import { chargeSteps } from '../runtime/budget.js';
import { callForOne } from '../runtime/calls.js';
import { lessThan } from '../runtime/comparison.js';
import { failInCall } from '../runtime/errors.js';
import type { LuaTable } from '../runtime/table.js';
import type { LuaFunction, LuaResult, LuaValue } from '../runtime/value.js';
import { checkFunction, checkTable, isAbsent } from './arguments.js';

type Before = (a: LuaValue, b: LuaValue) => boolean;

/**
 * `table.sort`. The algorithm is exactly Lua 5.1's: a comparison function sees which elements are compared and in which order,
 * and an inconsistent comparison function makes the result depend on that order.
 */
export function sort(...args: LuaValue[]): LuaResult {
  const table = checkTable(args, 1);
  const count = table.length();
  chargeSteps(count);
  const comparison = isAbsent(args, 2) ? undefined : checkFunction(args, 2);
  sortRange(table, 1, count, comparison === undefined ? lessThan : byFunction(comparison));
  return [];
}

function byFunction(comparison: LuaFunction): Before {
  return (a, b) => {
    const result = callForOne(comparison, a, b);
    return result !== undefined && result !== false;
  };
}

function swap(table: LuaTable, i: number, j: number): void {
  const kept = table.getNumber(i);
  table.setNumber(i, table.getNumber(j));
  table.setNumber(j, kept);
}

function sortRange(table: LuaTable, from: number, to: number, before: Before): void {
  let low = from;
  let high = to;
  while (low < high) {
    if (before(table.getNumber(high), table.getNumber(low))) swap(table, low, high);
    if (high - low === 1) return;
    const middle = Math.floor((low + high) / 2);
    if (before(table.getNumber(middle), table.getNumber(low))) swap(table, middle, low);
    else if (before(table.getNumber(high), table.getNumber(middle))) swap(table, middle, high);
    if (high - low === 2) return;
    const border = partition(table, low, high, middle, before);
    // The smaller part is sorted by recursion, the larger one by the loop.
    if (border - low < high - border) {
      sortRange(table, low, border - 1, before);
      low = border + 1;
    } else {
      sortRange(table, border + 1, high, before);
      high = border - 1;
    }
  }
}

/** Partitions the range around its median of three and returns the median's new position. */
function partition(table: LuaTable, low: number, high: number, middle: number, before: Before): number {
  const pivot = table.getNumber(middle);
  swap(table, middle, high - 1);
  let i = low;
  let j = high - 1;
  for (;;) {
    while (before(table.getNumber(++i), pivot)) {
      if (i > high) failInCall('invalid order function for sorting');
    }
    while (before(pivot, table.getNumber(--j))) {
      if (j < low) failInCall('invalid order function for sorting');
    }
    if (j < i) break;
    swap(table, i, j);
  }
  swap(table, high - 1, i);
  return i;
}
