import { type OutputSink, type Session, SessionGate } from '../../commands/session.js';
import { ReplyReader } from '../../resp/reply-reader.js';
import type { WireCommand } from '../command-runner.js';
import { StoreError, storeClosed } from '../store-error.js';
import type { Reply } from '../transport.js';
import type { Argument } from '../value.js';
import type { EmbeddedEngine } from './embedded-engine.js';

const reader = new ReplyReader<StoreError>((text) => StoreError.fromReply(text));

/** One session of an embedded engine. Commands run synchronously. An error reply is returned as a value. */
export class EmbeddedClient implements OutputSink {
  readonly pending = 0;
  readonly embedded: EmbeddedEngine;
  readonly #database: number;
  #session: Session | undefined;
  hasEnded = false;
  /** Called when delayed commands may run: first the end of `stayAwake`, then their callers. */
  #resumed: (() => void)[] = [];
  /** Receives bytes that are not the reply of a running command: the reply of a blocked command, or messages. */
  onPush: (bytes: Buffer) => void = () => {};
  /** Called when CLIENT KILL ends the session. */
  onClose: () => void = () => {};
  /** Called when the session ends for any reason. */
  onLeave: () => void = () => {};

  constructor(embedded: EmbeddedEngine, database: number) {
    this.embedded = embedded;
    this.#database = database;
  }

  get session(): Session {
    this.#session ??= this.#open();
    return this.#session;
  }

  #open(): Session {
    const { engine } = this.embedded;
    const session = engine.openSession(this);
    session.db = engine.database(this.#database);
    // The program that embeds the engine needs no password and no permissions.
    engine.users.trust(session);
    // WAIT covers what other sessions of the store have written.
    session.streamOffset = engine.replication.offset;
    return session;
  }

  /**
   * Runs a command and returns its reply; undefined if CLIENT PAUSE delays it: call again when `resumed` resolves. A command
   * that would block replies as if it had timed out.
   */
  call(command: WireCommand, args: readonly Argument[], format: number): Reply | undefined {
    const session = this.#session ?? this.session;
    if ((session.gates & SessionGate.blocked) !== 0) return undefined;
    const reply = this.#execute(session, command, args, format);
    return reply === undefined && !session.postponed ? this.#endWait(session, format) : reply;
  }

  /** Like `call`, but lets the command block. It then returns undefined, and `onPush` receives the reply. */
  callWaiting(command: WireCommand, args: readonly Argument[], format: number): Reply | undefined {
    return this.#execute(this.session, command, args, format);
  }

  #execute(
    session: Session,
    command: WireCommand,
    args: readonly Argument[],
    format: number,
  ): Reply | undefined {
    const { engine, commands, request, reply } = this.embedded;
    const known = commands.of(command);
    request.fill(known.words, args);
    session.postponed = false;
    engine.beginCall();
    reply.begin(format);
    const { args: all, argc } = request;
    engine.executeFound(session, known.withArguments(all, argc), all, argc, reply);
    const value = reply.take();
    engine.endCall();
    return value;
  }

  #endWait(session: Session, format: number): Reply {
    const { engine } = this.embedded;
    let reply: Reply = null;
    const { onPush } = this;
    this.onPush = (bytes) => {
      reply = readPush(bytes, format);
    };
    engine.beginTurn();
    engine.unblock(session);
    engine.endTurn();
    this.onPush = onPush;
    return reply;
  }

  /** Whether CLIENT PAUSE delays the last command. */
  get isPaused(): boolean {
    return this.session.postponed;
  }

  /** Resolves when delayed commands may be called again, in the order of the calls. */
  resumed(): Promise<void> {
    if (this.#resumed.length === 0) this.#resumed.push(this.embedded.stayAwake());
    return new Promise((resolve) => this.#resumed.push(resolve));
  }

  // ---- called by the engine ----

  send(bytes: Buffer): void {
    this.onPush(bytes);
  }

  resume(): void {
    const resumed = this.#resumed;
    this.#resumed = [];
    for (const resolve of resumed) resolve();
  }

  close(): void {
    this.leave();
    this.onClose();
  }

  /** The store is closed: calls that CLIENT PAUSE delays end. */
  end(): void {
    this.hasEnded = true;
    this.leave();
  }

  /** Ends the session; a later call opens another. */
  leave(): void {
    const session = this.#session;
    if (session === undefined) return;
    this.#session = undefined;
    this.embedded.engine.closeSession(session);
    this.resume();
    this.onLeave();
  }
}

/** Reads bytes that a client was sent as a value. */
export function readPush(bytes: Buffer, format: number): Reply {
  return reader.read(bytes, 0, format);
}

/** Runs a command as soon as CLIENT PAUSE allows it. Rejects with `CLOSED` if the store is closed before. */
export async function callWhenFree(
  client: EmbeddedClient,
  command: WireCommand,
  args: readonly Argument[],
  format: number,
): Promise<Reply> {
  for (;;) {
    if (client.hasEnded) throw storeClosed();
    const reply = client.call(command, args, format);
    if (reply !== undefined) return reply;
    await client.resumed();
  }
}
