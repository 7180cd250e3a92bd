import type { Bytes } from '../bytes/bytes.js';
import { parseInteger, parseInteger64 } from '../bytes/numbers/integer.js';
import { KEY_FLAG } from './flag.js';
import type { BeginSearch, FindKeys, KeySearch, KeySpec } from './row.js';
import type { Command } from './table.js';

/** The arguments of a command, its name (and its subcommand's) first. */
export interface ArgumentList {
  readonly argc: number;
  arg(index: number): Bytes;
}

/** Called with each key of a command, for ACL, slots and tracking. `flags` are `KEY_FLAG` bits: what happens to the key. */
export interface KeyVisitor {
  visit(key: Bytes, flags: number, position: number): void;
}

/** The arguments of a command that are keys, and the `KEY_FLAG` bits of what happens to each. */
export class KeyPositions implements KeyVisitor {
  readonly positions: number[] = [];
  readonly flags: number[] = [];

  get count(): number {
    return this.positions.length;
  }

  visit(_key: Bytes, flags: number, position: number): void {
    this.positions.push(position);
    this.flags.push(flags);
  }
}

/** The positions of a command's keys, as COMMAND GETKEYS shows them: see `visitKeys`. */
export function keyPositions(
  command: Command,
  args: readonly Bytes[],
  argc: number,
  includeNotKeys = false,
): KeyPositions {
  const found = new KeyPositions();
  visitKeys(command, args, argc, found, includeNotKeys);
  return found;
}

/**
 * Calls the visitor with each key of a command. Allocates nothing if keys are at fixed places, counted, or those of SET,
 * so that checks made for every command can use it. The specifications of the row are tried first. Where they cannot
 * find all keys, or the flags depend on the arguments, the row names a search. Invalid arguments give no keys.
 *
 * With `includeNotKeys`, also shard channels, which have a slot as keys do.
 */
export function visitKeys(
  command: Command,
  args: readonly Bytes[],
  argc: number,
  visitor: KeyVisitor,
  includeNotKeys = false,
): void {
  if (command.hasPlainKeys) {
    visitRange(command, args, argc, visitor);
    return;
  }
  // First check that all specifications fit: keys that were visited cannot be taken back.
  if (!command.keyFlagsVary && walkSpecs(command, args, argc, includeNotKeys, undefined)) {
    walkSpecs(command, args, argc, includeNotKeys, visitor);
    return;
  }
  const { keysOtherwise } = command.spec;
  if (keysOtherwise !== undefined) SEARCHES[keysOtherwise](args, argc, visitor);
}

/** The keys of most commands. */
function visitRange(command: Command, args: readonly Bytes[], argc: number, visitor: KeyVisitor): void {
  const { firstKey, lastKey, keyStep } = command;
  const last = lastKey >= 0 ? lastKey : argc + lastKey;
  if (last >= argc) return;
  const flags = command.keyFlagBits[0] as number;
  for (let at = firstKey; at <= last; at += keyStep) visitor.visit(args[at] as Bytes, flags, at);
}

/** False when a specification does not fit the arguments or does not claim to find all keys. */
function walkSpecs(
  command: Command,
  args: readonly Bytes[],
  argc: number,
  includeNotKeys: boolean,
  visitor: KeyVisitor | undefined,
): boolean {
  const specs = command.spec.keys ?? NO_SPECS;
  for (let i = 0; i < specs.length; i++) {
    const { begin: search, find } = specs[i] as KeySpec;
    const flags = command.keyFlagBits[i] as number;
    if ((flags & KEY_FLAG.not_key) !== 0 && !includeNotKeys) continue;
    const begin = beginOf(search, args, argc);
    if (begin === ABSENT) continue;
    if (begin === UNKNOWN || find.type === 'unknown') return false;
    const first = find.type === 'keynum' ? begin + find.first : begin;
    const last = lastOf(find, begin, args, argc);
    if (last >= argc || last < first) return false;
    if (visitor !== undefined) {
      for (let at = first; at <= last; at += find.step) visitor.visit(args[at] as Bytes, flags, at);
    }
    if ((flags & KEY_FLAG.incomplete) !== 0) return false;
  }
  return true;
}

/** The argument where the keys begin; ABSENT if the keyword before them is missing. */
function beginOf(begin: BeginSearch, args: readonly Bytes[], argc: number): number {
  switch (begin.type) {
    case 'index':
      return begin.index;
    case 'keyword':
      return positionAfter(begin.keyword.toLowerCase(), begin.startFrom, args, argc);
    case 'unknown':
      return UNKNOWN;
  }
}

/** Looks onward from `startFrom`, or, when that is negative, backward from that far before the end. */
function positionAfter(word: string, startFrom: number, args: readonly Bytes[], argc: number): number {
  if (startFrom > 0) {
    // A keyword that is the last argument has no key after it.
    for (let i = startFrom; i < argc - 1; i++) if ((args[i] as Bytes).is(word)) return i + 1;
  } else {
    for (let i = argc + startFrom; i > 1; i--) if ((args[i] as Bytes).is(word)) return i + 1;
  }
  return ABSENT;
}

/** The argument that is the last key; before the first one if there is none. */
function lastOf(
  find: Exclude<FindKeys, { readonly type: 'unknown' }>,
  begin: number,
  args: readonly Bytes[],
  argc: number,
): number {
  if (find.type === 'range') {
    if (find.last >= 0) return begin + find.last;
    if (find.limit === 0) return argc + find.last;
    return begin + Math.trunc((argc - begin) / find.limit) + find.last;
  }
  const countAt = begin + find.countAt;
  const count = countAt < argc ? keyCount(args[countAt] as Bytes) : 0;
  return begin + find.first + (count - 1) * find.step;
}

