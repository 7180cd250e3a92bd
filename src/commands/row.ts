/**
 * A command is declared as one row: everything about it except its handler. Arity checks, key extraction, the replies of
 * COMMAND, ACL categories and documentation all come from here.
 */
import type { Argument } from './argument.js';
import type { Category, CommandFlag, KeyFlag } from './flag.js';

export { arg } from './argument.js';

export type CommandGroup =
  | 'bitmap'
  | 'cluster'
  | 'connection'
  | 'generic'
  | 'geo'
  | 'hash'
  | 'hyperloglog'
  | 'list'
  | 'pubsub'
  | 'scripting'
  | 'sentinel'
  | 'server'
  | 'set'
  | 'sorted-set'
  | 'stream'
  | 'string'
  | 'transactions';

export interface CommandSpec {
  /** The exact number of arguments, name included; negative: at least that many. */
  readonly arity: number;
  readonly flags?: readonly CommandFlag[];
  /** Only those that the flags do not imply (`categoriesImplied`). */
  readonly categories?: readonly Category[];
  /** Hints to clients and proxies. */
  readonly tips?: readonly string[];
  readonly keys?: readonly KeySpec[];
  /** How to find the keys where the specifications in `keys` cannot tell. */
  readonly keysOtherwise?: KeySearch;
  readonly docs: CommandDocs;
  readonly subcommands?: CommandRows;
}

/** Rows by name: lower case, as COMMAND prints it; for a subcommand, only the part after the bar. */
export type CommandRows = Readonly<Record<string, CommandSpec>>;

export interface CommandDocs {
  readonly summary: string;
  readonly since: string;
  readonly group: CommandGroup;
  readonly complexity?: string;
  /** An internal command, not for users. */
  readonly system?: boolean;
  readonly deprecatedSince?: string;
  readonly replacedBy?: string;
  /** Version and change. */
  readonly history?: readonly (readonly [string, string])[];
  readonly arguments?: readonly Argument[];
}

/** The positions of some of a command's keys, and the command's effects on them. */
export interface KeySpec {
  readonly begin: BeginSearch;
  readonly find: FindKeys;
  readonly flags: readonly KeyFlag[];
  readonly notes?: string;
}

/** The start of the search: an argument, or a keyword (searched from an argument on; negative: from the end). */
export type BeginSearch =
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'keyword'; readonly keyword: string; readonly startFrom: number }
  | { readonly type: 'unknown' };

/**
 * Which arguments from there on are keys. `range`: every `step`th up to `last`, counted from the start or, if
 * negative, from the end of the arguments, or of their `limit`th part. `keynum`: the number that an argument gives.
 */
export type FindKeys =
  | { readonly type: 'range'; readonly last: number; readonly step: number; readonly limit: number }
  | { readonly type: 'keynum'; readonly countAt: number; readonly first: number; readonly step: number }
  | { readonly type: 'unknown' };

/** The searches written as code; `key-positions.ts` has them. */
export type KeySearch =
  | 'counted-from-1'
  | 'counted-from-2'
  | 'counted-and-destination'
  | 'bitfield'
  | 'migrate'
  | 'set'
  | 'sort'
  | 'sort-readonly'
  | 'xread';

/** Begin at the argument `index`. */
export const at = (index: number): BeginSearch => ({ type: 'index', index });

/** Begin after `keyword`, searched for from the argument `startFrom` on. */
export const after = (keyword: string, startFrom: number): BeginSearch => ({
  type: 'keyword',
  keyword,
  startFrom,
});

/** Every `step`th argument up to and including `last`. */
export const through = (last: number, step = 1, limit = 0): FindKeys => ({
  type: 'range',
  last,
  step,
  limit,
});

/** One key, where the search begins. */
export const single = through(0);

/** The number of keys, then the keys. */
export const counted: FindKeys = { type: 'keynum', countAt: 0, first: 1, step: 1 };

export const keys = (begin: BeginSearch, find: FindKeys, ...flags: readonly KeyFlag[]): KeySpec => ({
  begin,
  find,
  flags,
});

/** One key at the argument `index`. */
export const key = (index: number, ...flags: readonly KeyFlag[]): KeySpec =>
  keys(at(index), single, ...flags);

/** Keys that no specification can find. */
export const unknownKeys = (...flags: readonly KeyFlag[]): KeySpec =>
  keys({ type: 'unknown' }, { type: 'unknown' }, ...flags);

/** A key specification with a remark, as COMMAND INFO prints it. */
export const noted = (notes: string, spec: KeySpec): KeySpec => ({ ...spec, notes });
