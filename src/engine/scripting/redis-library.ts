import { createHash } from 'node:crypto';
import type { LogLevel } from '../../commands/host-port.js';
import { REDIS_VERSION } from '../../commands/version.js';
import {
  C_STACK_OVERFLOW,
  enterProtectedCall,
  LuaError,
  type LuaFunction,
  type LuaState,
  LuaTable,
  type LuaValue,
  leaveProtectedCall,
} from '../../lua/index.js';
import type { CommandCaller } from './command-caller.js';
import { errorTable, normalizedError, raiseText } from './script-error.js';
import type { ScriptRun } from './script-run.js';

/** What the functions of `redis` need from the code that runs scripts. */
export interface ScriptHost {
  readonly caller: CommandCaller;
  /** The running script; undefined while a library is loaded. */
  readonly run: ScriptRun | undefined;
  /** Called before every command. Ends a script that takes too long or has too little stack left. */
  beforeCommand(): void;
  log(level: LogLevel, text: string): void;
}

type Functions = Readonly<Record<string, LuaFunction>>;

/** The table `redis` as scripts and running functions see it. */
export function redisTable(state: LuaState, host: ScriptHost): LuaTable {
  const table = new LuaTable();
  register(state, table, commandFunctions(host));
  register(state, table, replyFunctions());
  register(state, table, { log: logFunction(host) });
  for (const [name, value] of Object.entries({ ...VERSION, ...LOG_LEVELS, ...REPLICATION })) {
    table.set(name, value);
  }
  return table;
}

/** Adds the functions that only scripts of EVAL have. */
export function addScriptFunctions(state: LuaState, redis: LuaTable): void {
  register(state, redis, {
    replicate_commands: () => true,
    breakpoint: () => false,
    debug: () => [],
  });
}

/** The table `redis` while a library is loaded. */
export function loadingTable(state: LuaState, host: ScriptHost, registerFunction: LuaFunction): LuaTable {
  const table = new LuaTable();
  register(state, table, { register_function: registerFunction, log: logFunction(host) });
  for (const [name, value] of Object.entries({ ...VERSION, ...LOG_LEVELS })) table.set(name, value);
  return table;
}

/**
 * Redis's `pcall`: for an error object, the script gets only its text.
 */
export function addProtectedCall(state: LuaState): void {
  state.registerFunction('pcall', (...args) => {
    if (args.length === 0) state.failArgument(1, 'value expected');
    if (!enterProtectedCall()) return [false, C_STACK_OVERFLOW];
    try {
      return [true, ...state.call(args[0], ...args.slice(1))];
    } catch (error) {
      if (!(error instanceof LuaError)) throw error;
      const { value } = error;
      const text = value instanceof LuaTable ? value.getString('err') : undefined;
      return [false, typeof text === 'string' || typeof text === 'number' ? text : value];
    } finally {
      leaveProtectedCall();
    }
  });
}

/** Makes reading a missing field an error, for globals and other tables where Redis does so. */
export function guardMissing(state: LuaState, table: LuaTable): void {
  const metatable = new LuaTable();
  state.registerFunction(
    '__index',
    (...args) => state.fail(`Script attempted to access nonexistent global variable '${shownKey(args[1])}'`),
    metatable,
  );
  table.metatable = metatable;
}

function shownKey(key: LuaValue): string {
  return typeof key === 'string' || typeof key === 'number' ? String(key) : '(null)';
}

function register(state: LuaState, table: LuaTable, functions: Functions): void {
  for (const [name, fn] of Object.entries(functions)) state.registerFunction(name, fn, table);
}

