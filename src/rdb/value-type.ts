/**
 * The byte that states a value's encoding in files and DUMP payloads. Version 10 of the format, which Redis 7.0
 * writes, uses those without a remark; the others are only read.
 */
export const ValueType = {
  string: 0,
  /** Old: element by element. */
  list: 1,
  set: 2,
  /** Old: scores as text. */
  sortedSet: 3,
  hash: 4,
  sortedSet2: 5,
  moduleOld: 6,
  module2: 7,
  /** Old. */
  hashZipmap: 9,
  /** Old. */
  listZiplist: 10,
  setIntset: 11,
  /** Old. */
  sortedSetZiplist: 12,
  /** Old. */
  hashZiplist: 13,
  /** Old: nodes are ziplists. */
  listQuicklist: 14,
  /** Old. */
  streamListpacks: 15,
  hashListpack: 16,
  sortedSetListpack: 17,
  listQuicklist2: 18,
  streamListpacks2: 19,
  /** New: of Redis 7.2. */
  setListpack: 20,
  /** New: of Redis 7.2. */
  streamListpacks3: 21,
} as const;
export type ValueType = (typeof ValueType)[keyof typeof ValueType];

/** The version of the format that is written, and the newest that is read in payloads of DUMP. */
export const RDB_VERSION = 10;
/** The newest version of a file that is read: 11 is that of Redis 7.2, 12 that of 7.4. */
export const NEWEST_FILE_VERSION = 12;

/** The kind of a quicklist node. */
export const NodeContainer = { plain: 1, packed: 2 } as const;

/** In the place of a string's length: the string is an integer of this many bits, or compressed. */
export const StringForm = { int8: 0xc0, int16: 0xc1, int32: 0xc2, compressed: 0xc3 } as const;

/** In the place of a length: 32 or 64 bits follow. */
export const LengthForm = { bits32: 0x80, bits64: 0x81 } as const;

/** In the place of the length of a score in text form. */
export const ScoreForm = { nan: 253, infinity: 254, negativeInfinity: 255 } as const;
