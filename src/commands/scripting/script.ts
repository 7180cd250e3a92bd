import type { ReplyTarget } from '../../resp/reply.js';
import type { Call } from '../call.js';
import { CommandError } from '../errors.js';
import { helpHandler } from '../help.js';

export function load(call: Call): void {
  call.reply.bulkText(call.engine.scripting.load(call.text(2)));
}

export function exists(call: Call): void {
  call.reply.array(call.argc - 2);
  for (let i = 2; i < call.argc; i++) {
    call.reply.integer(call.engine.scripting.exists(call.text(i)) ? 1 : 0);
  }
}

/** SYNC and ASYNC make no difference here. */
export function flush(call: Call): void {
  if (call.argc > 3 || (call.argc === 3 && !call.arg(2).is('sync') && !call.arg(2).is('async'))) {
    throw new CommandError('ERR SCRIPT FLUSH only support SYNC|ASYNC option');
  }
  call.engine.scripting.flush();
  call.reply.ok();
}

export function kill(call: Call): void {
  call.engine.scripting.kill('script');
  call.reply.ok();
}

/** The debugger writes to the connection itself, so no reply may be waiting to be sent. */
export function debug(call: Call): void {
  const { session } = call;
  const { sink } = session;
  if (sink.pending > 0 || (call.reply as ReplyTarget).length > 0) throw IN_PIPELINE;
  const mode = call.arg(2);
  if (mode.is('no')) session.debugging = 'no';
  else if (mode.is('yes')) {
    if (sink.debugOnCopy === undefined) throw NO_CONNECTION;
    session.debugging = 'copy';
  } else if (mode.is('sync')) {
    if (sink.debugChannel === undefined) throw NO_CONNECTION;
    if (sink.debugChannel() === undefined) throw NO_CHANNEL;
    session.debugging = 'sync';
  } else throw new CommandError('ERR Use SCRIPT DEBUG YES/SYNC/NO');
  call.reply.ok();
}

const IN_PIPELINE = new CommandError('ERR SCRIPT DEBUG must be called outside a pipeline');
const NO_CONNECTION = new CommandError(
  'ERR Scripts can only be debugged by a client of a server: connect to one, for example with sorrel cli --ldb',
);
const NO_CHANNEL = new CommandError(
  'ERR SCRIPT DEBUG SYNC is not possible over TLS: use SCRIPT DEBUG YES, or a connection without TLS',
);

export const help = helpHandler([
  'DEBUG (YES|SYNC|NO)',
  '    Set the debug mode for subsequent scripts executed.',
  'EXISTS <sha1> [<sha1> ...]',
  '    Return information about the existence of the scripts in the script cache.',
  'FLUSH [ASYNC|SYNC]',
  '    Flush the Lua scripts cache. Very dangerous on replicas.',
  '    When called without the optional mode argument, the behavior is determined by the',
  '    lazyfree-lazy-user-flush configuration directive. Valid modes are:',
  '    * ASYNC: Asynchronously flush the scripts cache.',
  '    * SYNC: Synchronously flush the scripts cache.',
  'KILL',
  '    Kill the currently executing Lua script.',
  'LOAD <script>',
  '    Load a script into the scripts cache without executing it.',
]);
