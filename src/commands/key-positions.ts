import type { Bytes } from '../bytes/bytes.js';
import { parseInteger64 } from '../bytes/numbers/integer.js';
import { KEY_FLAG } from './flag.js';
import type { BeginSearch, FindKeys, KeySearch } from './row.js';
import type { Command } from './table.js';

/** The arguments of a command, its name (and its subcommand's) first. */
export interface ArgumentList {
  readonly argc: number;
  arg(index: number): Bytes;
}

/** The arguments of a command that are keys, and the `KEY_FLAG` bits of what happens to each. */
export class KeyPositions {
  readonly positions: number[] = [];
  readonly flags: number[] = [];

  get count(): number {
    return this.positions.length;
  }

  add(position: number, flags: number): void {
    this.positions.push(position);
    this.flags.push(flags);
  }

  clear(): void {
    this.positions.length = 0;
    this.flags.length = 0;
  }
}

export interface KeyPositionsOptions {
  /** Also find what only looks like a key: the channels of SSUBSCRIBE, which have a slot as keys do. */
  readonly includeNotKeys?: boolean;
}

/** Whether some argument of the command can be a key. */
export function hasKeys(command: Command): boolean {
  if (command.spec.keysOtherwise !== undefined) return true;
  return command.keyFlagBits.some((flags) => (flags & KEY_FLAG.not_key) === 0);
}

/**
 * Finds a command's keys. The specifications of its row come first; where they cannot tell, or say that the flags
 * depend on the arguments, the row names a search. No keys come out when the arguments make no sense, and the command
 * itself will say why.
 */
export function keyPositions(
  command: Command,
  args: ArgumentList,
  options: KeyPositionsOptions = {},
): KeyPositions {
  const found = new KeyPositions();
  const flagsVary = command.keyFlagBits.some((flags) => (flags & KEY_FLAG.variable_flags) !== 0);
  if (!flagsVary && findBySpecs(command, args, options.includeNotKeys === true, found)) return found;
  found.clear();
  const { keysOtherwise } = command.spec;
  if (keysOtherwise !== undefined) SEARCHES[keysOtherwise](args, found);
  return found;
}

/** False when a specification does not fit the arguments or does not claim to find all keys. */
function findBySpecs(
  command: Command,
  args: ArgumentList,
  includeNotKeys: boolean,
  found: KeyPositions,
): boolean {
  const specs = command.spec.keys ?? [];
  for (let i = 0; i < specs.length; i++) {
    const spec = specs[i]!;
    const flags = command.keyFlagBits[i] as number;
    if (flags & KEY_FLAG.not_key && !includeNotKeys) continue;
    const begin = beginOf(spec.begin, args);
    if (begin === 'unknown') return false;
    if (begin === 'absent') continue;
    const range = rangeOf(spec.find, begin, args);
    if (range === undefined || range.last >= args.argc || range.last < range.first) return false;
    for (let position = range.first; position <= range.last; position += range.step) {
      found.add(position, flags);
    }
    if (flags & KEY_FLAG.incomplete) return false;
  }
  return true;
}

/** The argument where the keys begin; `absent` when the word that would precede them is not there. */
function beginOf(begin: BeginSearch, args: ArgumentList): number | 'absent' | 'unknown' {
  switch (begin.type) {
    case 'index':
      return begin.index;
    case 'keyword':
      return positionAfter(begin.keyword, begin.startFrom, args);
    case 'unknown':
      return 'unknown';
  }
}

/** Looks onward from `startFrom`, or, when that is negative, backward from that far before the end. */
function positionAfter(keyword: string, startFrom: number, args: ArgumentList): number | 'absent' {
  const word = keyword.toLowerCase();
  if (startFrom > 0) {
    // A word that is the last argument has no key behind it.
    for (let i = startFrom; i < args.argc - 1; i++) if (args.arg(i).is(word)) return i + 1;
  } else {
    for (let i = args.argc + startFrom; i > 1; i--) if (args.arg(i).is(word)) return i + 1;
  }
  return 'absent';
}

