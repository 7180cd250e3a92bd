import type { WireBytes } from './wire-bytes.js';

/** A command or subcommand, as the command line documents it. */
export interface CommandEntry {
  /** `CONFIG GET` */
  readonly name: string;
  readonly syntax: string;
  readonly summary: string;
  readonly group: string;
  readonly since: string;
  readonly complexity: string;
  readonly flags: readonly string[];
  /** Other clients may have to wait for it: KEYS, FLUSHALL, DEBUG … */
  readonly isDangerous: boolean;
  /** A read-only console runs it. */
  readonly isReadOnly: boolean;
}

/** A reply, cut to a size that a browser can show. */
export type ShownReply =
  | { readonly kind: 'bytes'; readonly value: WireBytes; readonly length: number }
  | { readonly kind: 'integer'; readonly value: string }
  | { readonly kind: 'null' }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'list'; readonly elements: readonly ShownReply[]; readonly length: number };

export interface CommandResult {
  readonly reply: ShownReply;
  /** How long it took, in ms, with the way there and back. */
  readonly ms: number;
}
