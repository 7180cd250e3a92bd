/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { Argument, Outcome, Shape, Value } from '../../value.js';
import type { AnyCase, AtMostOne, OneOrMore } from '../options.js';
import type { FunctionLibrary, FunctionStats } from '../server-replies.js';

export type FunctionFlushOptions = AtMostOne<{ async: boolean; sync: boolean }>;
export type FunctionListOptions = {
  readonly libraryName?: Argument | undefined;
  readonly withCode?: boolean | undefined;
};
export type FunctionLoadOptions = { readonly replace?: boolean | undefined };
export type FunctionRestoreOptions = {
  readonly policy?: AnyCase<'flush' | 'append' | 'replace'> | undefined;
};
export type ScriptFlushOptions = AtMostOne<{ async: boolean; sync: boolean }>;

/** Commands of the group scripting. `S` is the shape of replies: text or bytes; promised, synchronous or queued. */
export interface ScriptingCommands<S extends Shape> {
  /**
   * Execute a Lua script server side.
   *
   * Sends EVAL. Depends on the script that is executed.
   *
   * @example
   * await store.set('greeting', 'hello');
   * await store.eval("return redis.call('GET', KEYS[1])", 'greeting'); // 'hello'
   */
  eval(script: Argument, keys?: OneOrMore<Argument>, values?: OneOrMore<Argument>): Outcome<S, Value<S>>;

  /**
   * Execute a read-only Lua script server side.
   *
   * Sends EVAL_RO. Depends on the script that is executed.
   *
   * @example
   * await store.evalRo("return ARGV[1]", [], ['a']); // 'a'
   */
  evalRo(script: Argument, keys?: OneOrMore<Argument>, values?: OneOrMore<Argument>): Outcome<S, Value<S>>;

  /**
   * Execute a Lua script server side.
   *
   * Sends EVALSHA. Depends on the script that is executed.
   *
   * @example
   * await store.scriptLoad("return ARGV[1]");
   * await store.evalsha('098e0f0d1448c0a81dafe820f66d460eb09263da', [], 'a'); // 'a'
   */
  evalsha(sha1: Argument, keys?: OneOrMore<Argument>, values?: OneOrMore<Argument>): Outcome<S, Value<S>>;

  /**
   * Execute a read-only Lua script server side.
   *
   * Sends EVALSHA_RO. Depends on the script that is executed.
   *
   * @example
   * await store.scriptLoad("return ARGV[1]");
   * await store.evalshaRo('098e0f0d1448c0a81dafe820f66d460eb09263da', [], 'a'); // 'a'
   */
  evalshaRo(sha1: Argument, keys?: OneOrMore<Argument>, values?: OneOrMore<Argument>): Outcome<S, Value<S>>;

  /**
   * Invoke a function.
   *
   * Sends FCALL. Depends on the function that is executed.
   *
   * @example
   * await store.functionLoad("#!lua name=lib\nredis.register_function{ function_name = 'one', callback = function() return 1 end, flags = { 'no-writes' } }");
   * await store.fcall('one'); // 1
   */
  fcall(
    functionName: Argument,
    keys?: OneOrMore<Argument>,
    values?: OneOrMore<Argument>,
  ): Outcome<S, Value<S>>;

  /**
   * Invoke a read-only function.
   *
   * Sends FCALL_RO. Depends on the function that is executed.
   *
   * @example
   * await store.functionLoad("#!lua name=lib\nredis.register_function{ function_name = 'one', callback = function() return 1 end, flags = { 'no-writes' } }");
   * await store.fcallRo('one'); // 1
   */
  fcallRo(
    functionName: Argument,
    keys?: OneOrMore<Argument>,
    values?: OneOrMore<Argument>,
  ): Outcome<S, Value<S>>;

  /**
   * Delete a function by name.
   *
   * Sends FUNCTION DELETE. O(1).
   *
   * @example
   * await store.functionLoad("#!lua name=lib\nredis.register_function{ function_name = 'one', callback = function() return 1 end, flags = { 'no-writes' } }");
   * await store.functionDelete('lib'); // 'OK'
   */
  functionDelete(libraryName: Argument): Outcome<S, 'OK'>;

