import type { Database } from './database.js';
import type { Entry } from './entry.js';
import { Encoding, OBJECT_ENCODINGS } from './kinds.js';

/** Bytes that an entry occupies: key, value, and its place in the expiry queue. */
export function entryMemory(db: Database, entry: Entry): number {
  const expiry = db.expiries.timeOf(entry) >= 0 ? EXPIRY_BYTES : 0;
  return BUCKET_BYTES + db.arena.capacity(entry) + valueMemory(db, entry) + expiry;
}

/** Bytes of the value alone; for a large value, estimated from a few of its parts. */
export function valueMemory(db: Database, entry: Entry): number {
  const encoding = db.encoding(entry);
  if (encoding === Encoding.int) return 0;
  return encoding < OBJECT_ENCODINGS ? db.arena.capacity(db.block(entry)) : db.object(entry).memory();
}

const BUCKET_BYTES = 4;
const EXPIRY_BYTES = 12;
