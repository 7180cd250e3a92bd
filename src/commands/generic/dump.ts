import type { Bytes } from '../../bytes/bytes.js';
import { EventClass } from '../../keyspace/effects.js';
import type { Entry } from '../../keyspace/entry.js';
import { MAX_TIME } from '../../keyspace/expiry-queue.js';
import { CorruptData } from '../../rdb/byte-source.js';
import { dumpValue, isIntactPayload, loadPayload } from '../../rdb/dump.js';
import type { LoadedValue } from '../../rdb/value-reader.js';
import { ValueType } from '../../rdb/value-type.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';

const BUSY_KEY = new CommandError('BUSYKEY Target key name already exists.');
const INVALID_TTL = new CommandError('ERR Invalid TTL value, must be >= 0');
const INVALID_IDLE_TIME = new CommandError('ERR Invalid IDLETIME value, must be >= 0');
const INVALID_FREQUENCY = new CommandError('ERR Invalid FREQ value, must be >= 0 and <= 255');
const WRONG_CHECKSUM = new CommandError('ERR DUMP payload version or checksum are wrong');
const BAD_FORMAT = new CommandError('ERR Bad data format');

/** The names of encodings in Redis's log. */
const FORM_NAMES: Readonly<Record<number, string>> = {
  [ValueType.hashZipmap]: 'Zipmap',
  [ValueType.listZiplist]: 'List ziplist',
  [ValueType.setIntset]: 'Intset',
  [ValueType.sortedSetZiplist]: 'Zset ziplist',
  [ValueType.hashZiplist]: 'Hash ziplist',
  [ValueType.listQuicklist]: 'Ziplist',
  [ValueType.listQuicklist2]: 'Listpack',
  [ValueType.streamListpacks]: 'Stream listpack',
  [ValueType.streamListpacks2]: 'Stream listpack',
  [ValueType.hashListpack]: 'Hash listpack',
  [ValueType.sortedSetListpack]: 'Zset listpack',
};

export function dump(call: Call): void {
  const { db, keyspace } = call;
  const entry = keyspace.read(db, call.arg(1));
  if (entry === 0) {
    call.reply.null();
    return;
  }
  const compresses = call.engine.settings.isOn('rdbcompression');
  call.reply.bulk(dumpValue(keyspace, db, entry, compresses));
}

export function restore(call: Call): void {
  const { db, keyspace } = call;
  const key = call.arg(1);
  const options = restoreOptions(call);
  if (!options.replace && keyspace.write(db, key) !== 0) throw BUSY_KEY;
  const ttl = call.integer(2);
  if (ttl < 0) throw INVALID_TTL;
  if (!isIntactPayload(call.arg(3), call.keyspace.checksPayloads)) throw WRONG_CHECKSUM;
  const value = load(call, call.arg(3));
  const replaced = options.replace ? keyspace.peek(db, key) : 0;
  if (replaced !== 0) keyspace.remove(db, replaced);
  const expiresAt = ttl === 0 ? -1 : Math.min(options.isAbsolute ? ttl : ttl + call.now, MAX_TIME);
  if (expiresAt >= 0 && expiresAt <= call.now && keyspace.deletesExpired) {
    value.discard();
    if (replaced !== 0) tellOfDeletion(call, key);
  } else {
    const entry = value.store(key);
    if (expiresAt >= 0) db.expiries.set(entry, expiresAt);
    setUsage(call, entry, options);
    tellOfRestoration(call, key, expiresAt, options.isAbsolute);
  }
  call.reply.ok();
}

interface RestoreOptions {
  replace: boolean;
  isAbsolute: boolean;
  /** -1 if not given. */
  idleSeconds: number;
  frequency: number;
}

function restoreOptions(call: Call): RestoreOptions {
  const options = { replace: false, isAbsolute: false, idleSeconds: -1, frequency: -1 };
  for (let i = 4; i < call.argc; i++) {
    const word = call.arg(i);
    const hasNext = i + 1 < call.argc;
    if (word.is('replace')) {
      options.replace = true;
    } else if (word.is('absttl')) {
      options.isAbsolute = true;
    } else if (word.is('idletime') && hasNext && options.frequency < 0) {
      options.idleSeconds = call.integer(++i);
      if (options.idleSeconds < 0) throw INVALID_IDLE_TIME;
    } else if (word.is('freq') && hasNext && options.idleSeconds < 0) {
      options.frequency = call.integer(++i);
      if (options.frequency < 0 || options.frequency > 255) throw INVALID_FREQUENCY;
    } else {
      throw errors.syntax;
    }
  }
  return options;
}

function load(call: Call, payload: Bytes): LoadedValue {
  try {
    return loadPayload(payload, call.keyspace, call.db);
  } catch (error) {
    if (!(error instanceof CorruptData)) throw error;
    const form = FORM_NAMES[payload.buf[payload.start] as number] ?? 'Value';
    call.engine.host.log('warning', `RESTORE: ${form} integrity check failed: ${error.message}`);
    throw BAD_FORMAT;
  }
}

function setUsage(call: Call, entry: Entry, { idleSeconds, frequency }: RestoreOptions): void {
  const { usage } = call.keyspace;
  if (usage.countsFrequency) {
    if (frequency >= 0) call.db.setUsage(entry, usage.ofFrequency(frequency));
  } else if (idleSeconds >= 0) {
    call.db.setUsage(entry, usage.ofIdleSeconds(idleSeconds));
  }
}

/** The old value is deleted; the new one has expired already. */
function tellOfDeletion(call: Call, key: Bytes): void {
  const isLazy = call.engine.settings.isOn('lazyfree-lazy-server-del');
  call.effects.rewrite(call.db, isLazy ? 'UNLINK' : 'DEL', key);
  call.effects.changed(call.db, key, EventClass.generic, 'del');
}

function tellOfRestoration(call: Call, key: Bytes, expiresAt: number, isAbsolute: boolean): void {
  const { db, effects } = call;
  if (effects.recording && expiresAt >= 0 && !isAbsolute) {
    const [command, , , payload, ...options] = call.args.slice(0, call.argc) as [Bytes, Bytes, Bytes, Bytes];
    effects.rewrite(db, command, key, expiresAt, payload, ...options, 'ABSTTL');
  }
  effects.changed(db, key, EventClass.generic, 'restore');
}