function commandFunctions(host: ScriptHost): Functions {
  const { caller } = host;
  return {
    call(...words) {
      const { run } = host;
      if (run === undefined) return raiseText(OUTSIDE);
      host.beforeCommand();
      const value = caller.run(words, run);
      if (caller.failed) throw new LuaError(value);
      return value;
    },
    pcall(...words) {
      const { run } = host;
      if (run === undefined) return raiseText(OUTSIDE);
      host.beforeCommand();
      return caller.run(words, run);
    },
    acl_check_cmd(...words) {
      if (host.run === undefined) {
        return raiseText('redis.acl_check_cmd can only be called inside a script invocation');
      }
      const command = caller.find(words);
      if (command === 'no words') {
        return raiseText('Please specify at least one argument for this redis lib call');
      }
      if (command === 'wrong types') {
        return raiseText('Lua redis lib command arguments must be strings or integers');
      }
      if (command === undefined) return raiseText('Invalid command passed to redis.acl_check_cmd()');
      return caller.mayRun(command, words.length);
    },
    setresp(...args) {
      if (args.length !== 1) raiseText('redis.setresp() requires one argument.');
      const version = toNumber(args[0]);
      if (version !== 2 && version !== 3) raiseText('RESP version must be 2 or 3.');
      caller.reply.protocol = version as number;
      return [];
    },
    set_repl(...args) {
      if (args.length !== 1) raiseText('redis.set_repl() requires two arguments.');
      const flags = toNumber(args[0]) ?? 0;
      if ((flags & ~REPLICATION.REPL_ALL) !== 0) {
        raiseText('Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.');
      }
      if (host.run !== undefined) host.run.recipients = RECIPIENTS[flags & REPLICATION.REPL_ALL] ?? 'none';
      return [];
    },
  };
}

function replyFunctions(): Functions {
  return {
    error_reply(...args) {
      const [text] = args;
      if (args.length !== 1 || typeof text !== 'string') return errorTable(`ERR ${WRONG_ARGUMENTS}`);
      return errorTable(normalizedError(text.startsWith('-') ? text.slice(1) : text));
    },
    status_reply(...args) {
      const [text] = args;
      if (args.length !== 1 || typeof text !== 'string') return errorTable(`ERR ${WRONG_ARGUMENTS}`);
      const table = new LuaTable();
      table.set('ok', text);
      return table;
    },
    sha1hex(...args) {
      if (args.length !== 1) raiseText('wrong number of arguments');
      const [text] = args;
      const source = typeof text === 'string' || typeof text === 'number' ? String(text) : '';
      return createHash('sha1').update(source, 'latin1').digest('hex');
    },
  };
}

function logFunction(host: ScriptHost): LuaFunction {
  return (...args) => {
    if (args.length < 2) raiseText('redis.log() requires two arguments or more.');
    const level = toNumber(args[0]);
    if (level === undefined) return raiseText('First argument must be a number (log level).');
    const name = LOG_NAMES[Math.trunc(level)];
    if (name === undefined) return raiseText('Invalid debug level.');
    const words = args.slice(1).filter((word) => typeof word === 'string' || typeof word === 'number');
    host.log(name, words.join(' '));
    return [];
  };
}

function toNumber(value: LuaValue): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return Number.isNaN(number) ? undefined : number;
}

const OUTSIDE = 'redis.call/pcall can only be called inside a script invocation';
const WRONG_ARGUMENTS = 'wrong number or type of arguments';
const LOG_NAMES: readonly LogLevel[] = ['debug', 'verbose', 'notice', 'warning'];
const LOG_LEVELS = { LOG_DEBUG: 0, LOG_VERBOSE: 1, LOG_NOTICE: 2, LOG_WARNING: 3 };
const REPLICATION = { REPL_NONE: 0, REPL_AOF: 1, REPL_SLAVE: 2, REPL_REPLICA: 2, REPL_ALL: 3 };
/** Indexed by the flags of `redis.set_repl`. */
const RECIPIENTS = ['none', 'file', 'replicas', 'all'] as const;
const VERSION = { REDIS_VERSION, REDIS_VERSION_NUM: versionNumber(REDIS_VERSION) };

/** 0x00MMmmpp */
function versionNumber(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return (major << 16) | (minor << 8) | patch;
}
