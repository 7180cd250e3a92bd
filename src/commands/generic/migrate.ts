import { Bytes } from '../../bytes/bytes.js';
import { EventClass } from '../../keyspace/effects.js';
import { MemorySink } from '../../rdb/byte-sink.js';
import { dumpValue } from '../../rdb/dump.js';
import { RequestWriter } from '../../resp/request-encoder.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';

const KEY_AND_KEYS = new CommandError(
  'ERR When using MIGRATE KEYS option, the key argument must be set to the empty string',
);
const NOT_CONNECTED = new CommandError('IOERR error or timeout connecting to the client');
const NOT_WRITTEN = new CommandError('IOERR error or timeout writing to target instance');
const NOT_READ = new CommandError('IOERR error or timeout reading to target instance');
const NO_PEERS = new CommandError('ERR MIGRATE needs a server: this engine is embedded in a program');
const DEFAULT_TIMEOUT_MS = 1000;

interface Migration {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly timeoutMs: number;
  readonly copies: boolean;
  readonly replaces: boolean;
  /** The words behind AUTH. */
  readonly credentials: readonly Bytes[];
  /** The range of arguments that are keys. */
  readonly firstKey: number;
  readonly endOfKeys: number;
}

/**
 * MIGRATE host port key|"" db timeout [COPY] [REPLACE] [AUTH password | AUTH2 user password] [KEYS key …]: restores the
 * keys on the target and deletes those that the target confirmed. The engine stands still meanwhile, so the keys
 * cannot change in between.
 */
export function migrate(call: Call): void {
  const migration = parse(call);
  if (call.engine.host.peer === undefined) throw NO_PEERS;
  const keys: Bytes[] = [];
  for (let i = migration.firstKey; i < migration.endOfKeys; i++) {
    if (call.keyspace.read(call.db, call.arg(i)) !== 0) keys.push(call.arg(i));
  }
  if (keys.length === 0) call.reply.status('NOKEY');
  else transfer(call, migration, keys);
}

function parse(call: Call): Migration {
  let copies = false;
  let replaces = false;
  let credentials: Bytes[] = [];
  let firstKey = 3;
  let endOfKeys = 4;
  for (let i = 6; i < call.argc; i++) {
    const word = call.arg(i);
    const left = call.argc - 1 - i;
    if (word.is('copy')) copies = true;
    else if (word.is('replace')) replaces = true;
    else if (word.is('auth') && left >= 1) credentials = [call.arg(++i)];
    else if (word.is('auth2') && left >= 2) credentials = [call.arg(++i), call.arg(++i)];
    else if (word.is('keys')) {
      if (call.arg(3).length !== 0) throw KEY_AND_KEYS;
      firstKey = i + 1;
      endOfKeys = call.argc;
      break;
    } else throw errors.syntax;
  }
  const timeoutMs = call.integer(5);
  return {
    host: call.text(1),
    port: Number.parseInt(call.text(2), 10) || 0,
    db: call.integer(4),
    timeoutMs: timeoutMs <= 0 ? DEFAULT_TIMEOUT_MS : timeoutMs,
    copies,
    replaces,
    credentials,
    firstKey,
    endOfKeys,
  };
}

function transfer(call: Call, migration: Migration, keys: readonly Bytes[]): void {
  const { host, port, db, timeoutMs } = migration;
  // The target may have closed a cached connection: retry once, if nothing can have been executed yet.
  for (let mayRetry = true; ; mayRetry = false) {
    const peer = call.engine.host.peer?.(host, port, timeoutMs);
    if (peer === undefined) throw NOT_CONNECTED;
    const selects = peer.db !== db;
    const { request, sent } = requestOf(call, migration, keys, selects);
    const before = (migration.credentials.length > 0 ? 1 : 0) + (selects ? 1 : 0);
    const { lines, failure, isTimeout } = peer.exchange(request, before + sent.length, timeoutMs);
    const preliminaries = lines.slice(0, before);
    const replies = lines.slice(before);
    if (failure !== undefined) peer.close();
    if (failure !== undefined && replies.length === 0 && mayRetry && !isTimeout) continue;
    const refusal = settle(call, migration, sent, preliminaries, replies);
    if (refusal !== undefined) {
      peer.db = -1;
      throw new CommandError(`ERR Target instance replied with error: ${refusal.slice(1)}`);
    }
    if (failure !== undefined) throw failure === 'writing' ? NOT_WRITTEN : NOT_READ;
    peer.db = db;
    call.reply.ok();
    return;
  }
}

/** Deletes the keys that were restored. Returns the target's first error, if any. */
function settle(
  call: Call,
  { copies }: Migration,
  sent: readonly Bytes[],
  preliminaries: readonly string[],
  replies: readonly string[],
): string | undefined {
  const refused = preliminaries.find(isError);
  let refusal: string | undefined;
  const arrived: Bytes[] = [];
  replies.forEach((reply, i) => {
    if (refused === undefined && !isError(reply)) arrived.push(sent[i] as Bytes);
    else refusal ??= refused ?? reply;
  });
  if (!copies && arrived.length > 0) remove(call, arrived);
  return refusal;
}

function isError(line: string): boolean {
  return line.startsWith('-');
}

function remove(call: Call, keys: readonly Bytes[]): void {
  const { db, keyspace, effects } = call;
  for (const key of keys) {
    const entry = keyspace.peek(db, key);
    if (entry === 0) continue;
    keyspace.remove(db, entry);
    effects.changed(db, key, EventClass.generic, 'del');
  }
  effects.rewrite(db, 'DEL', ...keys);
}

/** The commands to send, and the keys in them. A key that has just expired is left out. The request is valid until the next call. */
function requestOf(
  call: Call,
  { credentials, db, replaces }: Migration,
  keys: readonly Bytes[],
  selects: boolean,
): { readonly request: Buffer; readonly sent: readonly Bytes[] } {
  requests.sink.reset();
  if (credentials.length > 0) {
    requests.begin(1 + credentials.length).argument(AUTH);
    for (const word of credentials) requests.argument(word);
  }
  if (selects) requests.begin(2).argument(SELECT).text(db);
  // In a cluster the target does not own the slot yet.
  const restore = call.engine.cluster === undefined ? RESTORE : RESTORE_ASKING;
  const compresses = call.engine.settings.isOn('rdbcompression');
  const sent: Bytes[] = [];
  for (const key of keys) {
    const entry = call.keyspace.peek(call.db, key);
    if (entry === 0) continue;
    const expiresAt = call.db.expiries.timeOf(entry);
    requests
      .begin(replaces ? 5 : 4)
      .argument(restore)
      .argument(key);
    if (expiresAt < 0) requests.argument(NO_TTL);
    else requests.text(Math.max(expiresAt - call.now, 1));
    requests.argument(dumpValue(call.keyspace, call.db, entry, compresses));
    if (replaces) requests.argument(REPLACE);
    sent.push(key);
  }
  const { buffer, length } = requests.sink;
  return { request: buffer.subarray(0, length), sent };
}

const requests = new RequestWriter(new MemorySink());
const AUTH = Bytes.of('AUTH');
const SELECT = Bytes.of('SELECT');
const RESTORE = Bytes.of('RESTORE');
const RESTORE_ASKING = Bytes.of('RESTORE-ASKING');
const NO_TTL = Bytes.of('0');
const REPLACE = Bytes.of('REPLACE');
