/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { WireCommand } from '../../command-runner.js';
import type { Argument, Shape } from '../../value.js';
import type { Methods, OneOrMore, Runner } from '../options.js';
import { append, appendCounted, isInvalid, isList, refuse } from '../options.js';
import { booleans, ok, word } from '../replies.js';
import { functionStats, libraries } from '../server-replies.js';
import type {
  FunctionFlushOptions,
  FunctionListOptions,
  FunctionLoadOptions,
  FunctionRestoreOptions,
  ScriptFlushOptions,
  ScriptingCommands,
} from '../types/scripting.js';

const EVAL: WireCommand = { words: ['EVAL'], blocks: false };
const EVAL_RO: WireCommand = { words: ['EVAL_RO'], blocks: false };
const EVALSHA: WireCommand = { words: ['EVALSHA'], blocks: false };
const EVALSHA_RO: WireCommand = { words: ['EVALSHA_RO'], blocks: false };
const FCALL: WireCommand = { words: ['FCALL'], blocks: false };
const FCALL_RO: WireCommand = { words: ['FCALL_RO'], blocks: false };
const FUNCTION_DELETE: WireCommand = { words: ['FUNCTION', 'DELETE'], blocks: false };
const FUNCTION_DUMP: WireCommand = { words: ['FUNCTION', 'DUMP'], blocks: false };
const FUNCTION_FLUSH: WireCommand = { words: ['FUNCTION', 'FLUSH'], blocks: false };
const FUNCTION_FLUSH_OPTIONS = ['async', 'sync'];
const FUNCTION_KILL: WireCommand = { words: ['FUNCTION', 'KILL'], blocks: false };
const FUNCTION_LIST: WireCommand = { words: ['FUNCTION', 'LIST'], blocks: false };
const FUNCTION_LIST_OPTIONS = ['libraryName', 'withCode'];
const FUNCTION_LOAD: WireCommand = { words: ['FUNCTION', 'LOAD'], blocks: false };
const FUNCTION_LOAD_OPTIONS = ['replace'];
const FUNCTION_RESTORE: WireCommand = { words: ['FUNCTION', 'RESTORE'], blocks: false };
const FUNCTION_RESTORE_OPTIONS = ['policy'];
const FUNCTION_STATS: WireCommand = { words: ['FUNCTION', 'STATS'], blocks: false };
const SCRIPT_EXISTS: WireCommand = { words: ['SCRIPT', 'EXISTS'], blocks: false };
const SCRIPT_FLUSH: WireCommand = { words: ['SCRIPT', 'FLUSH'], blocks: false };
const SCRIPT_FLUSH_OPTIONS = ['async', 'sync'];
const SCRIPT_KILL: WireCommand = { words: ['SCRIPT', 'KILL'], blocks: false };
const SCRIPT_LOAD: WireCommand = { words: ['SCRIPT', 'LOAD'], blocks: false };

