import { EMPTY_BUFFER } from '../bytes/bytes.js';
import { type OutputSink, type Session, SessionGate } from '../commands/session.js';
import type { Engine } from '../engine/engine.js';
import { Parsed, RequestParser } from '../resp/request-parser.js';
import { RespWriter } from '../resp/resp-writer.js';
import type { ReplicationStream } from './stream.js';

/**
 * Executes the stream of a master, as a client that no check refuses. A transaction counts as applied with its EXEC. What is
 * applied is passed on, verbatim, to our own replicas.
 */
export class MasterStream {
  readonly session: Session;
  /** Bytes of the stream that have been read and, up to complete units, applied. */
  read: number;
  applied: number;
  readonly #engine: Engine;
  readonly #stream: ReplicationStream;
  readonly #parser = new RequestParser();
  readonly #writer = new RespWriter(1 << 12);
  /** Whether its commands are being executed. */
  isApplying = false;
  /** Bytes that are read and not applied. */
  #unapplied: Buffer[] = [];
  #isClosed = false;

  constructor(engine: Engine, stream: ReplicationStream, sink: OutputSink, db: number) {
    this.#engine = engine;
    this.#stream = stream;
    this.read = this.applied = stream.history.offset;
    this.#parser.takesLines = false;
    const session = engine.openSession(sink);
    session.kind = 'master';
    engine.users.trust(session);
    session.db = engine.database(db);
    this.session = session;
  }

  /** Returns what is wrong with the input; undefined if nothing is. */
  receive(chunk: Buffer): string | undefined {
    this.read += chunk.length;
    this.#engine.statistics.inputBytes += chunk.length;
    this.#parser.feed(chunk, chunk.length);
    return this.#apply(chunk);
  }

  /** Continues after a pause (CLIENT PAUSE), which holds back the commands of the master, too. */
  resume(): string | undefined {
    return this.#isClosed ? undefined : this.#apply(EMPTY_BUFFER);
  }

  #apply(chunk: Buffer): string | undefined {
    const engine = this.#engine;
    const parser = this.#parser;
    engine.beginTurn();
    this.isApplying = true;
    const parsed = engine.keyspace.asRecorded(() => this.#executeAll());
    this.isApplying = false;
    this.session.lastActiveAt = engine.keyspace.now;
    engine.endTurn();
    parser.finish();
    if (!this.#isClosed) this.#passOn(chunk);
    return parsed === Parsed.broken ? parser.error : undefined;
  }

  #executeAll(): Parsed {
    const engine = this.#engine;
    const parser = this.#parser;
    const { session } = this;
    while ((session.gates & SessionGate.blocked) === 0) {
      const parsed = parser.next(NO_LIMITS);
      if (parsed !== Parsed.command) return parsed;
      engine.execute(session, parser.args, parser.argc, this.#writer);
      if (this.#isClosed) return Parsed.incomplete;
      if (session.postponed) {
        session.postponed = false;
        parser.putBack();
        break;
      }
      if ((session.gates & SessionGate.blocked) !== 0) engine.unblock(session);
      if (session.queue === undefined) this.applied = this.read - (parser.end - parser.at);
      if (this.#writer.length > 0) this.#checkReply();
    }
    return Parsed.incomplete;
  }

  /** A command that fails here succeeded on the master: the data differs. */
  #checkReply(): void {
    const writer = this.#writer;
    if (writer.buffer[0] === MINUS) {
      const text = writer.buffer.latin1Slice(1, Math.min(writer.length, MAX_SHOWN)).trim();
      const command = this.session.lastCommand?.fullName ?? '';
      this.#engine.host.log(
        'warning',
        `== CRITICAL == This replica is sending an error to its master: '${text}' after processing the command '${command}'`,
      );
    }
    writer.reset();
  }

  /** Sends applied bytes to our own replicas. */
  #passOn(chunk: Buffer): void {
    const stream = this.#stream;
    let count = this.applied - stream.history.offset;
    if (this.#unapplied.length === 0 && count === chunk.length) {
      stream.bytes(chunk, 0, count);
      return;
    }
    if (chunk.length > 0) this.#unapplied.push(Buffer.from(chunk));
    while (count > 0) {
      const first = this.#unapplied[0] as Buffer;
      const taken = Math.min(count, first.length);
      stream.bytes(first, 0, taken);
      count -= taken;
      if (taken === first.length) this.#unapplied.shift();
      else this.#unapplied[0] = first.subarray(taken);
    }
  }

  /** Bytes that are not applied are dropped; the master is asked for them again. */
  close(): void {
    this.#isClosed = true;
    this.#unapplied = [];
    this.#engine.closeSession(this.session);
  }
}

const NO_LIMITS = { maxBulkLength: Number.MAX_SAFE_INTEGER };
const MINUS = 45;
const MAX_SHOWN = 200;
