import type { Argument } from '../../src/commands/argument.js';
import type { ReplyName } from './replies.js';

/**
 * What the command table does not say about a typed method: what it answers, and an example that documentation shows
 * and a test runs.
 */
export interface MethodRow {
  readonly reply: ReplyName;
  /** What options, or optional parameters, make of the reply: the first entry of which one is given counts. */
  readonly when?: readonly (readonly [given: readonly string[], reply: ReplyName])[];
  /** Calls that come before the example. */
  readonly given: readonly string[];
  readonly call: string;
  /** What the example gives; without it, the example's result is checked by `check`, an expression of `result`. */
  readonly result?: string;
  readonly check?: string;
  /** The error of the example on an embedded store in memory, which cannot do what the documentation shows. */
  readonly throws?: string;
  /** Why the example gives this only on an embedded store with a manual clock. */
  readonly onlyEmbedded?: string;
  /** In place of the command's documented arguments, where those do not make a good method. */
  readonly arguments?: readonly Argument[];
  /** TypeScript types of parameters and options, where the documented type says too little. */
  readonly types?: Readonly<Record<string, string>>;
  /** `oneof`s of words that are the value of an optional parameter of their name. */
  readonly positional?: readonly string[];
  /** The command does nothing without one of its optional words. */
  readonly needsOptions?: boolean;
  /** The command may wait in the server; with a name, if that option is given. */
  readonly blocks?: true | string;
  /** The method's name, where the command's would not do. */
  readonly name?: string;
}

type More = Partial<Omit<MethodRow, 'reply' | 'given' | 'call' | 'result'>>;

/** `method('nullableText', "get('k')", "'v'", ["set('k', 'v')"])`: reply, example, its result, what comes before. */
export function method(
  reply: ReplyName,
  call: string,
  result: string | undefined,
  given: readonly string[] = [],
  more: More = {},
): MethodRow {
  return { reply, call, given, ...(result === undefined ? {} : { result }), ...more };
}

/** By full name, as the command table has it: `config|get`. */
export type MethodTable = Readonly<Record<string, MethodRow>>;
