import type { Commands } from '../../src/store/commands/index.js';
import type { DefaultShape } from '../../src/store/value.js';

export type TestedStore = Commands<DefaultShape>;

/** An example of the documentation. */
export interface Example {
  readonly name: string;
  /** Calls that come before. */
  readonly given: readonly ((store: TestedStore) => Promise<unknown>)[];
  readonly call: (store: TestedStore) => Promise<unknown>;
  readonly expectation: Expectation;
  /** Why it gives this result only on an embedded store with a manual clock. */
  readonly onlyEmbedded: string | undefined;
}

export type Expectation =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'check'; readonly holds: (result: unknown) => boolean }
  | { readonly kind: 'throws'; readonly text: string };

interface Described<T> extends Pick<Example, 'name' | 'given'> {
  readonly call: (store: TestedStore) => Promise<T>;
  readonly result?: NoInfer<T>;
  readonly check?: (result: NoInfer<T>) => boolean;
  readonly throws?: string;
  readonly onlyEmbedded?: string;
}

/** An example whose result must be of the type that the method promises. */
export function example<T>(described: Described<T>): Example {
  const { name, given, call, onlyEmbedded } = described;
  return { name, given, call, onlyEmbedded, expectation: expectationOf(described) };
}

function expectationOf<T>({ name, check, throws, ...described }: Described<T>): Expectation {
  if (throws !== undefined) return { kind: 'throws', text: throws };
  if (check !== undefined) return { kind: 'check', holds: (result) => check(result as T) };
  if (!('result' in described)) throw new Error(`the example of ${name} expects nothing`);
  return { kind: 'result', result: described.result };
}
