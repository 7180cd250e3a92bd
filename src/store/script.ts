import type { Argument, Outcome, Shape, Value } from './value.js';

/**
 * A Lua script with names for what it takes. The names are local variables in the script, so the order of KEYS and ARGV
 * is written down once, here. A last name that begins with `...` takes a list and is a table in Lua.
 */
export interface ScriptDefinition<
  Keys extends readonly string[] = readonly string[],
  Args extends readonly string[] = readonly string[],
  Result = unknown,
> {
  /** Names of the keys. In Redis Cluster they must hash to one slot, and a script needs at least one. */
  readonly keys?: Keys;
  /** Names of the other arguments. */
  readonly args?: Args;
  readonly lua: string;
  /** It writes nothing: may run on a replica, and is refused if it tries to write. */
  readonly readOnly?: boolean;
  /**
   * Executing it twice with the same inputs does the same as once: it is sent again if the connection was lost before its
   * answer came. Default false: the call then fails with `UNREACHABLE`, and `mayHaveRun` is true.
   */
  readonly repeatable?: boolean;
  /** Makes something better of the reply; without it the call gives the reply as it came. */
  readonly reply?: (reply: Value<Shape>) => Result;
}

type InputOf<Name extends string> = Name extends `...${infer Rest}`
  ? { readonly [K in Rest]: readonly Argument[] }
  : { readonly [K in Name]: Argument };

type Merged<Union> = (Union extends unknown ? (part: Union) => void : never) extends (part: infer All) => void
  ? All
  : never;

/** What a script must be given: a field for each of its keys and arguments. */
export type ScriptInputs<Keys extends readonly string[], Args extends readonly string[]> = [
  Keys[number] | Args[number],
] extends [never]
  ? // biome-ignore lint/complexity/noBannedTypes: nothing to give
    {}
  : Merged<InputOf<Keys[number] | Args[number]>>;

/** A script bound to a store: call it with its inputs. */
export type BoundScript<
  S extends Shape,
  Keys extends readonly string[],
  Args extends readonly string[],
  Result,
> = (inputs: ScriptInputs<Keys, Args>) => Outcome<S, unknown extends Result ? Value<S> : Result>;
