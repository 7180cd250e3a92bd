import type { Call } from '../call.js';
import { errors } from '../errors.js';

export function save(call: Call): void {
  call.engine.persistence.save();
  call.reply.ok();
}

/** BGSAVE [SCHEDULE]: inside a transaction, saving starts after it. */
export function bgsave(call: Call): void {
  if (call.argc > 2 || (call.argc === 2 && !call.arg(1).is('schedule'))) throw errors.syntax;
  const possible = call.argc === 2 ? 'possible' : 'now';
  const begun = call.engine.persistence.saveInBackground(call.mayBlock ? possible : 'later');
  call.reply.status(`Background saving ${begun}`);
}

export function lastsave(call: Call): void {
  call.reply.integer(call.engine.persistence.lastSave);
}

/** BGREWRITEAOF: inside a transaction, rewriting starts after it. */
export function bgrewriteaof(call: Call): void {
  const begun = call.engine.persistence.rewriteInBackground(call.mayBlock ? 'now' : 'later');
  call.reply.status(`Background append only file rewriting ${begun}`);
}
