import type { Entry } from '../../../keyspace/entry.js';
import { ENCODING_NAMES, Encoding, Type } from '../../../keyspace/kinds.js';
import { forEachListNode, listNodeCount } from '../../../keyspace/values/list-nodes.js';
import { ListValue } from '../../../keyspace/values/list-value.js';
import { stringLength } from '../../../keyspace/values/string-value.js';
import { serializedLength } from '../../../rdb/dump.js';
import type { Call } from '../../call.js';
import { CommandError, errors } from '../../errors.js';

const NOT_STRING = new CommandError('ERR Not an sds encoded string.');
const NOT_LISTPACK = new CommandError('ERR Not a listpack encoded object.');
const NOT_QUICKLIST = new CommandError('ERR Not a quicklist encoded object.');

/** The entry whose key is the third argument, even if it has expired: DEBUG must not delete it. */
function subject(call: Call): Entry {
  const entry = call.db.find(call.arg(2));
  if (entry === 0) throw errors.noSuchKey;
  return entry;
}

export function debugObject(call: Call): void {
  const entry = subject(call);
  const { db, keyspace } = call;
  const usage = db.usage(entry);
  const compresses = call.engine.settings.isOn('rdbcompression');
  const fields = [
    `Value at:0x7f${(entry >>> 0).toString(16).padStart(10, '0')}`,
    'refcount:1',
    `encoding:${ENCODING_NAMES[db.encoding(entry)]}`,
    `serializedlength:${serializedLength(keyspace, db, entry, compresses)}`,
    `lru:${usage}`,
    `lru_seconds_idle:${keyspace.usage.idleSeconds(usage)}`,
  ];
  if (db.type(entry) === Type.list) fields.push(...listFields(call, entry));
  call.reply.status(fields.join(' '));
}

function listFields(call: Call, entry: Entry): string[] {
  const { db, keyspace } = call;
  const nodes = listNodeCount(db, entry);
  const { length } = new ListValue().open(keyspace, db, entry);
  let bytes = 0;
  forEachListNode(db, entry, (node) => {
    bytes += node.length;
  });
  return [
    `ql_nodes:${nodes}`,
    `ql_avg_node:${(length / nodes).toFixed(2)}`,
    `ql_listpack_max:${keyspace.limits.listMaxListpackSize}`,
    `ql_compressed:${keyspace.limits.listCompressDepth === 0 ? 0 : 1}`,
    `ql_uncompressed_size:${bytes}`,
  ];
}

export function debugSdslen(call: Call): void {
  const entry = subject(call);
  const { db } = call;
  const encoding = db.encoding(entry);
  if (encoding !== Encoding.embstr && encoding !== Encoding.raw) throw NOT_STRING;
  const length = stringLength(db, entry);
  call.reply.status(
    `key_sds_len:${call.arg(2).length}, key_sds_avail:0, key_zmalloc: ${db.arena.capacity(entry)}, ` +
      `val_sds_len:${length}, val_sds_avail:0, val_zmalloc: ${db.arena.capacity(db.block(entry))}`,
  );
}

export function debugListpack(call: Call): void {
  const entry = subject(call);
  if (call.db.encoding(entry) !== Encoding.listpack) throw NOT_LISTPACK;
  call.reply.status('Listpack structure printed on stdout');
}

export function debugQuicklist(call: Call): void {
  const entry = subject(call);
  if (call.db.type(entry) !== Type.list) throw NOT_QUICKLIST;
  call.reply.status('Quicklist structure printed on stdout');
}
