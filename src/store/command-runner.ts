import type { Argument, Shape, Value } from './value.js';

/**
 * A command as the typed methods name it. There is one immutable object per command, so that stores can cache what they
 * looked up for it.
 */
export interface WireCommand {
  /** Its words on the wire: `['GET']`, `['CONFIG', 'SET']`. */
  readonly words: readonly string[];
  /** Whether it may block in the server (BLPOP; XREAD with BLOCK). It then gets a separate connection. */
  readonly blocks?: boolean | ((args: readonly Argument[]) => boolean);
  /**
   * Whether it may be executed twice: it is sent again if the connection was lost before the answer came. Commands that
   * only read always may.
   */
  readonly isRepeatable?: boolean;
  /** Of EVALSHA: what is sent if the server does not have the script. */
  readonly inFull?: ScriptInFull;
}

/** A script that is sent as text: `source` is the first argument. */
export interface ScriptInFull {
  readonly command: WireCommand;
  readonly source: string;
}

/** The command as error texts name it. */
export function nameOf({ words, inFull }: WireCommand): string {
  // The digest of a script says nothing.
  return words.length === 1 || inFull !== undefined ? (words[0] as string) : words.join(' ');
}

/** Converts the reply to what a typed method returns. Not called with an error. */
export type ReplyTransformer = (reply: Value<Shape>) => unknown;

/**
 * Runs commands for the typed methods: stores, sync stores and queues implement it, and the methods of `Commands` are mixed
 * into their prototypes. `run` sends the words and `args`, and returns the transformed reply in the store's mode: as a
 * promise, synchronously, or queued. It neither changes `args` nor keeps it after the call.
 */
export interface CommandRunner {
  run(command: WireCommand, args: readonly Argument[], transform?: ReplyTransformer): unknown;
}