interface Range {
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

function rangeOf(find: FindKeys, begin: number, args: ArgumentList): Range | undefined {
  switch (find.type) {
    case 'range':
      return { first: begin, last: lastOf(find.last, find.limit, begin, args.argc), step: find.step };
    case 'keynum': {
      const countAt = begin + find.countAt;
      if (countAt >= args.argc) return undefined;
      const { buf, start, end } = args.arg(countAt);
      const count = parseInteger64(buf, start, end);
      if (count === undefined || count < 0n) return undefined;
      const first = begin + find.first;
      return { first, last: first + (asInt32(count) - 1) * find.step, step: find.step };
    }
    case 'unknown':
      return undefined;
  }
}

function lastOf(last: number, limit: number, begin: number, count: number): number {
  if (last >= 0) return begin + last;
  if (limit === 0) return count + last;
  return begin + Math.trunc((count - begin) / limit) + last;
}

/** Redis keeps counts of keys in 32 bits; what a client sends beyond wraps around. */
function asInt32(value: bigint): number {
  return Number(BigInt.asIntN(32, value));
}

const READ = KEY_FLAG.RO | KEY_FLAG.access;
const READ_AND_UPDATE = KEY_FLAG.RW | KEY_FLAG.access | KEY_FLAG.update;
const OVERWRITE = KEY_FLAG.OW | KEY_FLAG.update;
const MOVE_AWAY = KEY_FLAG.RW | KEY_FLAG.access | KEY_FLAG.delete;

type Search = (args: ArgumentList, found: KeyPositions) => void;

const SEARCHES: Readonly<Record<KeySearch, Search>> = {
  'counted-from-1': (args, found) => findCounted(args, 1, found),
  'counted-from-2': (args, found) => findCounted(args, 2, found),
  'counted-and-destination': (args, found) => {
    findCounted(args, 2, found);
    if (found.count > 0) found.add(1, 0);
  },
  bitfield: (args, found) => found.add(1, bitfieldOnlyReads(args) ? READ : READ_AND_UPDATE),
  migrate: findMigrated,
  set: (args, found) => {
    let gets = false;
    for (let i = 3; i < args.argc; i++) gets ||= args.arg(i).is('get');
    found.add(1, gets ? READ_AND_UPDATE : OVERWRITE);
  },
  sort: findSorted,
  'sort-readonly': (_args, found) => found.add(1, READ),
  xread: findStreams,
};

/**
 * The keys behind a count that is no proper integer, read as leniently as Redis's second attempt does: `1x` is 1. What
 * happens to such keys nobody says.
 */
function findCounted(args: ArgumentList, countAt: number, found: KeyPositions): void {
  const first = countAt + 1;
  const count = leadingInteger(args.arg(countAt).toString());
  if (count < 1 || count > args.argc - first) return;
  for (let i = 0; i < count; i++) found.add(first + i, 0);
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

/** GET and OVERFLOW leave the key alone; anything unknown is taken for a write. */
function bitfieldOnlyReads(args: ArgumentList): boolean {
  for (let i = 2; i < args.argc; i++) {
    const following = args.argc - i - 1;
    const word = args.arg(i);
    if (word.is('get') && following >= 2) i += 2;
    else if (word.is('overflow') && following >= 1) i += 1;
    else return false;
  }
  return true;
}

/** The last STORE counts, as it does for SORT itself. */
function findSorted(args: ArgumentList, found: KeyPositions): void {
  found.add(1, READ);
  let destination = 0;
  for (let i = 2; i < args.argc; i++) {
    const word = args.arg(i);
    if (word.is('limit')) i += 2;
    else if (word.is('get') || word.is('by')) i += 1;
    else if (word.is('store') && i + 1 < args.argc) destination = i + 1;
  }
  if (destination > 0) found.add(destination, OVERWRITE);
}

/** MIGRATE moves one key, or all those after KEYS when the one is empty. */
function findMigrated(args: ArgumentList, found: KeyPositions): void {
  for (let i = 6; i < args.argc; i++) {
    const word = args.arg(i);
    if (word.is('keys')) {
      if (args.arg(3).length > 0) return;
      for (let position = i + 1; position < args.argc; position++) found.add(position, MOVE_AWAY);
      return;
    }
    if (word.is('auth')) i += 1;
    else if (word.is('auth2')) i += 2;
  }
  found.add(3, MOVE_AWAY);
}

/** The first half of what follows STREAMS. */
function findStreams(args: ArgumentList, found: KeyPositions): void {
  for (let i = 1; i < args.argc; i++) {
    const word = args.arg(i);
    if (word.is('streams')) {
      const following = args.argc - i - 1;
      if (following % 2 !== 0) return;
      for (let position = 1; position <= following / 2; position++) found.add(i + position, 0);
      return;
    }
    if (word.is('block') || word.is('count')) i += 1;
    else if (word.is('group')) i += 2;
    else if (!word.is('noack')) return;
  }
}
