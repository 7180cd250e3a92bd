import { compile, type Runtime } from './compiler/compile.js';
import { LuaSyntaxError } from './compiler/syntax-error.js';
import { baseLibrary, install, type Library } from './library/base.js';
import { deprecatedLibrary } from './library/deprecated.js';
import { LuaRandom } from './library/random.js';
import { standardLibraries } from './library/standard.js';
import { Budget, useBudget } from './runtime/budget.js';
import { all, call, tails } from './runtime/calls.js';
import { catchable, failArgument, failInCall } from './runtime/errors.js';
import { markNative } from './runtime/frames.js';
import { LineTracing } from './runtime/line-tracing.js';
import { useStringMetatable } from './runtime/metatables.js';
import { runtimeFor } from './runtime/runtime.js';
import { LuaTable } from './runtime/table.js';
import type { LuaFunction, LuaValue } from './runtime/value.js';

export interface LuaStateOptions {
  /** Called about every hundred thousand steps or calls. An error that it throws ends the script, unless it is a LuaError. */
  readonly onBudget?: () => void;
  /** The generator of `math.random`. In Redis, the generator keeps its state across SCRIPT FLUSH. */
  readonly random?: LuaRandom;
  /** Whether scripts have `setfenv`, `getfenv` and `newproxy`. They run slower then. */
  readonly deprecatedApi?: boolean;
}

/** A compiled script, to be run by the state that compiled it, as often as needed. */
export interface LuaChunk {
  readonly main: LuaFunction;
  readonly chunkName: string;
}

/** One Lua interpreter: globals and libraries. A process can have several; each runs one script at a time. */
export class LuaState {
  readonly globals = new LuaTable();
  readonly #budget: Budget;
  readonly #runtime: Runtime;
  readonly #stringMetatable = new LuaTable();
  readonly #hasEnvironments: boolean;

  constructor(options: LuaStateOptions = {}) {
    this.#budget = new Budget(options.onBudget ?? (() => {}));
    this.#runtime = runtimeFor(this.globals, this.#budget);
    this.#hasEnvironments = options.deprecatedApi === true;
    const { globals } = this;
    install(globals, baseLibrary({ load: (source, chunkName) => this.#load(source, chunkName) }));
    if (this.#hasEnvironments) install(globals, deprecatedLibrary(globals));
    globals.set('_G', globals);
    globals.set('_VERSION', 'Lua 5.1');
    for (const [name, library] of Object.entries(standardLibraries(options.random ?? new LuaRandom())))
      globals.set(name, library);
    this.#stringMetatable.set('__index', globals.get('string'));
  }

  /** The remaining calls of functions until the next call of `onBudget`. */
  get callsLeft(): number {
    return this.#budget.calls;
  }

  /** The metatable all strings share. */
  get stringMetatable(): LuaTable {
    return this.#stringMetatable;
  }

  /** Throws LuaSyntaxError. The name follows Lua's rules: `@file`, `=any name`, else the source itself. */
  compile(source: string, chunkName: string): LuaChunk {
    const hasEnvironments = this.#hasEnvironments;
    return { main: compile(source, chunkName, this.#runtime, { hasEnvironments }), chunkName };
  }

  /** Like `compile`, for the debugger: the script runs slower, and calls `onLine` where Lua's line hook would be called. */
  compileForTracing(
    source: string,
    chunkName: string,
    onLine: (line: number) => void,
  ): { readonly chunk: LuaChunk; readonly tracing: LineTracing } {
    const tracing = new LineTracing(onLine);
    const main = compile(source, chunkName, tracing.extend(this.#runtime), {
      tracesLines: true,
      hasEnvironments: this.#hasEnvironments,
    });
    return { chunk: { main, chunkName }, tracing };
  }

  #load(source: string, chunkName: string): LuaFunction | string {
    try {
      return this.compile(source, chunkName).main;
    } catch (error) {
      if (error instanceof LuaSyntaxError) return error.message;
      throw error;
    }
  }

  /** Runs a chunk. Throws LuaError, or the error that the host threw. */
  run(chunk: LuaChunk, ...args: LuaValue[]): LuaValue[] {
    return this.call(chunk.main, ...args);
  }

  /** Calls a function of this state. */
  call(fn: LuaValue, ...args: LuaValue[]): LuaValue[] {
    const before = useStringMetatable(this.#stringMetatable);
    const budgetBefore = useBudget(this.#budget);
    // Earlier tail calls of other scripts must not make this call a deferred one.
    tails.made = 0;
    try {
      return all(call(fn, ...args));
    } catch (error) {
      throw catchable(error) ?? error;
    } finally {
      useStringMetatable(before);
      useBudget(budgetBefore);
    }
  }

  /** Registers a host function as a global or as a field of a table. */
  registerFunction(name: string, fn: LuaFunction, table: LuaTable = this.globals): void {
    table.set(name, markNative(name, fn));
  }

  /** For host functions: raises an error that begins with the position of the call. */
  fail(message: string): never {
    return failInCall(message);
  }

  /** For host functions: raises `bad argument #1 to 'name' (message)`. */
  failArgument(position: number, message: string): never {
    return failArgument(position, message);
  }

  registerLibrary(name: string, library: Library): LuaTable {
    const table = new LuaTable();
    install(table, library);
    this.globals.set(name, table);
    return table;
  }

  /** Makes a table, its metatable and all tables in it read-only. */
  protect(table: LuaTable): void {
    if (table.readonly) return;
    table.protect();
    for (const value of [...table.array, ...table.values]) {
      if (value instanceof LuaTable) this.protect(value);
    }
    if (table.metatable !== undefined) this.protect(table.metatable);
  }
}

export { LuaSyntaxError };
