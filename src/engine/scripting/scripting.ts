import type { Bytes } from '../../bytes/bytes.js';
import type { Call } from '../../commands/call.js';
import type { LogLevel, ScriptingPort } from '../../commands/engine-port.js';
import { CommandError } from '../../commands/errors.js';
import type { Command } from '../../commands/table.js';
import { LuaError, type LuaFunction, LuaRandom, LuaState, LuaTable, type LuaValue } from '../../lua/index.js';
import type { Engine } from '../engine.js';
import { CommandCaller } from './command-caller.js';
import { Functions } from './functions.js';
import { isHeapExhausted } from './heap-guard.js';
import {
  addProtectedCall,
  addScriptFunctions,
  guardMissing,
  redisTable,
  type ScriptHost,
} from './redis-library.js';
import { type ReplyContext, replyWith } from './reply-values.js';
import { countedKeys, textsOf } from './script-arguments.js';
import { ScriptCache } from './script-cache.js';
import { COUNTED, ScriptEnded, scriptFailure } from './script-error.js';
import { busyError, checkScriptFlags, ScriptRun, timeLimitReached } from './script-run.js';
import { commandFlagsOf, ScriptFlag, scriptHead } from './shebang.js';
import { StackGuard } from './stack-guard.js';

/** Runs scripts and functions, one at a time. Each interpreter is created when first needed. */
export class Scripting implements Omit<ScriptingPort, 'allowsAnyCommand'>, ScriptHost, ReplyContext {
  readonly engine: Engine;
  readonly caller: CommandCaller;
  readonly functions: Functions;
  /** Shared by both interpreters. */
  readonly random = new LuaRandom();
  /** The running script or function. */
  run: ScriptRun | undefined;
  #state: LuaState | undefined;
  #cache: ScriptCache | undefined;
  #threshold = 0;
  readonly #stack = new StackGuard();
  #callsUnchecked = 0;
  /** The running script has returned an error object. */
  #hasFailed = false;
  /** When other clients are served next during a slow script, in ms since its start. */
  #nextService = 0;

  constructor(engine: Engine) {
    this.engine = engine;
    this.caller = new CommandCaller(engine);
    this.functions = new Functions(this);
    engine.settings.onChange('busy-reply-threshold', (text) => {
      const milliseconds = Number(text);
      this.#threshold = milliseconds > 0 ? milliseconds : Number.POSITIVE_INFINITY;
    });
    engine.attach({
      facts: {
        number_of_cached_scripts: () => this.#cache?.size ?? 0,
        used_memory_scripts_eval: () => this.#cache?.bytes ?? 0,
        number_of_libraries: () => this.functions.libraryCount,
        number_of_functions: () => this.functions.functionCount,
        used_memory_functions: () => this.functions.codeBytes,
      },
    });
  }

