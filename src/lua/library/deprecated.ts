import { type Environment, type EnvironmentFunction, environmentOf } from '../runtime/environments.js';
import { failArgument, failInCall } from '../runtime/errors.js';
import { markNative } from '../runtime/frames.js';
import { ProxyValue } from '../runtime/proxy.js';
import { LuaTable } from '../runtime/table.js';
import type { LuaFunction, LuaResult, LuaValue } from '../runtime/value.js';
import { checkInt, checkTable, isAbsent } from './arguments.js';
import type { Library } from './base.js';

/**
 * The functions that `lua-enable-deprecated-api` allows. A level of the call stack can be 0 (the globals) or 1 (the function that
 * has looked up `setfenv` or `getfenv`): other functions are not known by their level.
 */
export function deprecatedLibrary(globals: LuaTable): Library {
  const root: Environment = { table: globals };
  return {
    getfenv: environmentFunction('getfenv', root, (caller, args) => {
      const subject = isAbsent(args, 1) ? 1 : args[0];
      if (typeof subject === 'function') return (environmentOf(subject) ?? root).table;
      return levelOf(args, subject) === 0 ? globals : caller.table;
    }),
    setfenv: environmentFunction('setfenv', root, (caller, args) => {
      const table = checkTable(args, 2);
      const subject = args[0];
      const environment =
        typeof subject === 'function'
          ? environmentOf(subject)
          : levelOf(args, subject) === 0
            ? undefined
            : caller;
      if (environment === undefined || environment === root) {
        return failInCall("'setfenv' cannot change environment of given object");
      }
      environment.table = table;
      return typeof subject === 'function' ? subject : [];
    }),
    newproxy(...args) {
      const [model] = args;
      if (model === undefined || model === false) return new ProxyValue(undefined);
      if (model === true) return new ProxyValue(new LuaTable());
      if (!(model instanceof ProxyValue) || model.metatable === undefined) {
        return failArgument(1, 'boolean or proxy expected');
      }
      return new ProxyValue(model.metatable);
    },
  };
}

function levelOf(args: readonly LuaValue[], subject: LuaValue): 0 | 1 {
  const level = subject === 1 ? 1 : checkInt(args, 1);
  if (level < 0) return failArgument(1, 'level must be non-negative');
  if (level > 1) return failArgument(1, 'invalid level');
  return level as 0 | 1;
}

function environmentFunction(
  name: string,
  root: Environment,
  run: (caller: Environment, args: LuaValue[]) => LuaResult,
): LuaFunction {
  const unbound: EnvironmentFunction = (...args) => run(root, args);
  unbound.calledFrom = (environment) => markNative(name, (...args: LuaValue[]) => run(environment, args));
  return unbound;
}
