import type { Bytes } from '../../bytes/bytes.js';
import type { Call } from '../../commands/call.js';
import { CommandError } from '../../commands/errors.js';
import type { LogLevel } from '../../commands/host-port.js';
import type { ScriptingPort } from '../../commands/scripting-port.js';
import type { DebugChannel } from '../../commands/session.js';
import type { Command } from '../../commands/table.js';
import { LuaError, type LuaFunction, LuaRandom, LuaState, LuaTable, type LuaValue } from '../../lua/index.js';
import type { Engine } from '../engine.js';
import { CommandCaller } from './command-caller.js';
import { DebuggedCaller } from './debugger/debugged-caller.js';
import { Debugger } from './debugger/debugger.js';
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
  /** Runs the commands of scripts. While one is being debugged, this is the debugger's. */
  caller: CommandCaller;
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
  #debugger: Debugger | undefined;
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

  /** Whether scripts and functions have the functions of Lua 5.1 that Redis no longer offers by default. */
  get hasDeprecatedApi(): boolean {
    return this.engine.settings.isOn('lua-enable-deprecated-api');
  }

  get #scripts(): ScriptCache {
    this.#cache ??= new ScriptCache(this.#interpreter);
    return this.#cache;
  }

  get #interpreter(): LuaState {
    this.#state ??= this.#makeState(this);
    return this.#state;
  }

  /** `changeFunctions` may replace functions of the table `redis`. */
  #makeState(host: ScriptHost, changeFunctions?: (state: LuaState, redis: LuaTable) => void): LuaState {
    const state = new LuaState({
      onBudget: () => this.onBudget(),
      random: this.random,
      deprecatedApi: this.hasDeprecatedApi,
    });
    const redis = redisTable(state, host);
    addScriptFunctions(state, redis);
    changeFunctions?.(state, redis);
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
    if (call.session.debugging !== 'no') {
      this.#debug(call, by, isReadonly);
      return;
    }
    const keyCount = countedKeys(call, call.integer(2));
    const script =
      by === 'sha' ? this.#scripts.findBytes(call.arg(1)) : this.#scripts.obtain(call.text(1), false);
    if (script === undefined) throw NO_SCRIPT;
    script.isUsed = true;
    checkScriptFlags(engine, call, script.flags, isReadonly);
    if (script.seesArguments) this.#setArguments(this.#interpreter, call, keyCount);
    const { startedAt } = engine.runner;
    const run = new ScriptRun('script', script.sha, call, script.flags, isReadonly, startedAt);
    this.runFunction(run, this.#interpreter, script.chunk.main, NO_ARGUMENTS);
  }

  /** EVAL of a client that debugs its scripts. The session ends with the script, and the connection with the session. */
  #debug(call: Call, by: 'source' | 'sha', isReadonly: boolean): void {
    const { host, keyspace } = this.engine;
    const { session } = call;
    if (by === 'sha') throw NO_SOURCE;
    if (session.debugging === 'copy') {
      if (!call.mayBlock) throw IN_TRANSACTION;
      session.sink.debugOnCopy?.(call.copyArgs(0, call.argc).map((word) => word.toBuffer()));
      return;
    }
    const channel = session.sink.debugChannel?.() as DebugChannel;
    host.log('warning', 'Redis synchronous debugging eval session started');
    const debug = new Debugger(channel, call.text(1), () => {
      this.run?.restart();
      keyspace.passTime();
    });
    const { caller } = this;
    try {
      this.#runDebugged(call, isReadonly, debug);
    } finally {
      this.#debugger = undefined;
      this.caller = caller;
      debug.end();
      host.log('warning', 'Redis synchronous debugging eval session ended');
      session.sink.close('flushed');
    }
  }

  #runDebugged(call: Call, isReadonly: boolean, debug: Debugger): void {
    const keyCount = countedKeys(call, call.integer(2));
    const { sha, source, flags } = this.#scripts.obtain(call.text(1), false);
    checkScriptFlags(this.engine, call, flags, isReadonly);
    const caller = new DebuggedCaller(this.engine, debug.log);
    const runOf = (): ScriptRun | undefined => this.run;
    const host: ScriptHost = {
      caller,
      get run() {
        return runOf();
      },
      beforeCommand: () => this.#stack.check(),
      log: (level, text) => this.log(level, text),
    };
    const state = this.#makeState(host, (made, redis) => debug.addFunctions(made, redis));
    const chunk = debug.compile(state, scriptHead(source).body);
    this.#setArguments(state, call, keyCount);
    this.#debugger = debug;
    this.caller = caller;
    const run = new ScriptRun('script', sha, call, flags, isReadonly, performance.now());
    this.runFunction(run, state, chunk.main, NO_ARGUMENTS);
  }

  #setArguments({ globals }: LuaState, call: Call, keyCount: number): void {
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
    if (++this.#callsUnchecked < CALLS_BETWEEN_CHECKS) return;
    this.#callsUnchecked = 0;
    this.#checkTime();
  }

  onBudget(): void {
    if (isHeapExhausted()) throw new ScriptEnded('not enough memory');
    if (this.#debugger === undefined) this.#checkTime();
    else if (this.run !== undefined && this.run.milliseconds >= this.#debuggedThreshold) {
      this.#debugger.onTimeout();
    }
  }

  get #debuggedThreshold(): number {
    return Number.isFinite(this.#threshold) ? this.#threshold : DEBUGGED_MS;
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
const IN_TRANSACTION = new CommandError(
  'ERR Scripts of a transaction can only be debugged with SCRIPT DEBUG SYNC',
);
const NO_SOURCE = new CommandError('ERR Please use EVAL instead of EVALSHA for debugging');
const NOT_BUSY = new CommandError('NOTBUSY No scripts in execution right now.');
const UNKILLABLE = new CommandError(
  'UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script ' +
    'termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.',
);
const CALLS_BETWEEN_CHECKS = 64;
/** Without `busy-reply-threshold`, the debugger stops a script after this time. */
const DEBUGGED_MS = 5000;
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
