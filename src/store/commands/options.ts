import type { CommandRunner } from '../command-runner.js';
import { StoreError } from '../store-error.js';
import type { Argument } from '../value.js';

/** At most one of the fields: each alternative forbids the others. */
export type AtMostOne<Fields> = {
  [Name in keyof Fields]: { readonly [Own in Name]?: Fields[Own] | undefined } & {
    readonly [Other in Exclude<keyof Fields, Name>]?: undefined;
  };
}[keyof Fields];

/** One of the fields, and no other. */
export type ExactlyOne<Fields> = {
  [Name in keyof Fields]: { readonly [Own in Name]: Fields[Own] } & {
    readonly [Other in Exclude<keyof Fields, Name>]?: undefined;
  };
}[keyof Fields];

/** One, or a list of them. */
export type OneOrMore<T> = T | readonly T[];

/** Names and what belongs to them: an object, a Map, or a list of pairs. */
export type Pairs<Value extends Argument = Argument> =
  | Readonly<Record<string, Value>>
  | Iterable<readonly [Argument, Value]>;

/** One thing to do with the bits of a string. `get`, `set` and `incrBy` name the integer: `u8`, `i16` … */
export type BitfieldOperation = BitfieldRead | BitfieldWrite;

export interface BitfieldRead {
  readonly get: string;
  /** In bits, or as `'#2'` in integers of that size. */
  readonly offset: Argument;
}

export type BitfieldWrite = {
  readonly offset: Argument;
  /** What happens when the integer is too small for the result; holds for later operations too. */
  readonly overflow?: 'wrap' | 'sat' | 'fail' | undefined;
} & (
  | { readonly set: string; readonly value: number | bigint }
  | { readonly incrBy: string; readonly increment: number | bigint }
);

/** How long a stream may get, or how old its entries. */
export interface TrimOptions {
  readonly maxLen?: number | bigint | undefined;
  readonly minId?: Argument | undefined;
  readonly approximate?: boolean | undefined;
  readonly limit?: number | bigint | undefined;
}

/** A word of Redis's, in small letters or capitals. */
export type AnyCase<Word extends string> = Word | Uppercase<Word>;

/** Whether it is a list, not a single argument. Bytes are a single argument. */
export function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

/** Whether it can be sent as it is. */
export function isArgument(value: unknown): value is Argument {
  return typeof value === 'object' ? value instanceof Uint8Array : typeof value !== 'undefined';
}

/** What methods are called on. `refuse` hands an error over in the store's mode; without it, it is thrown. */
export interface Runner extends CommandRunner {
  refuse?(error: StoreError): unknown;
}

/** The code of the methods of an interface. */
export type Methods<Interface> = {
  readonly [Name in keyof Interface]: (this: Runner, ...args: never[]) => unknown;
};

/** Options in which one is given. */
export type Given<Options, Name extends keyof Options> = Options & {
  readonly [Each in Name]-?: Exclude<Options[Each], undefined | false>;
};

/** Options in which some are not given. */
export type Without<Options, Name extends keyof Options> = Options & {
  readonly [Each in Name]?: false | undefined;
};

/** Whether options hold something that the method does not know: a typing mistake must not change what a command does. */
export function isMistaken(options: unknown, known: readonly string[]): boolean {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return true;
  for (const name in options) if (!known.includes(name)) return true;
  return false;
}

/** Answers a call whose options are mistaken. */
export function refuse(runner: Runner, method: string, options: unknown, known: readonly string[]): unknown {
  const error = new StoreError('OPTION', mistakeIn(method, options, known));
  if (runner.refuse === undefined) throw error;
  return runner.refuse(error);
}

function mistakeIn(method: string, options: unknown, known: readonly string[]): string {
  const names = known.join(', ');
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    return `${method} takes an object with fields of these names: ${names}`;
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  return `${method} has no option '${unknown}'; it has: ${names}`;
}

export function append(args: Argument[], values: OneOrMore<Argument>, more?: readonly Argument[]): void {
  if (isList(values)) for (const value of values) args.push(value);
  else args.push(values);
  if (more !== undefined) for (const value of more) args.push(value);
}

/** How many, then the keys themselves. */
export function appendCounted(args: Argument[], keys: OneOrMore<Argument>): void {
  args.push(isList(keys) ? keys.length : 1);
  append(args, keys);
}

/** The token before each of the values. */
export function appendEach(args: Argument[], token: string, values: OneOrMore<Argument>): void {
  if (!isList(values)) args.push(token, values);
  else for (const value of values) args.push(token, value);
}

export function appendPairs(args: Argument[], pairs: Pairs): void {
  if (isIterable(pairs)) for (const [name, value] of pairs) args.push(name, value);
  else for (const name of Object.keys(pairs)) args.push(name, pairs[name] as Argument);
}

/** All names, then all that belongs to them. */
export function appendUnzipped(args: Argument[], pairs: Pairs): void {
  const flat: Argument[] = [];
  appendPairs(flat, pairs);
  for (let index = 0; index < flat.length; index += 2) args.push(flat[index] as Argument);
  for (let index = 1; index < flat.length; index += 2) args.push(flat[index] as Argument);
}

export function appendTrim(args: Argument[], { maxLen, minId, approximate, limit }: TrimOptions): void {
  if (maxLen !== undefined) args.push('MAXLEN', approximate ? '~' : '=', maxLen);
  if (minId !== undefined) args.push('MINID', approximate ? '~' : '=', minId);
  if (limit !== undefined) args.push('LIMIT', limit);
}

export function appendBitfield(args: Argument[], operations: OneOrMore<BitfieldOperation>): void {
  for (const operation of isList(operations) ? operations : [operations]) {
    if ('get' in operation) {
      args.push('GET', operation.get, operation.offset);
      continue;
    }
    if (operation.overflow !== undefined) args.push('OVERFLOW', operation.overflow);
    if ('set' in operation) args.push('SET', operation.set, operation.offset, operation.value);
    else args.push('INCRBY', operation.incrBy, operation.offset, operation.increment);
  }
}

/** Whether XREAD is to wait: an option before the streams says so. */
export function hasBlockOption(args: readonly Argument[]): boolean {
  const end = args.indexOf('STREAMS');
  const at = args.indexOf('BLOCK');
  return at >= 0 && at < end;
}

function isIterable(pairs: Pairs): pairs is Iterable<readonly [Argument, Argument]> {
  return Symbol.iterator in pairs;
}
