import { toNumber } from '../runtime/arithmetic.js';
import { all, call, callForOne } from '../runtime/calls.js';
import { catchable, fail, failArgument, failInCall, raise } from '../runtime/errors.js';
import { markNative } from '../runtime/frames.js';
import { setRaw } from '../runtime/indexing.js';
import { metamethod, metatableOf } from '../runtime/metatables.js';
import { numberToString } from '../runtime/number.js';
import { LuaTable } from '../runtime/table.js';
import {
  addressOf,
  type LuaFunction,
  type LuaResult,
  type LuaValue,
  typeName,
  Userdata,
} from '../runtime/value.js';
import {
  checkAny,
  checkFunction,
  checkInt,
  checkInteger,
  checkString,
  checkTable,
  isAbsent,
  optionalInteger,
  optionalString,
  STACK_SLOTS,
} from './arguments.js';
import { ipairsIterator, next } from './iteration.js';
import { parseInBase } from './parse-in-base.js';
import {
  C_STACK_OVERFLOW,
  EXTRA_FOR_HANDLERS,
  enterProtectedCall,
  leaveProtectedCall,
} from './protected-calls.js';

/** The functions of the state that the base library calls. */
export interface ChunkLoader {
  /** Returns the compiled chunk, or the text of the syntax error. */
  load(source: string, chunkName: string): LuaFunction | string;
}

export type Library = Readonly<Record<string, LuaFunction>>;

export function baseLibrary(loader: ChunkLoader): Library {
  return {
    assert(...args) {
      const value = checkAny(args, 1);
      if (value !== undefined && value !== false) return args;
      return failInCall(optionalString(args, 2, 'assertion failed!'));
    },
    collectgarbage,
    error: (...args) => raise(args[0], isAbsent(args, 2) ? 1 : checkInt(args, 2)),
    gcinfo: () => PLAUSIBLE_KILOBYTES,
    getmetatable(...args) {
      const metatable = metatableOf(checkAny(args, 1));
      return metatable?.getString('__metatable') ?? metatable;
    },
    ipairs: (...args) => [ipairsIterator, checkTable(args, 1), 0],
    load: (...args) => loadFromReader(loader, args),
    loadstring(...args) {
      const source = checkString(args, 1);
      return loaded(loader.load(source, optionalString(args, 2, source)));
    },
    next,
    pairs: (...args) => [next, checkTable(args, 1), undefined],
    pcall(...args) {
      // Redis pushes a placeholder for the status first. Without arguments, it calls that placeholder.
      if (args.length === 0) return [false, 'attempt to call a boolean value'];
      if (!enterProtectedCall()) return [false, C_STACK_OVERFLOW];
      try {
        return [true, ...all(call(...(args as [LuaValue, ...LuaValue[]])))];
      } catch (error) {
        return [false, caught(error)];
      } finally {
        leaveProtectedCall();
      }
    },
    rawequal: (...args) => checkAny(args, 1) === checkAny(args, 2),
    rawget(...args) {
      const table = checkTable(args, 1);
      return table.get(checkAny(args, 2));
    },
    rawset(...args) {
      const table = checkTable(args, 1);
      const key = checkAny(args, 2);
      setRaw(table, key, checkAny(args, 3));
      return table;
    },
    select,
    setmetatable,
    tonumber,
    tostring: (...args) => toText(checkAny(args, 1)),
    type: (...args) => typeName(checkAny(args, 1)),
    unpack,
    xpcall(...args) {
      checkAny(args, 2);
      if (!enterProtectedCall()) return [false, handled(args[1], C_STACK_OVERFLOW)];
      try {
        return [true, ...all(call(args[0]))];
      } catch (error) {
        return [false, handled(args[1], caught(error))];
      } finally {
        leaveProtectedCall();
      }
    },
  };
}

/** The Lua value of a thrown error. An error that scripts must not catch is rethrown. */
function caught(thrown: unknown): LuaValue {
  const error = catchable(thrown);
  if (error === undefined) throw thrown;
  return error.value;
}

