import { CommandError } from '../../commands/errors.js';
import {
  LuaError,
  type LuaFunction,
  LuaState,
  LuaSyntaxError,
  LuaTable,
  type LuaValue,
} from '../../lua/index.js';
import {
  addProtectedCall,
  guardMissing,
  loadingTable,
  redisTable,
  type ScriptHost,
} from './redis-library.js';
import { errorMessage, raiseText, ScriptEnded } from './script-error.js';
import { flagNamed, INVALID_NAME, isValidName, libraryHead } from './shebang.js';

export interface LibraryFunction {
  readonly name: string;
  readonly description: string | undefined;
  readonly flags: number;
  readonly callback: LuaFunction;
}

export interface Library {
  readonly name: string;
  /** The source passed to FUNCTION LOAD. */
  readonly code: string;
  readonly functions: ReadonlyMap<string, LibraryFunction>;
}

/** A set of libraries, and all their functions by name. */
export class Libraries {
  readonly byName = new Map<string, Library>();
  /** By name in lower case: FCALL ignores case. */
  readonly functions = new Map<string, LibraryFunction>();

  /** Adds a library, or replaces one of the same name if `replaces`. On a name conflict it throws and changes nothing. */
  add(library: Library, replaces: boolean): void {
    const before = this.byName.get(library.name);
    if (before !== undefined && !replaces) throw libraryExists(library.name);
    for (const name of library.functions.keys()) {
      const other = this.functions.get(name.toLowerCase());
      if (other !== undefined && before?.functions.get(other.name) !== other) {
        throw new CommandError(`ERR Function ${name} already exists`);
      }
    }
    if (before !== undefined) this.remove(before);
    this.byName.set(library.name, library);
    for (const [name, fn] of library.functions) this.functions.set(name.toLowerCase(), fn);
  }

  remove(library: Library): void {
    this.byName.delete(library.name);
    for (const name of library.functions.keys()) this.functions.delete(name.toLowerCase());
  }
}

export function libraryExists(name: string): CommandError {
  return new CommandError(`ERR Library '${name}' already exists`);
}

/**
 * The interpreter of functions. Libraries are loaded with few globals, so that loading can only register functions. The
 * functions run with all globals.
 */
export class FunctionState {
  readonly state: LuaState;
  readonly #running = new LuaTable();
  readonly #loading = new LuaTable();
  /** The metatable of the globals; `__index` is the table for loading or the table for running. */
  readonly #globals = new LuaTable();
  /** The functions of the library that is being loaded. */
  #registered: Map<string, LibraryFunction> | undefined;
  #loadingUntil = 0;

