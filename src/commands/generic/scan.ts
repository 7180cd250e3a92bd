import { Bytes } from '../../bytes/bytes.js';
import type { Entry } from '../../keyspace/entry.js';
import { TYPE_NAMES } from '../../keyspace/kinds.js';
import type { Call } from '../call.js';
import { beginScanReply, ScanOptions, scanCursor } from './scan-options.js';

const options = new ScanOptions();
const keyView = new Bytes();

export function scan(call: Call): void {
  const { db, reply } = call;
  let cursor = scanCursor(call, 1);
  options.read(call, 2, true);
  const found: Entry[] = [];
  const collect = (entry: Entry): void => {
    found.push(entry);
  };
  for (let buckets = options.count * BUCKETS_PER_COUNT; buckets >= 0; buckets--) {
    cursor = db.keys.scan(cursor, collect);
    if (cursor === 0 || found.length >= options.count) break;
  }
  const wanted = found.filter((entry) => isWanted(call, entry));
  const mark = beginScanReply(reply, cursor);
  for (const entry of wanted) reply.bulk(db.key(entry, keyView));
  reply.finishArray(mark, wanted.length);
}

/** Visits at most this many buckets for each key asked for. */
const BUCKETS_PER_COUNT = 10;

/** Whether name and type match. Deletes an expired key if its name matches. */
function isWanted(call: Call, entry: Entry): boolean {
  const { db, keyspace } = call;
  const key = db.key(entry, keyView);
  if (!options.accepts(key)) return false;
  if (keyspace.isExpired(db, entry)) {
    if (keyspace.deletesExpired) keyspace.expire(db, entry, key);
    return false;
  }
  return options.typeName === undefined || options.typeName.is(TYPE_NAMES[db.type(entry)] as string);
}
