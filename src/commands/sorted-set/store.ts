import { EventClass } from '../../keyspace/effects.js';
import type { SortedSetValue } from '../../keyspace/values/sorted-set-value.js';
import type { Call } from '../call.js';

/**
 * Stores a sorted set without a key at the key in argument 1 and replies with its length. An empty one deletes the
 * key instead.
 */
export function storeResult(call: Call, result: SortedSetValue, event: string): void {
  const { db, effects, keyspace } = call;
  const key = call.arg(1);
  const { length } = result;
  if (length > 0) {
    result.store(key);
    call.reply.integer(length);
    effects.changed(db, key, EventClass.sortedSet, event);
  } else {
    result.discard();
    call.reply.integer(0);
    if (keyspace.discard(db, key)) effects.changed(db, key, EventClass.generic, 'del');
  }
}