/** The number of keys in the argument; 0 if it is not a number, or negative. */
function keyCount({ buf, start, end }: Bytes): number {
  const count = parseInteger(buf, start, end);
  if (!Number.isNaN(count)) return count < 0 ? 0 : count | 0;
  const exact = parseInteger64(buf, start, end);
  return exact === undefined || exact < 0n ? 0 : asInt32(exact);
}

/** Redis keeps counts of keys in 32 bits: larger numbers wrap around. */
function asInt32(value: bigint): number {
  return Number(BigInt.asIntN(32, value));
}

const ABSENT = -1;
const UNKNOWN = -2;
const NO_SPECS: readonly KeySpec[] = [];

const READ = KEY_FLAG.RO | KEY_FLAG.access;
const READ_AND_UPDATE = KEY_FLAG.RW | KEY_FLAG.access | KEY_FLAG.update;
const OVERWRITE = KEY_FLAG.OW | KEY_FLAG.update;
const MOVE_AWAY = KEY_FLAG.RW | KEY_FLAG.access | KEY_FLAG.delete;

type Search = (args: readonly Bytes[], argc: number, visitor: KeyVisitor) => void;

const SEARCHES: Readonly<Record<KeySearch, Search>> = {
  'counted-from-1': (args, argc, visitor) => void visitCounted(args, argc, 1, visitor),
  'counted-from-2': (args, argc, visitor) => void visitCounted(args, argc, 2, visitor),
  'counted-and-destination': (args, argc, visitor) => {
    if (visitCounted(args, argc, 2, visitor)) visitAt(1, 0, args, visitor);
  },
  bitfield: (args, argc, visitor) =>
    visitAt(1, bitfieldOnlyReads(args, argc) ? READ : READ_AND_UPDATE, args, visitor),
  migrate: visitMigrated,
  set: (args, argc, visitor) => {
    let gets = false;
    for (let i = 3; i < argc; i++) gets ||= (args[i] as Bytes).is('get');
    visitAt(1, gets ? READ_AND_UPDATE : OVERWRITE, args, visitor);
  },
  sort: visitSorted,
  'sort-readonly': (args, _argc, visitor) => visitAt(1, READ, args, visitor),
  xread: visitStreams,
};

function visitAt(position: number, flags: number, args: readonly Bytes[], visitor: KeyVisitor): void {
  visitor.visit(args[position] as Bytes, flags, position);
}

/**
 * The keys after a count that is not a strict integer, read as leniently as Redis's second attempt does: `1x` is 1. The
 * flags of such keys are unknown. False if there is no key.
 */
function visitCounted(args: readonly Bytes[], argc: number, countAt: number, visitor: KeyVisitor): boolean {
  const first = countAt + 1;
  const count = leadingInteger((args[countAt] as Bytes).toString());
  if (count < 1 || count > argc - first) return false;
  for (let i = 0; i < count; i++) visitAt(first + i, 0, args, visitor);
  return true;
}

/** C's `atoi`. */
function leadingInteger(text: string): number {
  const digits = /^[ \t-\r]*([+-]?\d+)/.exec(text)?.[1];
  if (digits === undefined) return 0;
  const value = BigInt(digits.replace('+', ''));
  const longest = 2n ** 63n;
  if (value >= longest) return -1;
  return value < -longest ? 0 : asInt32(value);
}

/** GET and OVERFLOW do not change the key; any other word counts as a write. */
function bitfieldOnlyReads(args: readonly Bytes[], argc: number): boolean {
  for (let i = 2; i < argc; i++) {
    const following = argc - i - 1;
    const word = args[i] as Bytes;
    if (word.is('get') && following >= 2) i += 2;
    else if (word.is('overflow') && following >= 1) i += 1;
    else return false;
  }
  return true;
}

/** The last STORE counts, as it does for SORT itself. */
function visitSorted(args: readonly Bytes[], argc: number, visitor: KeyVisitor): void {
  visitAt(1, READ, args, visitor);
  let destination = 0;
  for (let i = 2; i < argc; i++) {
    const word = args[i] as Bytes;
    if (word.is('limit')) i += 2;
    else if (word.is('get') || word.is('by')) i += 1;
    else if (word.is('store') && i + 1 < argc) destination = i + 1;
  }
  if (destination > 0) visitAt(destination, OVERWRITE, args, visitor);
}

/** MIGRATE moves one key or, if that argument is empty, all keys after KEYS. */
function visitMigrated(args: readonly Bytes[], argc: number, visitor: KeyVisitor): void {
  for (let i = 6; i < argc; i++) {
    const word = args[i] as Bytes;
    if (word.is('keys')) {
      if ((args[3] as Bytes).length > 0) return;
      for (let position = i + 1; position < argc; position++) visitAt(position, MOVE_AWAY, args, visitor);
      return;
    }
    if (word.is('auth')) i += 1;
    else if (word.is('auth2')) i += 2;
  }
  visitAt(3, MOVE_AWAY, args, visitor);
}

/** The first half of the arguments after STREAMS. */
function visitStreams(args: readonly Bytes[], argc: number, visitor: KeyVisitor): void {
  for (let i = 1; i < argc; i++) {
    const word = args[i] as Bytes;
    if (word.is('streams')) {
      const following = argc - i - 1;
      if (following % 2 !== 0) return;
      for (let position = 1; position <= following / 2; position++) visitAt(i + position, 0, args, visitor);
      return;
    }
    if (word.is('block') || word.is('count')) i += 1;
    else if (word.is('group')) i += 2;
    else if (!word.is('noack')) return;
  }
}
