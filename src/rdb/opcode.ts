/** Bytes that stand, in a file, where a value's type could stand: what follows is no value. */
export const Opcode = {
  /** Of 7.4 and later, in a cluster: how many keys a slot has. */
  slotInfo: 244,
  function2: 245,
  /** Of release candidates of 7.0 only. */
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
/** From this version on, eight bytes of checksum follow the end; all zero where it was switched off. */
export const FIRST_WITH_CHECKSUM = 5;
