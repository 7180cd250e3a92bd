import type { Database } from '../../keyspace/database.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';

const INVALID_FIRST = new CommandError('ERR invalid first DB index');
const INVALID_SECOND = new CommandError('ERR invalid second DB index');
const SELECT_IN_CLUSTER = new CommandError('ERR SELECT is not allowed in cluster mode');
const SWAP_IN_CLUSTER = new CommandError('ERR SWAPDB is not allowed in cluster mode');

/** The database whose number is in argument `index`. */
export function databaseArgument(call: Call, index: number): Database {
  return databaseOf(call, int32Argument(call, index));
}

function int32Argument(call: Call, index: number): number {
  const number = call.integer(index);
  if ((number | 0) !== number) throw errors.notInt32;
  return number;
}

function databaseOf(call: Call, number: number): Database {
  const db = call.keyspace.databases[number];
  if (db === undefined) throw errors.databaseOutOfRange;
  return db;
}

export function select(call: Call): void {
  const number = int32Argument(call, 1);
  if (number !== 0 && call.engine.cluster !== undefined) throw SELECT_IN_CLUSTER;
  call.session.db = databaseOf(call, number);
  call.reply.ok();
}

export function dbsize(call: Call): void {
  call.reply.integer(call.db.size);
}

export function flushdb(call: Call): void {
  checkFlushMode(call);
  call.keyspace.flush([call.db]);
  call.reply.ok();
}

export function flushall(call: Call): void {
  checkFlushMode(call);
  call.keyspace.flush(call.keyspace.databases);
  call.engine.persistence.flushed();
  call.reply.ok();
}

/** ASYNC and SYNC make no difference here: dropping a database takes constant time. */
function checkFlushMode(call: Call): void {
  if (call.argc === 1) return;
  if (call.argc > 2 || !(call.arg(1).is('async') || call.arg(1).is('sync'))) throw errors.syntax;
}

export function swapdb(call: Call): void {
  if (call.engine.cluster !== undefined) throw SWAP_IN_CLUSTER;
  const first = databaseNumber(call, 1, INVALID_FIRST);
  const second = databaseNumber(call, 2, INVALID_SECOND);
  const a = databaseOf(call, first);
  const b = databaseOf(call, second);
  call.keyspace.swap(a, b);
  call.reply.ok();
}

function databaseNumber(call: Call, index: number, otherwise: CommandError): number {
  const number = call.integer(index, otherwise);
  if ((number | 0) !== number) throw otherwise;
  return number;
}