  /**
   * Dump all functions into a serialized binary payload.
   *
   * Sends FUNCTION DUMP. O(N) where N is the number of functions.
   *
   * @example
   * await store.functionLoad("#!lua name=lib\nredis.register_function{ function_name = 'one', callback = function() return 1 end, flags = { 'no-writes' } }");
   * await store.functionDump();
   */
  functionDump(): Outcome<S, S['text']>;

  /**
   * Deleting all functions.
   *
   * Sends FUNCTION FLUSH. O(N) where N is the number of functions deleted.
   *
   * @example
   * await store.functionFlush({ async: true }); // 'OK'
   */
  functionFlush(options?: FunctionFlushOptions): Outcome<S, 'OK'>;

  /**
   * Kill the function currently in execution.
   *
   * Sends FUNCTION KILL. O(1).
   *
   * @example
   * await store.functionKill(); // 'OK'
   */
  functionKill(): Outcome<S, 'OK'>;

  /**
   * List information about all the functions.
   *
   * Sends FUNCTION LIST. O(N) where N is the number of functions.
   *
   * @example
   * await store.functionLoad("#!lua name=lib\nredis.register_function{ function_name = 'one', callback = function() return 1 end, flags = { 'no-writes' } }");
   * await store.functionList({ libraryName: 'l*' }); // [{ name: 'lib', engine: 'LUA', functions: [{ name: 'one', description: null, flags: ['no-writes'] }] }]
   */
  functionList(options?: FunctionListOptions): Outcome<S, FunctionLibrary<S>[]>;

  /**
   * Create a function with the given arguments (name, code, description).
   *
   * Sends FUNCTION LOAD. O(1) (considering compilation time is redundant).
   *
   * @example
   * await store.functionLoad("#!lua name=lib\nredis.register_function('one', function() return 1 end)", { replace: true }); // 'lib'
   */
  functionLoad(functionCode: Argument, options?: FunctionLoadOptions): Outcome<S, string>;

  /**
   * Restore all the functions on the given payload.
   *
   * Sends FUNCTION RESTORE. O(N) where N is the number of functions on the payload.
   *
   * @example
   * await store.functionRestore(Buffer.from('0a005d9b5c400f7fa2da', 'hex'), { policy: 'replace' }); // 'OK'
   */
  functionRestore(serializedValue: Argument, options?: FunctionRestoreOptions): Outcome<S, 'OK'>;

  /**
   * Return information about the function currently running (name, description, duration).
   *
   * Sends FUNCTION STATS. O(1).
   *
   * @example
   * await store.functionLoad("#!lua name=lib\nredis.register_function{ function_name = 'one', callback = function() return 1 end, flags = { 'no-writes' } }");
   * await store.functionStats(); // { running: null, engines: { LUA: { libraries: 1, functions: 1 } } }
   */
  functionStats(): Outcome<S, FunctionStats>;

  /**
   * Check existence of scripts in the script cache.
   *
   * Sends SCRIPT EXISTS. O(N) with N being the number of scripts to check (so checking a single script is an O(1) operation).
   *
   * @example
   * await store.scriptLoad("return ARGV[1]");
   * await store.scriptExists('098e0f0d1448c0a81dafe820f66d460eb09263da'); // [true]
   */
  scriptExists(sha1s: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, boolean[]>;

  /**
   * Remove all the scripts from the script cache.
   *
   * Sends SCRIPT FLUSH. O(N) with N being the number of scripts in cache.
   *
   * @example
   * await store.scriptFlush(); // 'OK'
   */
  scriptFlush(options?: ScriptFlushOptions): Outcome<S, 'OK'>;

  /**
   * Kill the script currently in execution.
   *
   * Sends SCRIPT KILL. O(1).
   *
   * @example
   * await store.scriptKill(); // 'OK'
   */
  scriptKill(): Outcome<S, 'OK'>;

  /**
   * Load the specified Lua script into the script cache.
   *
   * Sends SCRIPT LOAD. O(N) with N being the length in bytes of the script body.
   *
   * @example
   * await store.scriptLoad("return ARGV[1]"); // '098e0f0d1448c0a81dafe820f66d460eb09263da'
   */
  scriptLoad(script: Argument): Outcome<S, string>;
}
