import type { Bytes } from '../bytes/bytes.js';
import type { Keyspace } from '../keyspace/keyspace.js';
import type { Type } from '../keyspace/kinds.js';
import type { Reply } from '../resp/reply.js';
import type { Call } from './call.js';
import type { Settings } from './config/settings.js';
import type { Session } from './session.js';
import type { CommandTable } from './table.js';

/**
 * A client waiting for keys. `serve` is called, in the order in which clients began to wait, when a key of that type
 * has come to be; it takes what it waited for and replies through `call` (whose session, database and reply are the
 * waiting client's), or returns false and waits on.
 */
export interface Wait {
  readonly keys: readonly Bytes[];
  readonly type: Type;
  /** Unix ms; 0 is never. */
  readonly deadline: number;
  serve(call: Call, key: Bytes): boolean;
  timedOut(reply: Reply): void;
  /** The error that CLIENT UNBLOCK … ERROR sends is the engine's; this is only for types that end otherwise (streams). */
  keyGone?(call: Call, key: Bytes): boolean;
}

/** What commands may ask of the engine that runs them. The engine implements it; commands never see more. */
export interface EnginePort {
  readonly keyspace: Keyspace;
  readonly table: CommandTable;
  readonly settings: Settings;
  /** CONFIG RESETSTAT. */
  resetStatistics(): void;
  /** CONFIG REWRITE. */
  rewriteSettings(): void;
  block(session: Session, wait: Wait): void;
}
