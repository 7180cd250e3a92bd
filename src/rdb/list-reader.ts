import { Bytes } from '../bytes/bytes.js';
import type { Database } from '../keyspace/database.js';
import type { Keyspace } from '../keyspace/keyspace.js';
import { Type } from '../keyspace/kinds.js';
import { ListLoader } from '../keyspace/values/list-nodes.js';
import { Listpack } from '../structures/listpack/listpack.js';
import { isValidListpack } from '../structures/listpack/listpack-format.js';
import { CorruptData, EmptyCollection } from './byte-source.js';
import type { RdbReader } from './rdb-reader.js';
import type { LoadedValue } from './value-reader.js';
import { NodeContainer } from './value-type.js';
import { listpackOfZiplist } from './ziplist.js';

/** A list in its oldest form: element by element. */
export function readListOfElements(reader: RdbReader, keyspace: Keyspace, db: Database): LoadedValue {
  return loaded(keyspace, db, (loader) => {
    const length = reader.length();
    for (let i = 0; i < length; i++) loader.addElement(reader.string());
  });
}

/** A list node by node. Nodes are ziplists or, if `hasContainers`, each node states its kind. */
export function readQuicklist(
  reader: RdbReader,
  keyspace: Keyspace,
  db: Database,
  hasContainers: boolean,
): LoadedValue {
  return loaded(keyspace, db, (loader) => {
    const nodes = reader.length();
    for (let i = 0; i < nodes; i++) {
      if (hasContainers) addNode(loader, reader);
      else addZiplist(loader, db, reader.string());
    }
  });
}

export function readZiplistList(reader: RdbReader, keyspace: Keyspace, db: Database): LoadedValue {
  return loaded(keyspace, db, (loader) => addZiplist(loader, db, reader.string()));
}

function addNode(loader: ListLoader, reader: RdbReader): void {
  const container = reader.length();
  const bytes = reader.string();
  if (container === NodeContainer.plain && bytes.length > 0) {
    loader.addPlain(bytes);
  } else if (container === NodeContainer.packed && isValidListpack(bytes.buf, bytes.start, bytes.end, true)) {
    loader.addPacked(bytes);
  } else {
    throw new CorruptData('a node of a list is damaged');
  }
}

function addZiplist(loader: ListLoader, db: Database, bytes: Bytes): void {
  const block = listpackOfZiplist(db.arena, bytes);
  loader.addPacked(pack.open(db.arena, block).whole(view));
  db.arena.free(block);
}

function loaded(keyspace: Keyspace, db: Database, fill: (loader: ListLoader) => void): LoadedValue {
  const loader = new ListLoader(keyspace, db);
  try {
    fill(loader);
    if (loader.isEmpty) throw new EmptyCollection();
  } catch (error) {
    loader.discard();
    throw error;
  }
  return {
    store: (key) => {
      const { encoding, value } = loader.finish();
      return keyspace.replace(db, key, Type.list, encoding, value);
    },
    discard: () => loader.discard(),
  };
}

const pack = new Listpack();
const view = new Bytes();
