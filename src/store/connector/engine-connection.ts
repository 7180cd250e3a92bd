import { EMPTY_BUFFER } from '../../bytes/bytes.js';
import { wideBuffer } from '../../bytes/wide-buffer.js';
import {
  type ConnectionFigures,
  type OutputSink,
  type Session,
  SessionGate,
} from '../../commands/session.js';
import { Parsed, RequestParser } from '../../resp/request-parser.js';
import type { Line, Peer } from './line.js';
import type { LocalConnections } from './local-connections.js';

/**
 * The engine's end of a connection within the process. It receives RESP as a server does from a socket, and executes it. The
 * host processes input and delivers output after the running code has returned, never during `receive` or a command. So a
 * client may use the engine again while it handles a delivery.
 */
export class EngineConnection implements Line, OutputSink {
  readonly session: Session;
  readonly #host: LocalConnections;
  readonly #peer: Peer;
  readonly #parser = new RequestParser();
  /** Input that has not been parsed yet. */
  #input: Buffer = EMPTY_BUFFER;
  #inputLength = 0;
  #outbox: Buffer[] = [];
  #outboxBytes = 0;
  /** The client will send nothing more. */
  #hasEnded = false;
  /** The client waits for `Peer.drained`. */
  #isAwaited = false;
  #willFlush = false;
  #isClosing = false;
  #isGone = false;

  constructor(host: LocalConnections, peer: Peer) {
    this.#host = host;
    this.#peer = peer;
    this.session = host.engine.openSession(this);
    this.session.address = this.session.localAddress = ADDRESS;
    this.session.isUnixSocket = true;
    host.opened(this);
  }

  // ---- from the client ----

