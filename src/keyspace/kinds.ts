/** The type of an entry's value. The numbers are those of Redis (they appear in files and in DEBUG output). */
export const Type = { string: 0, list: 1, set: 2, sortedSet: 3, hash: 4, module: 5, stream: 6 } as const;
export type Type = (typeof Type)[keyof typeof Type];

export const TYPE_NAMES: readonly string[] = ['string', 'list', 'set', 'zset', 'hash', 'module', 'stream'];

/**
 * How a value is stored. `int` keeps a 32-bit integer in the entry itself, `int64` eight bytes in the arena; `packedList`
 * is a list short enough to be one listpack; `packedSet` is one listpack too, where Redis has a hash table for a few short
 * members. OBJECT ENCODING shows the encoding that Redis would use.
 * Encodings from `OBJECT_ENCODINGS` on are objects in the database's object table, the others blocks in its arena.
 */
export const Encoding = {
  int: 0,
  int64: 1,
  embstr: 2,
  raw: 3,
  listpack: 4,
  intset: 5,
  packedList: 6,
  packedSet: 7,
  quicklist: 8,
  hashtable: 9,
  skiplist: 10,
  stream: 11,
} as const;
export type Encoding = (typeof Encoding)[keyof typeof Encoding];

/** The first encoding that is an object rather than a block. */
export const OBJECT_ENCODINGS = Encoding.quicklist;

export const ENCODING_NAMES: readonly string[] = [
  'int',
  'int',
  'embstr',
  'raw',
  'listpack',
  'intset',
  'quicklist',
  'hashtable',
  'quicklist',
  'hashtable',
  'skiplist',
  'stream',
];
