import type { Bytes } from '../../bytes/bytes.js';
import type { Database } from '../database.js';
import type { Entry } from '../entry.js';
import type { Keyspace } from '../keyspace.js';
import { Type } from '../kinds.js';
import { HashValue } from './hash-value.js';
import { forEachListNode, ListLoader } from './list-nodes.js';
import { SetValue } from './set-value.js';
import { SortedSetValue } from './sorted-set-value.js';
import { StreamValue } from './stream-value.js';
import { copyStringValue } from './string-value.js';

const set = new SetValue();
const hash = new HashValue();
const sortedSet = new SortedSetValue();

/**
 * Copies an entry's value, in the same encoding, to a key that does not exist, perhaps in another database: each has an
 * arena of its own, so blocks cannot be shared. Returns the new entry; a time to live is not copied.
 */
export function copyEntry(keyspace: Keyspace, from: Database, entry: Entry, to: Database, key: Bytes): Entry {
  const type = from.type(entry);
  switch (type) {
    case Type.string:
      return keyspace.create(to, key, type, from.encoding(entry), copyStringValue(from, entry, to));
    case Type.list:
      return copyList(keyspace, from, entry, to, key);
    case Type.set:
      return set.open(keyspace, from, entry).copyTo(to, key);
    case Type.sortedSet:
      return sortedSet.open(keyspace, from, entry).copyTo(to, key);
    case Type.hash:
      return hash.open(keyspace, from, entry).copyTo(to, key);
    case Type.stream:
      return StreamValue.open(from, entry).copyTo(keyspace, to, key);
    default:
      throw new Error(`values of type ${type} cannot be copied yet`);
  }
}

function copyList(keyspace: Keyspace, from: Database, entry: Entry, to: Database, key: Bytes): Entry {
  const copy = new ListLoader(keyspace, to);
  forEachListNode(from, entry, (bytes, plain) => {
    if (plain) copy.addPlain(bytes);
    else copy.addPacked(bytes);
  });
  const { encoding, value } = copy.finish();
  return keyspace.create(to, key, Type.list, encoding, value);
}