  constructor(host: ScriptHost, onBudget: () => void, deprecatedApi: boolean) {
    this.state = new LuaState({
      deprecatedApi,
      onBudget: () => {
        if (this.#registered !== undefined && performance.now() > this.#loadingUntil) {
          throw new ScriptEnded('FUNCTION LOAD timeout');
        }
        onBudget();
      },
    });
    const { state } = this;
    const { globals } = state;
    addProtectedCall(state);
    for (const key of [...globals.keys]) {
      this.#running.set(key, globals.get(key));
      globals.set(key, undefined);
    }
    this.#running.set('_G', this.#running);
    this.#running.set('redis', redisTable(state, host));
    guardMissing(state, this.#running);
    const register: LuaFunction = (...args) => this.#register(args);
    const redis = loadingTable(state, host, register);
    guardMissing(state, redis);
    this.#loading.set('redis', redis);
    guardMissing(state, this.#loading);
    state.protect(this.#running);
    state.protect(this.#loading);
    state.protect(state.stringMetatable);
    this.#globals.set('__index', this.#running);
    globals.metatable = this.#globals;
    globals.protect();
  }

  /** Compiles and runs a library's code. Throws the error for the client. */
  load(code: string): Library {
    const { name, body } = libraryHead(code);
    const functions = new Map<string, LibraryFunction>();
    const main = this.#compile(body);
    this.#registered = functions;
    this.#loadingUntil = performance.now() + LOADING_MS;
    this.#globals.set('__index', this.#loading);
    try {
      this.state.call(main);
    } catch (error) {
      const failure = error instanceof ScriptEnded ? error.error : error;
      if (!(failure instanceof LuaError)) throw error;
      throw new CommandError(`ERR Error registering functions: ${errorMessage(failure)}`);
    } finally {
      this.#registered = undefined;
      this.#globals.set('__index', this.#running);
    }
    if (functions.size === 0) throw new CommandError('ERR No functions registered');
    return { name, code, functions };
  }

  #compile(body: string): LuaFunction {
    try {
      return this.state.compile(body, '@user_function').main;
    } catch (error) {
      if (!(error instanceof LuaSyntaxError)) throw error;
      throw new CommandError(`ERR Error compiling function: ${error.message}`);
    }
  }

  #register(args: readonly LuaValue[]): LuaValue[] {
    if (args.length < 1 || args.length > 2) {
      raiseText('wrong number of arguments to redis.register_function');
    }
    const registered = this.#registered;
    if (registered === undefined) {
      return raiseText('redis.register_function can only be called on FUNCTION LOAD command');
    }
    const fn = args.length === 1 ? fromNamedArguments(args[0]) : fromPositions(args[0], args[1]);
    if (!isValidName(fn.name)) raiseText(INVALID_NAME);
    if (registered.has(fn.name)) raiseText('Function already exists in the library');
    registered.set(fn.name, fn);
    return [];
  }
}

function fromPositions(name: LuaValue, callback: LuaValue): LibraryFunction {
  if (typeof name !== 'string' && typeof name !== 'number') {
    return raiseText('first argument to redis.register_function must be a string');
  }
  if (typeof callback !== 'function') {
    return raiseText('second argument to redis.register_function must be a function');
  }
  return { name: String(name), description: undefined, flags: 0, callback };
}

function fromNamedArguments(given: LuaValue): LibraryFunction {
  if (!(given instanceof LuaTable)) {
    return raiseText(
      'calling redis.register_function with a single argument is only applicable to Lua table (representing named arguments).',
    );
  }
  let name: string | undefined;
  let description: string | undefined;
  let callback: LuaFunction | undefined;
  let flags = 0;
  if (given.array.length > 0) raiseText('unknown argument given to redis.register_function');
  for (let i = 0; i < given.keys.length; i++) {
    const value = given.values[i];
    if (value === undefined) continue;
    switch (given.keys[i]) {
      case 'function_name':
        name = textOr(value, 'function_name argument given to redis.register_function must be a string');
        break;
      case 'description':
        description = textOr(value, 'description argument given to redis.register_function must be a string');
        break;
      case 'callback':
        if (typeof value !== 'function') {
          return raiseText('callback argument given to redis.register_function must be a function');
        }
        callback = value;
        break;
      case 'flags':
        flags = flagsFrom(value);
        break;
      default:
        if (typeof given.keys[i] !== 'string' && typeof given.keys[i] !== 'number') {
          raiseText('named argument key given to redis.register_function is not a string');
        }
        raiseText('unknown argument given to redis.register_function');
    }
  }
  if (name === undefined) return raiseText('redis.register_function must get a function name argument');
  if (callback === undefined) return raiseText('redis.register_function must get a callback argument');
  return { name, description, flags, callback };
}

function textOr(value: LuaValue, otherwise: string): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : raiseText(otherwise);
}

function flagsFrom(value: LuaValue): number {
  if (!(value instanceof LuaTable)) {
    return raiseText('flags argument to redis.register_function must be a table representing function flags');
  }
  let flags = 0;
  for (let i = 1; ; i++) {
    const name = value.getNumber(i);
    if (name === undefined) return flags;
    const flag = typeof name === 'string' ? flagNamed(name) : undefined;
    if (flag === undefined) return raiseText('unknown flag given');
    flags |= flag;
  }
}

/** Loading must be short, since it cannot be interrupted. */
const LOADING_MS = 500;
