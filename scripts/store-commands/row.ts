import type { Argument } from '../../src/commands/argument.js';
import type { ReplyName } from './replies.js';

/**
 * What the command table does not contain about a typed method: its result, and an example, which the documentation shows and
 * a test runs.
 */
export interface MethodRow {
  readonly reply: ReplyName;
  /** Other kinds of reply, selected by options or optional parameters. The first entry with a given name counts. */
  readonly when?: readonly (readonly [given: readonly string[], reply: ReplyName])[];
  /** Calls that prepare the example. */
  readonly given: readonly string[];
  readonly call: string;
  /** The example's result. Without it, `check` is an expression that checks `result`. */
  readonly result?: string;
  readonly check?: string;
  /** The error of the example on an embedded store in memory, if it does not support the command. */
  readonly throws?: string;
  /** Why the example has this result only on an embedded store with a manual clock. */
  readonly onlyEmbedded?: string;
  /** Replaces the documented arguments if they do not make a good method. */
  readonly arguments?: readonly Argument[];
  /** TypeScript types of parameters and options, where the documented type is too general. */
  readonly types?: Readonly<Record<string, string>>;
  /** Each `oneof` of words here is an optional parameter of that name, with a word as its value. */
  readonly positional?: readonly string[];
  /** The command needs at least one of its optional words. */
  readonly needsOptions?: boolean;
  /** The command may block in the server. If this is a name: only with that option. */
  readonly blocks?: true | string;
  /** The method's name, if it differs from the command's. */
  readonly name?: string;
}

type More = Partial<Omit<MethodRow, 'reply' | 'given' | 'call' | 'result'>>;

/** `method('nullableText', "get('k')", "'v'", ["set('k', 'v')"])`: reply, example, its result, calls before it. */
export function method(
  reply: ReplyName,
  call: string,
  result: string | undefined,
  given: readonly string[] = [],
  more: More = {},
): MethodRow {
  return { reply, call, given, ...(result === undefined ? {} : { result }), ...more };
}

/** By the full name in the command table: `config|get`. */
export type MethodTable = Readonly<Record<string, MethodRow>>;
