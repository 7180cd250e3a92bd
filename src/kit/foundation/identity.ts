import { randomFillSync } from 'node:crypto';

const BYTES_PER_ID = 12;
/** Random bytes are requested in bulk: the cost of a call is almost independent of their number. */
const pool = Buffer.alloc(BYTES_PER_ID * 256);
let used = pool.length;

/** A unique name: 16 characters without spaces, safe in keys and messages. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += BYTES_PER_ID;
  return pool.toString('base64url', used - BYTES_PER_ID, used);
}