function handled(handler: LuaValue, value: LuaValue): LuaValue {
  if (!enterProtectedCall(EXTRA_FOR_HANDLERS)) return 'error in error handling';
  try {
    return callForOne(handler, value);
  } catch (error) {
    caught(error);
    return 'error in error handling';
  } finally {
    leaveProtectedCall();
  }
}

const PLAUSIBLE_KILOBYTES = 64;
const COLLECTOR_OPTIONS = ['stop', 'restart', 'collect', 'count', 'step', 'setpause', 'setstepmul'];

/** JavaScript collects garbage by itself. The returned count is only plausible. */
function collectgarbage(...args: LuaValue[]): LuaResult {
  const option = optionalString(args, 1, 'collect');
  if (!COLLECTOR_OPTIONS.includes(option)) failArgument(1, `invalid option '${option}'`);
  optionalInteger(args, 2, 0);
  if (option === 'count') return PLAUSIBLE_KILOBYTES;
  if (option === 'step') return true;
  return option.startsWith('set') ? 200 : 0;
}

function loaded(result: LuaFunction | string): LuaResult {
  return typeof result === 'string' ? [undefined, result] : result;
}

function loadFromReader(loader: ChunkLoader, args: LuaValue[]): LuaResult {
  const reader = checkFunction(args, 1);
  const chunkName = optionalString(args, 2, '=(load)');
  let source = '';
  try {
    for (;;) {
      const [piece] = all(call(reader));
      if (piece === undefined || piece === '') break;
      if (typeof piece !== 'string' && typeof piece !== 'number')
        failInCall('reader function must return a string');
      source += typeof piece === 'number' ? numberToString(piece) : piece;
    }
  } catch (error) {
    return [undefined, caught(error)];
  }
  return loaded(loader.load(source, chunkName));
}

function select(...args: LuaValue[]): LuaResult {
  if (args[0] === '#') return args.length - 1;
  let from = checkInt(args, 1);
  if (from < 0) from = args.length + from;
  else if (from > args.length) from = args.length;
  if (from < 1) failArgument(1, 'index out of range');
  return args.slice(from);
}

function setmetatable(...args: LuaValue[]): LuaResult {
  const table = checkTable(args, 1);
  const metatable = args[1];
  if (args.length < 2 || !(metatable === undefined || metatable instanceof LuaTable)) {
    failArgument(2, 'nil or table expected');
  }
  if (table.metatable?.getString('__metatable') !== undefined) {
    failInCall('cannot change a protected metatable');
  }
  if (table.readonly) fail('Attempt to modify a readonly table');
  table.metatable = metatable;
  return table;
}

function tonumber(...args: LuaValue[]): LuaResult {
  const base = isAbsent(args, 2) ? 10 : checkInt(args, 2);
  if (base === 10) return toNumber(checkAny(args, 1));
  const text = checkString(args, 1);
  if (base < 2 || base > 36) failArgument(2, 'base out of range');
  return parseInBase(text, base);
}

function unpack(...args: LuaValue[]): LuaResult {
  const table = checkTable(args, 1);
  const from = optionalInteger(args, 2, 1);
  const to = isAbsent(args, 3) ? table.length() : checkInteger(args, 3);
  const count = to - from + 1;
  if (count <= 0) return [];
  if (count + args.length > STACK_SLOTS) failInCall('too many results to unpack');
  const results: LuaValue[] = [];
  for (let i = from; i <= to; i++) results.push(table.getNumber(i));
  return results;
}

/** The result of `tostring`: usually a string, but a metamethod may return any value. */
export function toText(value: LuaValue): LuaValue {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return numberToString(value);
    case 'undefined':
      return 'nil';
    case 'boolean':
      return value ? 'true' : 'false';
    case 'function':
      return `function: ${addressOf(value)}`;
    default: {
      const handler = metamethod(value, '__tostring');
      if (handler !== undefined) return all(call(handler, value))[0];
      return value instanceof Userdata ? value.description : `${value.typeName}: ${addressOf(value)}`;
    }
  }
}

/** Adds the functions of a library to a table and marks them as built in. */
export function install(table: LuaTable, library: Library): void {
  for (const [name, fn] of Object.entries(library)) {
    table.set(name, fn === next || fn === ipairsIterator ? fn : markNative(name, fn));
  }
}