  get #scripts(): ScriptCache {
    this.#cache ??= new ScriptCache(this.#interpreter);
    return this.#cache;
  }

  get #interpreter(): LuaState {
    this.#state ??= this.#makeState();
    return this.#state;
  }

  #makeState(): LuaState {
    const state = new LuaState({ onBudget: () => this.onBudget(), random: this.random });
    const redis = redisTable(state, this);
    addScriptFunctions(state, redis);
    addProtectedCall(state);
    const { globals } = state;
    globals.set('redis', redis);
    state.registerFunction('__redis__err__handler', (error) => error);
    globals.set('KEYS', new LuaTable());
    globals.set('ARGV', new LuaTable());
    guardMissing(state, globals);
    state.protect(globals);
    state.protect(state.stringMetatable);
    return state;
  }

  // ---- EVAL ----

  evaluate(call: Call, by: 'source' | 'sha', isReadonly: boolean): void {
    const { engine } = this;
    // Monitors see the script before its commands.
    if (engine.monitors.size > 0) engine.monitors.feed(call.session, 'client', call.command, call);
    if (by === 'sha' && call.arg(1).length !== 40) throw NO_SCRIPT;
    const keyCount = countedKeys(call, call.integer(2));
    const script =
      by === 'sha' ? this.#scripts.findBytes(call.arg(1)) : this.#scripts.obtain(call.text(1), false);
    if (script === undefined) throw NO_SCRIPT;
    script.isUsed = true;
    checkScriptFlags(engine, script.flags, isReadonly);
    if (script.seesArguments) this.#setArguments(call, keyCount);
    const run = new ScriptRun('script', script.sha, call, script.flags, isReadonly);
    this.runFunction(run, this.#interpreter, script.chunk.main, NO_ARGUMENTS);
  }

  #setArguments(call: Call, keyCount: number): void {
    const { globals } = this.#interpreter;
    globals.unprotect();
    globals.set('KEYS', textsOf(call, 3, 3 + keyCount));
    globals.set('ARGV', textsOf(call, 3 + keyCount, call.argc));
    globals.protect();
  }

  /** The command's flags. For a command that runs a script they follow from the flags that the script declares. */
  commandFlags(command: Command, args: readonly Bytes[]): number {
    const declared = this.#declaredFlags(command.name, args[1]);
    if (declared === undefined || (declared & ScriptFlag.unspecified) !== 0) return command.flagBits;
    return commandFlagsOf(declared, command.flagBits);
  }

  #declaredFlags(name: string, script: Bytes | undefined): number | undefined {
    if (script === undefined) return undefined;
    if (name === 'eval' || name === 'eval_ro') return flagsInSource(script.toString());
    if (name === 'evalsha' || name === 'evalsha_ro') return this.#cache?.find(script.toString())?.flags;
    if (name === 'fcall' || name === 'fcall_ro') return this.functions.flagsOf(script.toString());
    return undefined;
  }

  load(source: string): string {
    return this.#scripts.obtain(source, true).sha;
  }

  exists(sha: string): boolean {
    return this.#cache?.find(sha) !== undefined;
  }

  flush(): void {
    this.#cache?.flush();
    // Also drop globals that scripts may have changed.
    if (this.run === undefined) this.#cache = this.#state = undefined;
  }

  // ---- running ----

  /** Runs a script's or a library's function and replies with what it returns. */
  runFunction(run: ScriptRun, state: LuaState, fn: LuaFunction, args: readonly LuaValue[]): void {
    const { call } = run;
    this.run = run;
    this.#callsUnchecked = 0;
    this.caller.begin(run);
    this.#stack.begin(state);
    try {
      const results = state.call(fn, ...args);
      replyWith(call.reply, results[0], this);
    } catch (error) {
      const failure = error instanceof ScriptEnded ? error.error : error;
      if (!(failure instanceof LuaError)) throw error;
      const { text, isCounted } = scriptFailure(failure, run.name);
      this.#countError(text, isCounted);
      call.reply.error(text);
    } finally {
      if (this.#hasFailed) this.engine.statistics.countFailed(call.command.id);
      this.#hasFailed = false;
      this.run = undefined;
      if (run.isSlow) this.engine.parts.slowScriptEnded();
      this.caller.end();
      // The effects of its commands have been recorded; the script itself is not recorded.
      call.effects.replaceByNothing();
    }
  }

  /** Whether the script's result may contain booleans. */
  get hasBooleans(): boolean {
    return this.caller.reply.protocol === 3;
  }

  onError(text: string, table: LuaTable): void {
    this.#countError(text, table.getString(COUNTED) === true);
  }

  /** Counts a script's error. If it came from a command, the error itself has been counted there. */
  #countError(text: string, isCounted: boolean): void {
    const { statistics } = this.engine;
    if (isCounted && this.run !== undefined) statistics.countFailed(this.run.call.command.id);
    if (isCounted) return;
    statistics.countError(text);
    this.#hasFailed = true;
  }

  log(level: LogLevel, text: string): void {
    this.engine.host.log(level, text);
  }

  // ---- scripts that take too long ----

  /** The error that other clients get during a slow script; undefined if there is none. */
  get busyError(): CommandError | undefined {
    return this.run?.isSlow === true ? busyError(this.run.kind) : undefined;
  }

  /** Checks the time, since a loop of commands makes few steps that Lua counts. */
  beforeCommand(): void {
    this.#stack.check();
    this.run?.look();
    if (++this.#callsUnchecked < CALLS_BETWEEN_CHECKS) return;
    this.#callsUnchecked = 0;
    this.#checkTime();
  }

  onBudget(): void {
    if (isHeapExhausted()) throw new ScriptEnded('not enough memory');
    this.#checkTime();
  }

  /** Ends a script at its time limit. During a slow script, serves other clients at intervals. */
  #checkTime(): void {
    const { run, engine } = this;
    if (run === undefined) return;
    const { milliseconds } = run;
    const { timeLimit } = engine.scripting;
    if (milliseconds >= timeLimit) throw timeLimitReached(run, timeLimit);
    if (milliseconds < this.#threshold) return;
    if (run.isSlow && milliseconds < this.#nextService) return;
    if (!run.isSlow) {
      run.isSlow = true;
      engine.host.log(
        'warning',
        `Slow script detected: still in execution after ${Math.round(milliseconds)} milliseconds. You can try ` +
          `killing the script using the ${run.kind === 'script' ? 'SCRIPT KILL' : 'FUNCTION KILL'} command. ` +
          `Script name is: ${run.name}.`,
      );
    }
    engine.parts.serveDuringScript();
    this.#nextService = run.milliseconds + SERVICE_INTERVAL_MS;
    if (run.isKilled) throw new ScriptEnded('Script killed by user with SCRIPT KILL...');
  }

  /** Ends the running script at shutdown, even if it has written. */
  abandon(): void {
    if (this.run !== undefined) this.run.isKilled = true;
  }

  kill(kind: 'script' | 'function'): void {
    const { run } = this;
    if (run === undefined) throw NOT_BUSY;
    if (run.hasWritten) throw UNKILLABLE;
    if (run.kind !== kind) throw busyError(run.kind);
    run.isKilled = true;
  }
}

const NO_ARGUMENTS: readonly LuaValue[] = [];
const NO_SCRIPT = new CommandError('NOSCRIPT No matching script. Please use EVAL.');
const NOT_BUSY = new CommandError('NOTBUSY No scripts in execution right now.');
const UNKILLABLE = new CommandError(
  'UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script ' +
    'termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.',
);
const CALLS_BETWEEN_CHECKS = 64;
/** The interval between servings of other clients, which must not slow the script down much. */
const SERVICE_INTERVAL_MS = 5;

/** Undefined if the first line is invalid: running the script reports the error. */
function flagsInSource(source: string): number | undefined {
  try {
    return scriptHead(source).flags;
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}