export const scriptingMethods = {
  eval(
    this: Runner,
    script: Argument,
    keys: OneOrMore<Argument> = [],
    values: OneOrMore<Argument> = [],
  ): unknown {
    const args: Argument[] = [script];
    appendCounted(args, keys);
    append(args, values);
    return this.run(EVAL, args);
  },

  evalRo(
    this: Runner,
    script: Argument,
    keys: OneOrMore<Argument> = [],
    values: OneOrMore<Argument> = [],
  ): unknown {
    const args: Argument[] = [script];
    appendCounted(args, keys);
    append(args, values);
    return this.run(EVAL_RO, args);
  },

  evalsha(
    this: Runner,
    sha1: Argument,
    keys: OneOrMore<Argument> = [],
    values: OneOrMore<Argument> = [],
  ): unknown {
    const args: Argument[] = [sha1];
    appendCounted(args, keys);
    append(args, values);
    return this.run(EVALSHA, args);
  },

  evalshaRo(
    this: Runner,
    sha1: Argument,
    keys: OneOrMore<Argument> = [],
    values: OneOrMore<Argument> = [],
  ): unknown {
    const args: Argument[] = [sha1];
    appendCounted(args, keys);
    append(args, values);
    return this.run(EVALSHA_RO, args);
  },

  fcall(
    this: Runner,
    functionName: Argument,
    keys: OneOrMore<Argument> = [],
    values: OneOrMore<Argument> = [],
  ): unknown {
    const args: Argument[] = [functionName];
    appendCounted(args, keys);
    append(args, values);
    return this.run(FCALL, args);
  },

  fcallRo(
    this: Runner,
    functionName: Argument,
    keys: OneOrMore<Argument> = [],
    values: OneOrMore<Argument> = [],
  ): unknown {
    const args: Argument[] = [functionName];
    appendCounted(args, keys);
    append(args, values);
    return this.run(FCALL_RO, args);
  },

  functionDelete(this: Runner, libraryName: Argument): unknown {
    return this.run(FUNCTION_DELETE, [libraryName], ok);
  },

  functionDump(this: Runner): unknown {
    return this.run(FUNCTION_DUMP, []);
  },

  functionFlush(this: Runner, options?: FunctionFlushOptions): unknown {
    if (options === undefined) return this.run(FUNCTION_FLUSH, [], ok);
    if (isInvalid(options, FUNCTION_FLUSH_OPTIONS))
      return refuse(this, 'functionFlush', options, FUNCTION_FLUSH_OPTIONS);
    const args: Argument[] = [];
    if (options.async) args.push('ASYNC');
    if (options.sync) args.push('SYNC');
    return this.run(FUNCTION_FLUSH, args, ok);
  },

  functionKill(this: Runner): unknown {
    return this.run(FUNCTION_KILL, [], ok);
  },

  functionList(this: Runner, options?: FunctionListOptions): unknown {
    if (options === undefined) return this.run(FUNCTION_LIST, [], libraries);
    if (isInvalid(options, FUNCTION_LIST_OPTIONS))
      return refuse(this, 'functionList', options, FUNCTION_LIST_OPTIONS);
    const args: Argument[] = [];
    if (options.libraryName !== undefined) args.push('LIBRARYNAME', options.libraryName);
    if (options.withCode) args.push('WITHCODE');
    return this.run(FUNCTION_LIST, args, libraries);
  },

  functionLoad(this: Runner, functionCode: Argument, options?: FunctionLoadOptions): unknown {
    if (options === undefined) return this.run(FUNCTION_LOAD, [functionCode], word);
    if (isInvalid(options, FUNCTION_LOAD_OPTIONS))
      return refuse(this, 'functionLoad', options, FUNCTION_LOAD_OPTIONS);
    const args: Argument[] = [];
    if (options.replace) args.push('REPLACE');
    args.push(functionCode);
    return this.run(FUNCTION_LOAD, args, word);
  },

  functionRestore(this: Runner, serializedValue: Argument, options?: FunctionRestoreOptions): unknown {
    if (options === undefined) return this.run(FUNCTION_RESTORE, [serializedValue], ok);
    if (isInvalid(options, FUNCTION_RESTORE_OPTIONS))
      return refuse(this, 'functionRestore', options, FUNCTION_RESTORE_OPTIONS);
    const args: Argument[] = [serializedValue];
    if (options.policy !== undefined) args.push(options.policy);
    return this.run(FUNCTION_RESTORE, args, ok);
  },

  functionStats(this: Runner): unknown {
    return this.run(FUNCTION_STATS, [], functionStats);
  },

  scriptExists(this: Runner, sha1s: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(sha1s)) return this.run(SCRIPT_EXISTS, [sha1s], booleans);
    const args: Argument[] = [];
    append(args, sha1s, more);
    return this.run(SCRIPT_EXISTS, args, booleans);
  },

  scriptFlush(this: Runner, options?: ScriptFlushOptions): unknown {
    if (options === undefined) return this.run(SCRIPT_FLUSH, [], ok);
    if (isInvalid(options, SCRIPT_FLUSH_OPTIONS))
      return refuse(this, 'scriptFlush', options, SCRIPT_FLUSH_OPTIONS);
    const args: Argument[] = [];
    if (options.async) args.push('ASYNC');
    if (options.sync) args.push('SYNC');
    return this.run(SCRIPT_FLUSH, args, ok);
  },

  scriptKill(this: Runner): unknown {
    return this.run(SCRIPT_KILL, [], ok);
  },

  scriptLoad(this: Runner, script: Argument): unknown {
    return this.run(SCRIPT_LOAD, [script], word);
  },
} satisfies Methods<ScriptingCommands<Shape>>;
