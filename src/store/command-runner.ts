import type { Argument, Shape, Value } from './value.js';

/**
 * A command as the typed methods name it. One object per command, made once and never changed: stores remember what
 * they looked up for it.
 */
export interface WireCommand {
  /** Its words on the wire: `['GET']`, `['CONFIG', 'SET']`. */
  readonly words: readonly string[];
  /** It may wait in the server (BLPOP; XREAD with BLOCK), and then gets a connection of its own. */
  readonly blocks?: boolean | ((args: readonly Argument[]) => boolean);
  /** It may be executed twice: sent again when the connection was lost before the answer came. Reads always are. */
  readonly isRepeatable?: boolean;
}

/** Makes what a typed method promises of the reply that came. Not called with an error. */
export type ReplyTransformer = (reply: Value<Shape>) => unknown;

/**
 * What typed commands are written on: the methods of `Commands` are mixed into the prototypes of stores, sync stores and
 * queues, all of which have this. `run` sends the words and `args`, and hands over the transformed reply in the store's
 * mode: as a promise, at once, or queued. `args` is not kept after the call, nor changed.
 */
export interface CommandRunner {
  run(command: WireCommand, args: readonly Argument[], transform?: ReplyTransformer): unknown;
}
