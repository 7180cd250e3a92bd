import type { LuaTable } from './table.js';
import type { LuaFunction, LuaValue } from './value.js';

/** Where a function looks up its globals. `setfenv` replaces the table. */
export interface Environment {
  table: LuaTable;
}

/** `setfenv` or `getfenv`: needs to know which function calls it. */
export interface EnvironmentFunction extends LuaFunction {
  calledFrom?: (environment: Environment) => LuaFunction;
}

/** Functions compiled in other chunks, and built-in ones, have no entry: their globals cannot be replaced. */
const environments = new WeakMap<LuaFunction, Environment>();

export function environmentOf(fn: LuaFunction): Environment | undefined {
  return environments.get(fn);
}

/** Creates a function with an environment of its own, at first with the table of the function that creates it. */
export function inEnvironment(
  parent: Environment,
  create: (environment: Environment) => LuaFunction,
): LuaFunction {
  const environment = { table: parent.table };
  const fn = create(environment);
  environments.set(fn, environment);
  return fn;
}

/** Lets `setfenv` and `getfenv` know the function that has looked them up. */
export function knowingCaller(environment: Environment, value: LuaValue): LuaValue {
  if (typeof value !== 'function') return value;
  return (value as EnvironmentFunction).calledFrom?.(environment) ?? value;
}
