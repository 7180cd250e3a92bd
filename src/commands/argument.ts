/**
 * The shape of a command's arguments, as COMMAND DOCS describes it. `arg` builds the descriptions, so that a row
 * reads like the command's syntax: `arg.key('key'), arg.integer('count', { optional: true })`.
 */

export type ArgumentType =
  | 'string'
  | 'integer'
  | 'double'
  | 'key'
  | 'pattern'
  | 'unix-time'
  | 'pure-token'
  | 'oneof'
  | 'block';

export interface ArgumentOptions {
  /** The word that precedes the argument; for a pure token, the word itself when it is not the name in capitals. */
  readonly token?: string;
  readonly since?: string;
  readonly deprecatedSince?: string;
  readonly optional?: boolean;
  readonly multiple?: boolean;
  /** Repeated together with its token. */
  readonly multipleToken?: boolean;
  /** Which of the command's key specifications finds it; 0 for a key unless stated. */
  readonly keySpec?: number;
}

export interface Argument extends ArgumentOptions {
  readonly name: string;
  readonly type: ArgumentType;
  /** The alternatives of a `oneof`, the members of a `block`. */
  readonly parts?: readonly Argument[];
}

type Plain = (name: string, options?: ArgumentOptions) => Argument;
type Composed = (name: string, parts: readonly Argument[], options?: ArgumentOptions) => Argument;

const plain =
  (type: ArgumentType): Plain =>
  (name, options) => ({ name, type, ...options });
const composed =
  (type: ArgumentType): Composed =>
  (name, parts, options) => ({ name, type, parts, ...options });

export const arg = {
  string: plain('string'),
  integer: plain('integer'),
  double: plain('double'),
  pattern: plain('pattern'),
  unixTime: plain('unix-time'),
  key: (name: string, options?: ArgumentOptions): Argument => ({ name, type: 'key', keySpec: 0, ...options }),
  token: (name: string, options?: ArgumentOptions): Argument => ({
    name,
    type: 'pure-token',
    token: name.toUpperCase(),
    ...options,
  }),
  oneof: composed('oneof'),
  block: composed('block'),
} as const;
