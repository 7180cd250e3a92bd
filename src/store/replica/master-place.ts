import { StoreError } from '../store-error.js';
import type { Reply, Request } from '../transport.js';
import { commandNamed } from '../wire-command.js';
import type { Place } from './store-replication.js';

/** Asks a master for its place in its history. */
export const ASK_PLACE: Request = { command: commandNamed('INFO'), args: ['replication'] };

/** The place in a master's reply to INFO replication. */
export function placeIn(info: Reply): Place {
  const text = String(info);
  const id = /^master_replid:(\w+)/m.exec(text)?.[1];
  const offset = /^master_repl_offset:(\d+)/m.exec(text)?.[1];
  if (!/^role:master/m.test(text) || id === undefined) {
    throw new StoreError('READONLY', 'the server that was asked is no master: a failover may be going on');
  }
  return { id, offset: Number(offset) };
}
