import { splitWords } from '../../bytes/quoting.js';
import { CommandError } from '../../commands/errors.js';
import { FLAG } from '../../commands/flag.js';

/** The flags that a script or function declares. */
export const ScriptFlag = {
  noWrites: 1 << 0,
  allowOom: 1 << 1,
  allowStale: 1 << 2,
  noCluster: 1 << 3,
  allowCrossSlotKeys: 1 << 4,
  /** A script without a shebang: its commands are checked one by one. */
  unspecified: 1 << 5,
} as const;

/** Flags by name, in the order in which FUNCTION LIST shows them. */
const FLAGS_BY_NAME: ReadonlyMap<string, number> = new Map([
  ['no-writes', ScriptFlag.noWrites],
  ['allow-oom', ScriptFlag.allowOom],
  ['allow-stale', ScriptFlag.allowStale],
  ['no-cluster', ScriptFlag.noCluster],
  ['allow-cross-slot-keys', ScriptFlag.allowCrossSlotKeys],
]);

export function flagNamed(name: string): number | undefined {
  return FLAGS_BY_NAME.get(name);
}

export function flagNames(flags: number): string[] {
  return [...FLAGS_BY_NAME].filter(([, bit]) => (flags & bit) !== 0).map(([name]) => name);
}

/** The flags of a command that runs a script, made exact by the flags that the script declares. */
export function commandFlagsOf(scriptFlags: number, commandFlags: number): number {
  const has = (flag: number): boolean => (scriptFlags & flag) !== 0;
  const unknown = FLAG.write | FLAG.denyoom | FLAG.stale | FLAG.may_replicate;
  return (
    (commandFlags & ~unknown) |
    (has(ScriptFlag.noWrites) ? 0 : FLAG.write) |
    (has(ScriptFlag.allowOom) ? 0 : FLAG.denyoom) |
    (has(ScriptFlag.allowStale) ? FLAG.stale : 0)
  );
}

export interface ScriptHead {
  readonly flags: number;
  /** The source without the text of its first line. The line end stays, so that line numbers are right. */
  readonly body: string;
}

/** Reads `#!lua flags=…` of a script for EVAL. Throws the error for the client. */
export function scriptHead(source: string): ScriptHead {
  if (!source.startsWith('#!')) return { flags: ScriptFlag.unspecified, body: source };
  const end = source.indexOf('\n');
  if (end < 0) throw new CommandError('ERR Invalid script shebang');
  const [engine, ...options] = splitWords(source.slice(0, end)) ?? [];
  if (engine === undefined) throw new CommandError('ERR Invalid engine in script shebang');
  if (engine !== '#!lua') throw new CommandError(`ERR Unexpected engine in script shebang: ${engine}`);
  let flags = 0;
  for (const option of options) {
    if (!option.startsWith('flags=')) throw new CommandError(`ERR Unknown lua shebang option: ${option}`);
    flags |= flagsFrom(option.slice('flags='.length));
  }
  return { flags, body: source.slice(end) };
}

function flagsFrom(list: string): number {
  let flags = 0;
  for (const name of list === '' ? [] : list.split(',')) {
    const flag = flagNamed(name);
    if (flag === undefined) throw new CommandError(`ERR Unexpected flag in script shebang: ${name}`);
    flags |= flag;
  }
  return flags;
}

export interface LibraryHead {
  readonly name: string;
  readonly body: string;
}

/** Reads `#!lua name=…` of a library. Throws the error for the client. */
export function libraryHead(code: string): LibraryHead {
  if (!code.startsWith('#!')) throw new CommandError('ERR Missing library metadata');
  const end = code.indexOf('\n');
  const words = end < 0 ? undefined : splitWords(code.slice(0, end));
  if (words === undefined || words.length === 0) throw new CommandError('ERR Invalid library metadata');
  const [engine, ...options] = words as [string, ...string[]];
  let name: string | undefined;
  for (const option of options) {
    if (!option.toLowerCase().startsWith('name=')) {
      throw new CommandError(`ERR Invalid metadata value given: ${option}`);
    }
    if (name !== undefined) {
      throw new CommandError('ERR Invalid metadata value, name argument was given multiple times');
    }
    name = option.slice('name='.length);
  }
  if (name === undefined) throw new CommandError('ERR Library name was not given');
  if (!isValidName(name)) throw new CommandError(`ERR ${INVALID_NAME}`);
  if (engine.slice(2).toLowerCase() !== 'lua') {
    throw new CommandError(`ERR Engine '${engine.slice(2)}' not found`);
  }
  return { name, body: code.slice(end) };
}

/** Whether this is a valid name of a library or function. */
export function isValidName(name: string): boolean {
  return /^[A-Za-z0-9_]+$/.test(name);
}

export const INVALID_NAME =
  'Library names can only contain letters, numbers, or underscores(_) and must be at least one character long';
