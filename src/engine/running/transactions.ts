import { Bytes } from '../../bytes/bytes.js';
import type { Call } from '../../commands/call.js';
import type { TransactionsPort } from '../../commands/engine-port.js';
import { CommandError } from '../../commands/errors.js';
import { FLAG } from '../../commands/flag.js';
import { type Session, SessionGate } from '../../commands/session.js';
import type { Command } from '../../commands/table.js';
import type { ReplyTarget } from '../../resp/reply.js';
import type { WatchedKeys } from '../clients/watched-keys.js';
import type { Engine } from '../engine.js';

/**
 * MULTI to EXEC. While a session has a queue, its gate is set, and the engine queues its commands here instead of running
 * them, except the few that control the transaction.
 */
export class Transactions implements TransactionsPort {
  /** True while EXEC runs: some commands may have run, and none is recorded yet. */
  isExecuting = false;
  readonly #engine: Engine;
  readonly #watched: WatchedKeys;

  constructor(engine: Engine, watched: WatchedKeys) {
    this.#engine = engine;
    this.#watched = watched;
  }

  begin(session: Session): void {
    session.queue = [];
    session.queuedFlags = 0;
    session.queuesFresh = false;
    session.queueFailed = false;
    session.gates |= SessionGate.transaction;
  }

  /** Whether the command must be queued for EXEC. */
  queues(session: Session, command: Command): boolean {
    return session.queue !== undefined && !RUN_AT_ONCE.has(command.fullName);
  }

  /** Queues a copy of the command, unless the transaction can no longer succeed. */
  enqueue(session: Session, command: Command, args: readonly Bytes[], argc: number): void {
    if (session.queueFailed || session.watchFailed) return;
    const copies = copyOf(args, argc);
    session.queue?.push({ command, args: copies });
    session.queuedBytes += (copies[0] as Bytes).buf.length + argc * ARGUMENT_BYTES;
    const flags = this.#engine.scripting.commandFlags(command, args);
    session.queuedFlags |= flags;
    if ((flags & FLAG.stale) === 0) session.queuesFresh = true;
  }

  execute(call: Call): void {
    const { session } = call;
    const { queue } = session;
    if (queue === undefined) throw new CommandError('ERR EXEC without MULTI');
    const expired = this.#watched.someExpired(session);
    if (session.queueFailed) {
      this.discard(session);
      throw new CommandError('EXECABORT Transaction discarded because of previous errors.');
    }
    if (expired || session.watchFailed) {
      this.discard(session);
      call.reply.nullArray();
      return;
    }
    this.unwatch(session);
    const { length } = queue;
    if (!this.#engine.execution.isMuted(session)) call.reply.array(length);
    let isRefused = false;
    this.isExecuting = true;
    try {
      for (let i = 0; i < length; i++) {
        const { command, args } = queue[i] as (typeof queue)[number];
        const runs = this.#engine.execution.runQueued(session, command, args, call.reply as ReplyTarget);
        isRefused ||= !runs;
      }
    } finally {
      this.isExecuting = false;
    }
    if (isRefused) this.#engine.statistics.countFailed(call.command.id);
    this.discard(session);
    // The effects of the queued commands have been recorded; EXEC itself is not recorded.
    call.effects.replaceByNothing();
  }

  /** Ends the transaction because EXEC was refused; returns the error to reply. */
  abort(session: Session, reason: CommandError): CommandError {
    this.discard(session);
    return new CommandError(
      `EXECABORT Transaction discarded because of: ${reason.text.replace(/^ERR /, '')}`,
    );
  }

  discard(session: Session): void {
    session.queue = undefined;
    session.queuedBytes = 0;
    session.queuedFlags = 0;
    session.queuesFresh = false;
    session.queueFailed = false;
    session.gates &= ~(SessionGate.transaction | SessionGate.asking);
    this.unwatch(session);
  }

  watch(session: Session, key: Bytes): void {
    // Once a watched key has changed, EXEC fails anyway.
    if (session.watchFailed) return;
    this.#watched.add(session, key);
  }

  unwatch(session: Session): void {
    if (session.watched.length === 0 && !session.watchFailed) return;
    session.watchFailed = false;
    this.#watched.removeAll(session);
  }
}

/** Never queued. WATCH and MULTI reply with an error inside MULTI. */
const RUN_AT_ONCE = new Set(['exec', 'discard', 'multi', 'watch', 'quit', 'reset']);

/** The approximate overhead of an argument in memory. */
const ARGUMENT_BYTES = 48;

/** Copies the arguments into one new buffer. */
function copyOf(args: readonly Bytes[], argc: number): Bytes[] {
  let size = 0;
  for (let i = 0; i < argc; i++) size += (args[i] as Bytes).length;
  const buffer = Buffer.allocUnsafeSlow(size);
  const copies: Bytes[] = [];
  let at = 0;
  for (let i = 0; i < argc; i++) {
    const end = (args[i] as Bytes).writeTo(buffer, at);
    copies.push(new Bytes(buffer, at, end));
    at = end;
  }
  return copies;
}
