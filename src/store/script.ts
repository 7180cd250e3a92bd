import type { Argument, Outcome, Shape, Value } from './value.js';

/**
 * A Lua script with names for its inputs. The names are local variables in the script, so the order of KEYS and ARGV is
 * defined only here. If the last name begins with `...`, it takes a list, which is a table in Lua.
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
  /** The script does not write. It may run on a replica, and fails if it tries to write. */
  readonly readOnly?: boolean;
  /**
   * Whether running it twice with the same inputs has the same effect as running it once. It is then sent again if the
   * connection was lost before its answer came. Default false: the call fails with `UNREACHABLE`, and `mayHaveRun` is true.
   */
  readonly repeatable?: boolean;
  /** Converts the reply. Without it the call returns the reply itself. */
  readonly reply?: (reply: Value<Shape>) => Result;
}

type InputOf<Name extends string> = Name extends `...${infer Rest}`
  ? { readonly [K in Rest]: readonly Argument[] }
  : { readonly [K in Name]: Argument };

type Merged<Union> = (Union extends unknown ? (part: Union) => void : never) extends (part: infer All) => void
  ? All
  : never;

/** The inputs of a script: a field for each of its keys and arguments. */
export type ScriptInputs<Keys extends readonly string[], Args extends readonly string[]> = [
  Keys[number] | Args[number],
] extends [never]
  ? // biome-ignore lint/complexity/noBannedTypes: the script has no inputs
    {}
  : Merged<InputOf<Keys[number] | Args[number]>>;

/** A script bound to a store: call it with its inputs. */
export type BoundScript<
  S extends Shape,
  Keys extends readonly string[],
  Args extends readonly string[],
  Result,
> = (inputs: ScriptInputs<Keys, Args>) => Outcome<S, unknown extends Result ? Value<S> : Result>;