  receive(chunk: string | Uint8Array): boolean {
    if (this.#isClosing) return true;
    if (this.#inputLength === 0) this.#host.workLater(this);
    if (typeof chunk === 'string') {
      if (this.#inputLength + chunk.length * MAX_BYTES_PER_UNIT > this.#input.length) {
        this.#makeRoom(Buffer.byteLength(chunk));
      }
      this.#inputLength += this.#input.utf8Write(chunk, this.#inputLength);
    } else {
      this.#makeRoom(chunk.length);
      this.#input.set(chunk, this.#inputLength);
      this.#inputLength += chunk.length;
    }
    this.#isAwaited = this.#hasEnoughInput;
    return !this.#isAwaited;
  }

  /** Whether the client should wait: much was sent in one go, or enough is queued behind a command that blocks. */
  get #hasEnoughInput(): boolean {
    if (this.#isClosing) return false;
    if (this.#inputLength >= MAX_INPUT) return true;
    const isBlocked = (this.session.gates & SessionGate.blocked) !== 0;
    return isBlocked && this.#inputLength + this.#parser.buffered >= MAX_HELD_INPUT;
  }

  end(): void {
    if (this.#hasEnded || this.#isGone) return;
    this.#hasEnded = true;
    this.#host.workLater(this);
  }

  gone(): void {
    if (this.#isGone) return;
    this.#isGone = this.#isClosing = true;
    this.#input = EMPTY_BUFFER;
    this.#inputLength = 0;
    this.#outbox = [];
    this.#outboxBytes = 0;
    this.#host.closed(this);
    this.#host.engine.closeSession(this.session);
  }

  #makeRoom(bytes: number): void {
    const needed = this.#inputLength + bytes;
    if (needed <= this.#input.length) return;
    const roomier = wideBuffer(Math.max(needed, this.#input.length * 2, MIN_INPUT));
    this.#input.copy(roomier, 0, 0, this.#inputLength);
    this.#input = roomier;
  }

  // ---- called by the host ----

  /** Executes the received input. */
  work(): void {
    if (this.#isGone) return;
    const length = this.#inputLength;
    if (length > 0 && !this.#isClosing) {
      const { statistics } = this.#host.engine;
      statistics.inputBytes += length;
      statistics.reads++;
      this.#parser.feed(this.#input, length);
      this.#inputLength = 0;
      this.resume();
      if (this.#input.length > MAX_KEPT_INPUT) this.#input = EMPTY_BUFFER;
    }
    if (this.#hasEnded) this.close('flushed');
  }

  /** Delivers the queued output. */
  flush(): void {
    this.#willFlush = false;
    if (this.#outbox.length > 0) {
      const all = this.#outbox.length === 1 ? (this.#outbox[0] as Buffer) : Buffer.concat(this.#outbox);
      this.#outbox = [];
      this.#outboxBytes = 0;
      const { statistics } = this.#host.engine;
      statistics.outputBytes += all.length;
      statistics.writes++;
      this.#peer.deliver(all);
    }
    if (this.#isAwaited && !this.#hasEnoughInput) {
      this.#isAwaited = false;
      this.#peer.drained();
    }
    if (!this.#isClosing || this.#isGone) return;
    this.gone();
    this.#peer.ended();
  }

  /** The engine is closing. */
  shutDown(): void {
    this.#peer.closing();
    this.close('flushed');
  }

  // ---- called by the engine ----

  resume(): void {
    if (this.#isClosing) return;
    const { engine, writer } = this.#host;
    try {
      engine.beginTurn();
      const parsed = this.#executeAll();
      engine.statistics.endChunk();
      this.#parser.finish();
      if (parsed === Parsed.broken) {
        writer.error(`ERR Protocol error: ${this.#parser.error}`);
        this.close('flushed');
      }
      this.#queueReplies();
    } catch (error) {
      // A defect, or too little memory for the input: only this client is disconnected.
      engine.failureText(error);
      writer.reset();
      this.close('now');
    }
    this.session.lastActiveAt = engine.keyspace.now;
    engine.endTurn();
    if (this.#isAwaited && !this.#hasEnoughInput) this.#flushLater();
  }

  send(bytes: Buffer): void {
    if (!this.#isClosing) this.#queue(bytes);
  }

  close(when: 'flushed' | 'now'): void {
    this.#isClosing = this.session.closing = true;
    if (when === 'flushed') {
      this.#flushLater();
    } else {
      this.gone();
      this.#peer.cut();
    }
  }

  get pending(): number {
    return this.#outboxBytes;
  }

  figures(): ConnectionFigures {
    const { buffered, bufferSize } = this.#parser;
    return {
      queryBuffer: buffered,
      queryBufferFree: Math.max(0, bufferSize - buffered),
      inputMemory: Math.max(buffered, bufferSize),
      argumentBytes: this.#parser.argumentBytes,
      // Replies are passed on as they are: there is no buffer for them.
      replySize: 0,
      replyPeak: 0,
      replies: 0,
      output: this.#outboxBytes,
      outputPieces: this.#outbox.length,
      events: this.#outboxBytes > 0 ? 'rw' : 'r',
    };
  }

  /** Runs all complete commands, until the client is blocked or closed. */
  #executeAll(): Parsed {
    const { engine, writer, limits } = this.#host;
    const parser = this.#parser;
    const { session } = this;
    while ((session.gates & SessionGate.blocked) === 0 && !this.#isClosing) {
      parser.trusted = (session.gates & SessionGate.unauthenticated) === 0;
      const parsed = parser.next(limits);
      if (parsed !== Parsed.command) return parsed;
      engine.execute(session, parser.args, parser.argc, writer);
      if (writer.length > MAX_BATCH) this.#queueReplies();
    }
    if (session.postponed) {
      session.postponed = false;
      parser.putBack();
    }
    return Parsed.incomplete;
  }

  /** Queues the writer's content, which are replies to this client. */
  #queueReplies(): void {
    const { writer } = this.#host;
    if (writer.length === 0) return;
    this.#queue(writer.copyFrom(0));
    writer.reset();
  }

  #queue(bytes: Buffer): void {
    if (this.#isGone) return;
    this.#outbox.push(bytes);
    this.#outboxBytes += bytes.length;
    this.#flushLater();
  }

  #flushLater(): void {
    if (this.#willFlush || this.#isGone) return;
    this.#willFlush = true;
    this.#host.flushLater(this);
  }
}

/** The address in CLIENT LIST; such a client counts as local. */
const ADDRESS = 'embedded:0';

/** A UTF-16 code unit takes at most this many bytes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;
const MIN_INPUT = 1 << 12;
const MAX_KEPT_INPUT = 1 << 18;

/** The client waits when this much was sent in one go, or is queued behind a command that blocks. */
const MAX_INPUT = 1 << 20;
const MAX_HELD_INPUT = 1 << 16;

/** Replies are taken from the writer when they exceed this many bytes. */
const MAX_BATCH = 1 << 20;
