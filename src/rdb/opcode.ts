/** Bytes in a file in the place of a value's type. Something other than a value follows. */
export const Opcode = {
  /** Redis 7.4 and later, in a cluster: the number of keys of a slot. */
  slotInfo: 244,
  function2: 245,
  /** Only in files of release candidates of 7.0. */
  functionPreRelease: 246,
  moduleAux: 247,
  idle: 248,
  frequency: 249,
  aux: 250,
  resizeDb: 251,
  expireMs: 252,
  expireSeconds: 253,
  selectDb: 254,
  end: 255,
} as const;

export const MAGIC = 'REDIS';
/** `REDIS` and four digits. */
export const HEADER_BYTES = 9;
/** From this version on, an eight-byte checksum follows the end; all zero if it was switched off. */
export const FIRST_WITH_CHECKSUM = 5;
