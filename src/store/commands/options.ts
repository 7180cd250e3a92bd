import type { CommandRunner } from '../command-runner.js';
import { StoreError } from '../store-error.js';
import type { Argument } from '../value.js';

/** At most one of the fields. */
export type AtMostOne<Fields> = {
  [Name in keyof Fields]: { readonly [Own in Name]?: Fields[Own] | undefined } & {
    readonly [Other in Exclude<keyof Fields, Name>]?: undefined;
  };
}[keyof Fields];

/** Exactly one of the fields. */
export type ExactlyOne<Fields> = {
  [Name in keyof Fields]: { readonly [Own in Name]: Fields[Own] } & {
    readonly [Other in Exclude<keyof Fields, Name>]?: undefined;
  };
}[keyof Fields];

/** One value, or a list of values. */
export type OneOrMore<T> = T | readonly T[];

/** Names and values: an object, a Map, or a list of pairs. */
export type Pairs<Value extends Argument = Argument> =
  | Readonly<Record<string, Value>>
  | Iterable<readonly [Argument, Value]>;

/** One operation of BITFIELD. `get`, `set` and `incrBy` name the integer type: `u8`, `i16` … */
export type BitfieldOperation = BitfieldRead | BitfieldWrite;

export interface BitfieldRead {
  readonly get: string;
  /** In bits or, written as `'#2'`, in integers of that size. */
  readonly offset: Argument;
}

export type BitfieldWrite = {
  readonly offset: Argument;
  /** What happens if the result does not fit. It also applies to later operations. */
  readonly overflow?: 'wrap' | 'sat' | 'fail' | undefined;
} & (
  | { readonly set: string; readonly value: number | bigint }
  | { readonly incrBy: string; readonly increment: number | bigint }
);

/** The maximum length of a stream, or the smallest id to keep. */
export interface TrimOptions {
  readonly maxLen?: number | bigint | undefined;
  readonly minId?: Argument | undefined;
  readonly approximate?: boolean | undefined;
  readonly limit?: number | bigint | undefined;
}

/** A word of a command, in lower or upper case. */
export type AnyCase<Word extends string> = Word | Uppercase<Word>;

/** Whether the value is a list. Bytes are a single argument. */
export function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

/** Whether the value is a single argument. */
export function isArgument(value: unknown): value is Argument {
  return typeof value === 'object' ? value instanceof Uint8Array : typeof value !== 'undefined';
}

/** The object whose methods are called. `refuse` returns an error in the store's mode; without it, the error is thrown. */
export interface Runner extends CommandRunner {
  refuse?(error: StoreError): unknown;
}

/** The implementations of an interface's methods. */
export type Methods<Interface> = {
  readonly [Name in keyof Interface]: (this: Runner, ...args: never[]) => unknown;
};

/** Options in which these are given. */
export type Given<Options, Name extends keyof Options> = Options & {
  readonly [Each in Name]-?: Exclude<Options[Each], undefined | false>;
};

/** Options in which these are not given. */
export type Without<Options, Name extends keyof Options> = Options & {
  readonly [Each in Name]?: false | undefined;
};

/** Whether this is not an object or has unknown fields. A misspelt option must not change what a command does. */
export function isInvalid(options: unknown, known: readonly string[]): boolean {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return true;
  for (const name in options) if (!known.includes(name)) return true;
  return false;
}

/** Fails a call with invalid options. */
export function refuse(runner: Runner, method: string, options: unknown, known: readonly string[]): unknown {
  const error = new StoreError('OPTION', describeMistake(method, options, known));
  if (runner.refuse === undefined) throw error;
  return runner.refuse(error);
}

/** Throws `OPTION` if the options of a call have an unknown field. */
export function checkFields(method: string, options: object, known: readonly string[]): void {
  if (isInvalid(options, known)) throw new StoreError('OPTION', describeMistake(method, options, known));
}

function describeMistake(method: string, options: unknown, known: readonly string[]): string {
  const names = known.join(', ');
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    return `the options of ${method} must be an object with these fields: ${names}`;
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  return `${method} has no option '${unknown}': available options are ${names}`;
}

export function append(args: Argument[], values: OneOrMore<Argument>, more?: readonly Argument[]): void {
  if (isList(values)) for (const value of values) args.push(value);
  else args.push(values);
  if (more !== undefined) for (const value of more) args.push(value);
}

/** Appends the number of keys, then the keys. */
export function appendCounted(args: Argument[], keys: OneOrMore<Argument>): void {
  args.push(isList(keys) ? keys.length : 1);
  append(args, keys);
}

/** Appends the token before each value. */
export function appendEach(args: Argument[], token: string, values: OneOrMore<Argument>): void {
  if (!isList(values)) args.push(token, values);
  else for (const value of values) args.push(token, value);
}

export function appendPairs(args: Argument[], pairs: Pairs): void {
  if (isIterable(pairs)) for (const [name, value] of pairs) args.push(name, value);
  else for (const name of Object.keys(pairs)) args.push(name, pairs[name] as Argument);
}

/** Appends all names, then all values. */
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

/** Whether XREAD has the option BLOCK, which comes before the streams. */
export function hasBlockOption(args: readonly Argument[]): boolean {
  const end = args.indexOf('STREAMS');
  const at = args.indexOf('BLOCK');
  return at >= 0 && at < end;
}

function isIterable(pairs: Pairs): pairs is Iterable<readonly [Argument, Argument]> {
  return Symbol.iterator in pairs;
}
