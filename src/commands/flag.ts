/**
 * The names of a command's properties in COMMAND INFO and ACL, and the bits by which the engine tests
 * them. The order of the names in each record is the order in which Redis prints them.
 */

/** Flags of a command. The last four are known to the engine only: COMMAND INFO does not print them. */
export const FLAG = {
  write: 1 << 0,
  readonly: 1 << 1,
  denyoom: 1 << 2,
  module: 1 << 3,
  admin: 1 << 4,
  pubsub: 1 << 5,
  noscript: 1 << 6,
  blocking: 1 << 7,
  loading: 1 << 8,
  stale: 1 << 9,
  skip_monitor: 1 << 10,
  skip_slowlog: 1 << 11,
  asking: 1 << 12,
  fast: 1 << 13,
  no_auth: 1 << 14,
  no_mandatory_keys: 1 << 15,
  no_async_loading: 1 << 16,
  no_multi: 1 << 17,
  movablekeys: 1 << 18,
  allow_busy: 1 << 19,
  /** Not a write, but may be sent to replicas (EVAL, PUBLISH, PFCOUNT). */
  may_replicate: 1 << 20,
  /** Allowed only if the configuration says so (DEBUG, MODULE LOAD). */
  protected: 1 << 21,
  /** May find any key expired (SCAN, RANDOMKEY): the deletions it records are independent of each other. */
  touches_arbitrary_keys: 1 << 22,
  /** Tells about other clients (CLIENT LIST, INFO): what these have sent before is read first. */
  shows_clients: 1 << 23,
} as const;

export type FlagName = keyof typeof FLAG;

/** The flags that a row states; `movablekeys` is derived from its key specifications. */
export type CommandFlag = Exclude<FlagName, 'movablekeys'>;

const UNPRINTED_FLAGS =
  FLAG.may_replicate | FLAG.protected | FLAG.touches_arbitrary_keys | FLAG.shows_clients;

/** ACL categories. */
export const CATEGORY = {
  keyspace: 1 << 0,
  read: 1 << 1,
  write: 1 << 2,
  set: 1 << 3,
  sortedset: 1 << 4,
  list: 1 << 5,
  hash: 1 << 6,
  string: 1 << 7,
  bitmap: 1 << 8,
  hyperloglog: 1 << 9,
  geo: 1 << 10,
  stream: 1 << 11,
  pubsub: 1 << 12,
  admin: 1 << 13,
  fast: 1 << 14,
  slow: 1 << 15,
  blocking: 1 << 16,
  dangerous: 1 << 17,
  connection: 1 << 18,
  transaction: 1 << 19,
  scripting: 1 << 20,
} as const;

export type Category = keyof typeof CATEGORY;

/** The effects of a command on the keys of one key specification. */
export const KEY_FLAG = {
  RO: 1 << 0,
  RW: 1 << 1,
  OW: 1 << 2,
  RM: 1 << 3,
  access: 1 << 4,
  update: 1 << 5,
  insert: 1 << 6,
  delete: 1 << 7,
  /** Found like a key, but is not one: a shard channel. */
  not_key: 1 << 8,
  /** The command may have keys that this specification does not find. */
  incomplete: 1 << 9,
  /** Which of the flags hold depends on the arguments. */
  variable_flags: 1 << 10,
} as const;

export type KeyFlag = keyof typeof KEY_FLAG;

/** The bit mask of some names out of `bits`. */
export function maskOf<Name extends string>(
  bits: Readonly<Record<Name, number>>,
  names: readonly Name[],
): number {
  let mask = 0;
  for (const name of names) mask |= bits[name];
  return mask;
}

/** The names whose bits are set in `mask`, in Redis's order. */
export function namesIn<Name extends string>(bits: Readonly<Record<Name, number>>, mask: number): Name[] {
  return (Object.keys(bits) as Name[]).filter((name) => (mask & bits[name]) !== 0);
}

/** The flags COMMAND INFO prints. */
export function printedFlags(flagBits: number): FlagName[] {
  return namesIn(FLAG, flagBits & ~UNPRINTED_FLAGS);
}

/** A command's categories: those its row states and those its flags imply. */
export function categoriesImplied(stated: number, flagBits: number): number {
  let categories = stated;
  if (flagBits & FLAG.write) categories |= CATEGORY.write;
  // EVAL_RO and FCALL_RO are not in @read, because what they read is up to the script.
  if (flagBits & FLAG.readonly && !(stated & CATEGORY.scripting)) categories |= CATEGORY.read;
  if (flagBits & FLAG.admin) categories |= CATEGORY.admin | CATEGORY.dangerous;
  if (flagBits & FLAG.pubsub) categories |= CATEGORY.pubsub;
  if (flagBits & FLAG.blocking) categories |= CATEGORY.blocking;
  return categories | (flagBits & FLAG.fast ? CATEGORY.fast : CATEGORY.slow);
}
