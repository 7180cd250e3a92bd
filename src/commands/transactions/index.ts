import type { Call } from '../call.js';
import { CommandError } from '../errors.js';
import { family } from '../table.js';
import { rows } from './rows.js';

function multi(call: Call): void {
  if (call.session.queue !== undefined) throw new CommandError('ERR MULTI calls can not be nested');
  call.engine.transactions.begin(call.session);
  call.reply.ok();
}

function exec(call: Call): void {
  call.engine.transactions.execute(call);
}

function discard(call: Call): void {
  if (call.session.queue === undefined) throw new CommandError('ERR DISCARD without MULTI');
  call.engine.transactions.discard(call.session);
  call.reply.ok();
}

function watch(call: Call): void {
  if (call.session.queue !== undefined) throw new CommandError('ERR WATCH inside MULTI is not allowed');
  for (let i = 1; i < call.argc; i++) call.engine.transactions.watch(call.session, call.arg(i));
  call.reply.ok();
}

function unwatch(call: Call): void {
  call.engine.transactions.unwatch(call.session);
  call.reply.ok();
}

export const transactions = family(rows, { multi, exec, discard, watch, unwatch });
