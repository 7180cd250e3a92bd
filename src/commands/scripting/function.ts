import type { Call } from '../call.js';
import { CommandError, shownText, wrongSubcommandArguments } from '../errors.js';
import { helpHandler } from '../help.js';
import type { LibraryDescription, RestorePolicy } from '../scripting-port.js';

/** FUNCTION LOAD [REPLACE] code */
export function load(call: Call): void {
  let replaces = false;
  for (let i = 2; i < call.argc - 1; i++) {
    if (!call.arg(i).is('replace'))
      throw new CommandError(`ERR Unknown option given: ${shownText(call.text(i))}`);
    replaces = true;
  }
  const name = call.engine.scripting.functions.load(call.text(call.argc - 1), replaces);
  call.effects.counted();
  call.reply.bulkText(name);
}

export function remove(call: Call): void {
  if (!call.engine.scripting.functions.delete(call.text(2))) throw new CommandError('ERR Library not found');
  call.effects.counted();
  call.reply.ok();
}

export function flush(call: Call): void {
  if (call.argc > 3) throw wrongSubcommandArguments(call.text(1), 'function');
  if (call.argc === 3 && !call.arg(2).is('sync') && !call.arg(2).is('async')) {
    throw new CommandError('ERR FUNCTION FLUSH only supports SYNC|ASYNC option');
  }
  call.engine.scripting.functions.flush();
  call.effects.counted();
  call.reply.ok();
}

/** FUNCTION LIST [LIBRARYNAME pattern] [WITHCODE] */
export function list(call: Call): void {
  let withCode = false;
  let pattern: string | undefined;
  for (let i = 2; i < call.argc; i++) {
    if (!withCode && call.arg(i).is('withcode')) withCode = true;
    else if (pattern === undefined && call.arg(i).is('libraryname')) {
      if (++i === call.argc) throw new CommandError('ERR library name argument was not given');
      pattern = call.text(i);
    } else throw new CommandError(`ERR Unknown argument ${shownText(call.text(i))}`);
  }
  const libraries = call.engine.scripting.functions.list(pattern);
  call.reply.array(libraries.length);
  for (const library of libraries) replyLibrary(call, library, withCode);
}

function replyLibrary(
  { reply }: Call,
  { name, code, functions }: LibraryDescription,
  withCode: boolean,
): void {
  reply.map(withCode ? 4 : 3);
  reply.bulkText('library_name');
  reply.bulkText(name);
  reply.bulkText('engine');
  reply.bulkText('LUA');
  reply.bulkText('functions');
  reply.array(functions.length);
  for (const fn of functions) {
    reply.map(3);
    reply.bulkText('name');
    reply.bulkText(fn.name);
    reply.bulkText('description');
    if (fn.description === undefined) reply.null();
    else reply.bulkText(fn.description);
    reply.bulkText('flags');
    reply.set(fn.flags.length);
    for (const flag of fn.flags) reply.status(flag);
  }
  if (!withCode) return;
  reply.bulkText('library_code');
  reply.bulkText(code);
}

export function stats(call: Call): void {
  const { reply } = call;
  const { running, libraryCount, functionCount } = call.engine.scripting.functions;
  if (running?.kind === 'script') {
    throw new CommandError(
      'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
    );
  }
  reply.map(2);
  reply.bulkText('running_script');
  if (running === undefined) reply.null();
  else {
    reply.map(3);
    reply.bulkText('name');
    reply.bulkText(running.name);
    reply.bulkText('command');
    reply.array(running.command.length);
    for (const word of running.command) reply.bulkText(word);
    reply.bulkText('duration_ms');
    reply.integer(running.milliseconds);
  }
  reply.bulkText('engines');
  reply.map(1);
  reply.bulkText('LUA');
  reply.map(2);
  reply.bulkText('libraries_count');
  reply.integer(libraryCount);
  reply.bulkText('functions_count');
  reply.integer(functionCount);
}

export function kill(call: Call): void {
  call.engine.scripting.kill('function');
  call.reply.ok();
}

export function dump(call: Call): void {
  const payload = call.engine.scripting.functions.dump();
  call.reply.bulkBuffer(payload, 0, payload.length);
}

/** FUNCTION RESTORE payload [FLUSH | APPEND | REPLACE] */
export function restore(call: Call): void {
  if (call.argc > 4) throw wrongSubcommandArguments(call.text(1), 'function');
  call.engine.scripting.functions.restore(call.arg(2), restorePolicy(call));
  call.effects.counted();
  call.reply.ok();
}

function restorePolicy(call: Call): RestorePolicy {
  if (call.argc < 4) return 'append';
  for (const policy of ['flush', 'append', 'replace'] as const) if (call.arg(3).is(policy)) return policy;
  throw new CommandError('ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.');
}

export const help = helpHandler([
  'LOAD [REPLACE] <FUNCTION CODE>',
  '    Create a new library with the given library name and code.',
  'DELETE <LIBRARY NAME>',
  '    Delete the given library.',
  'LIST [LIBRARYNAME PATTERN] [WITHCODE]',
  '    Return general information on all the libraries:',
  '    * Library name',
  '    * The engine used to run the Library',
  '    * Library description',
  '    * Functions list',
  '    * Library code (if WITHCODE is given)',
  '    It also possible to get only function that matches a pattern using LIBRARYNAME argument.',
  'STATS',
  '    Return information about the current function running:',
  '    * Function name',
  '    * Command used to run the function',
  '    * Duration in MS that the function is running',
  '    If no function is running, return nil',
  '    In addition, returns a list of available engines.',
  'KILL',
  '    Kill the current running function.',
  'FLUSH [ASYNC|SYNC]',
  '    Delete all the libraries.',
  '    When called without the optional mode argument, the behavior is determined by the',
  '    lazyfree-lazy-user-flush configuration directive. Valid modes are:',
  '    * ASYNC: Asynchronously flush the libraries.',
  '    * SYNC: Synchronously flush the libraries.',
  'DUMP',
  '    Return a serialized payload representing the current libraries, can be restored using FUNCTION RESTORE command',
  'RESTORE <PAYLOAD> [FLUSH|APPEND|REPLACE]',
  '    Restore the libraries represented by the given payload, it is possible to give a restore policy to',
  '    control how to handle existing libraries (default APPEND):',
  '    * FLUSH: delete all existing libraries.',
  '    * APPEND: appends the restored libraries to the existing libraries. On collision, abort.',
  '    * REPLACE: appends the restored libraries to the existing libraries, On collision, replace the old',
  '      libraries with the new libraries (notice that even on this option there is a chance of failure',
  '      in case of functions name collision with another library).',
]);
