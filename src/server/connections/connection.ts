import type { Socket } from 'node:net';
import type { OutputLimits } from '../../commands/config/output-limits.js';
import { classOf, sessionBytes } from '../../commands/connection/client-line.js';
import {
  type ConnectionFigures,
  type DebugChannel,
  type OutputSink,
  type Session,
  SessionGate,
} from '../../commands/session.js';
import type { Engine } from '../../engine/engine.js';
import { Parsed, type ParserLimits, RequestParser } from '../../resp/request-parser.js';
import type { RespWriter } from '../../resp/resp-writer.js';
import type { DebugCopies } from '../debugging/debug-copies.js';
import { DescriptorChannel } from '../debugging/descriptor-channel.js';
import { HandedOver } from '../debugging/handed-over.js';
import type { ClientMemory } from './client-memory.js';
import { ClientOutput, MAX_BATCH_BYTES } from './client-output.js';
import type { DeferredReplies } from './deferred-replies.js';
import { readWaiting } from './descriptor-input.js';
import type { Endpoints } from './endpoints.js';
import type { LookAhead } from './look-ahead.js';
import { QueryBufferSize } from './query-buffer-size.js';
import type { StreamTransport } from './stream-client.js';

/** Shared by all connections of a server. */
export interface ConnectionHost {
  readonly engine: Engine;
  /** One input buffer and one reply buffer for all clients: each chunk is processed before the next is read. */
  readonly input: Buffer;
  readonly writer: RespWriter;
  readonly limits: ParserLimits;
  readonly lookAhead: LookAhead;
  readonly outputLimits: OutputLimits;
  /** `client-query-buffer-limit` */
  readonly maxQueryBytes: number;
  readonly clients: ClientMemory;
  readonly debugCopies: DebugCopies;
  /** Undefined if replies are sent at once. */
  readonly deferred: DeferredReplies | undefined;
  /** Connections whose TLS handshake is not complete: no clients yet, but they count towards `maxclients`. */
  readonly handshakes: number;
  /** Sends the connection's output at the end of the running turn. */
  sendLater(connection: Connection): void;
  /** Sends the output of all others now. */
  sendToOthers(connection: Connection): void;
  opened(connection: Connection): void;
  closed(connection: Connection): void;
}

/**
 * One client's socket. Input is read in chunks, parsed and executed; all replies to a chunk are sent in one write
 * (`ClientOutput`).
 */
export class Connection implements OutputSink {
  readonly session: Session;
  readonly output: ClientOutput;
  /** Memory of this connection, as last reported to the host. */
  memory = 0;
  /**
   * Reads the input that has arrived, without the event loop; undefined at its end. Not set if that is read from the descriptor, or
   * impossible.
   */
  readDuringScript: (() => Buffer | undefined) | undefined;
  readonly #host: ConnectionHost;
  readonly #socket: Socket;
  readonly #fd: number;
  readonly #parser = new RequestParser();
  readonly #querySize = new QueryBufferSize();
  #isWorking = false;
  /** The socket is not being read: see `#hasEnoughInput`. */
  #isPaused = false;
  /** Reading stops when this many bytes of input wait. */
  #maxHeldInput = MAX_HELD_INPUT;
  #isClosing = false;
  /** The peer will send nothing more, but replies are held back for it. */
  #peerEnded = false;
  /** Set when a debugger has taken the connection over: it gets all input. */
  #handedOver: HandedOver | undefined;

  constructor(
    host: ConnectionHost,
    socket: Socket,
    fd: number,
    endpoints: Endpoints,
    transport?: StreamTransport,
  ) {
    this.#host = host;
    this.#socket = socket;
    this.#fd = fd;
    this.output = new ClientOutput(host, this, socket, fd, transport);
    const session = host.engine.openSession(this);
    session.fd = fd;
    session.address = endpoints.address;
    session.localAddress = endpoints.localAddress;
    session.isUnixSocket = endpoints.isUnixSocket;
    this.session = session;
    host.opened(this);
  }

  // ---- reading ----

  /** Executes `length` bytes of input in the shared buffer. Returns whether to continue reading. */
  received(length: number): boolean {
    if (this.#isClosing) {
      this.#handedOver?.received(this.#host.input.subarray(0, length));
      return true;
    }
    const { statistics } = this.#host.engine;
    statistics.inputBytes += length;
    statistics.reads++;
    try {
      this.#parser.feed(this.#host.input, length);
      this.#querySize.received(this.#parser.end);
      this.#processInput();
    } catch (error) {
      this.#fail(error);
    }
    this.session.lastActiveAt = this.#host.engine.keyspace.now;
    if (this.#parser.buffered > this.#host.maxQueryBytes) this.dropFor('query buffer limit');
    this.#isPaused = this.#hasEnoughInput;
    return !this.#isPaused;
  }

  /** The bytes missing of a large argument that is arriving. */
  get missingBytes(): number {
    return this.#isClosing ? 0 : this.#parser.missingBytes;
  }

  get #isBlocked(): boolean {
    return (this.session.gates & SessionGate.blocked) !== 0;
  }

  /**
   * Whether reading must stop: the client's commands have to wait, and enough of them are buffered. The rest stays in
   * the kernel, which stops the client from sending when its buffers are full.
   */
  get #hasEnoughInput(): boolean {
    const isBlocked = (this.session.gates & SessionGate.blocked) !== 0;
    return (isBlocked || this.output.isBackedUp) && this.#parser.buffered >= this.#maxHeldInput;
  }

  /**
   * Reads a blocked client a little further, up to `client-query-buffer-limit` over time. That its peer has closed the
   * connection shows only behind everything it has sent; until then the client would be given elements that are lost.
   */
  #readFurther(): void {
    if (!this.#isPaused || !this.#isBlocked) return;
    this.#maxHeldInput = this.#parser.buffered + HELD_INPUT_STEP;
    this.#isPaused = false;
    this.#socket.resume();
  }

  resume(): void {
    if (this.#isClosing) return;
    try {
      this.#processInput();
    } catch (error) {
      this.#fail(error);
    }
    if (this.#isClosing) return;
    this.#maxHeldInput = MAX_HELD_INPUT;
    if (!this.#isPaused || this.#hasEnoughInput) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  // ---- parsing and executing ----

  #processInput(): void {
    const { engine, writer } = this.#host;
    const { output } = this;
    const parser = this.#parser;
    if (output.queuedBytes > 0) output.flush();
    this.#isWorking = true;
    const inputBytes = parser.end - parser.at;
    const isShort = inputBytes < SHORT_INPUT;
    if (isShort) engine.beginCall(UNTIMED);
    else engine.beginTurn();
    const parsed = this.#executeAll();
    if (isShort) engine.statistics.endLone();
    else engine.statistics.endChunk();
    parser.finish();
    if (parsed === Parsed.broken) {
      writer.error(`ERR Protocol error: ${parser.error}`);
      this.#isClosing = true;
    }
    output.sendReplies(inputBytes < MAX_DEFERRING_INPUT);
    this.#isWorking = false;
    if (this.#isClosing && !output.isGone) this.close('flushed');
    if (isShort) engine.endCall();
    else engine.endTurn();
    this.account();
  }

  /** Runs all complete commands, until the client blocks or is closed. */
  #executeAll(): Parsed {
    const { lookAhead } = this.#host;
    try {
      return this.#executeUntilOver();
    } finally {
      lookAhead.forget();
    }
  }

  #executeUntilOver(): Parsed {
    const { engine, writer, limits, lookAhead } = this.#host;
    const parser = this.#parser;
    const { session, output } = this;
    let { gates } = session;
    parser.trusted = (gates & SessionGate.unauthenticated) === 0;
    let seen = 0;
    while ((gates & SessionGate.blocked) === 0 && !this.#isClosing && !output.isBackedUp) {
      if (parser.at >= seen) seen = lookAhead.read(parser.buffer, parser.at, parser.end, session.db);
      const parsed = parser.next(limits);
      if (parsed !== Parsed.command) return parsed;
      engine.execute(session, parser.args, parser.argc, writer);
      if (writer.length > MAX_BATCH_BYTES || writer.isAbandoned) output.sendReplies(false);
      if (session.gates !== gates) {
        gates = session.gates;
        parser.trusted = (gates & SessionGate.unauthenticated) === 0;
      }
    }
    if (session.postponed) {
      session.postponed = false;
      parser.putBack();
    }
    return Parsed.incomplete;
  }

  /** A defect, or too little memory for this client's input: only this client is closed. */
  #fail(error: unknown): void {
    const { engine, writer } = this.#host;
    engine.failureText(error);
    writer.reset();
    this.#isWorking = false;
    this.close('now');
    engine.endTurn();
  }

  /**
   * Called during a slow script: reads the client's input directly from the descriptor and replies to it. `buffer` and
   * `writer` must not be the shared ones, which the script's own client is using.
   */
  serveDuringScript(buffer: Buffer, writer: RespWriter): void {
    const mustWait = this.#isBlocked || this.output.isBackedUp;
    if (this.#isWorking || this.#isClosing || mustWait) return;
    const input = this.#inputDuringScript(buffer);
    // A script may wait for this: INFO shows how many replicas there are.
    if (input === undefined && this.session.kind === 'replica') this.close('now');
    if (input === undefined || input.length === 0) return;
    const { engine, limits } = this.#host;
    const parser = this.#parser;
    engine.statistics.inputBytes += input.length;
    engine.statistics.reads++;
    parser.feed(input, input.length);
    let parsed = parser.next(limits);
    for (; parsed === Parsed.command && !this.#isClosing; parsed = parser.next(limits)) {
      engine.execution.executeDuringScript(this.session, parser.args, parser.argc, writer);
    }
    parser.finish();
    if (parsed === Parsed.broken) writer.error(`ERR Protocol error: ${parser.error}`);
    if (writer.length > 0) this.output.write(writer.buffer, 0, writer.length);
    writer.reset();
    if (parsed === Parsed.broken) this.close('flushed');
  }

  /** The input that has arrived; undefined at its end. */
  #inputDuringScript(buffer: Buffer): Buffer | undefined {
    if (this.readDuringScript !== undefined) return this.readDuringScript();
    const length = this.#fd < 0 ? 0 : readWaiting(this.#fd, buffer);
    return length < 0 ? undefined : buffer.subarray(0, length);
  }

  // ---- replying ----

  mayReply(bytes: number): boolean {
    return this.output.mayReply(bytes);
  }

  send(bytes: Buffer): void {
    if (!this.#isClosing) this.output.add(bytes, this.#isWorking);
  }

  sendNow(bytes: Buffer): void {
    // Replies of the command that is running come first.
    if (this.#isWorking) this.send(Buffer.from(bytes));
    else if (!this.#isClosing) this.output.sendNow(bytes);
  }

  whenSent(work: () => void): void {
    this.output.whenSent(work);
  }

  get pending(): number {
    return this.output.pending;
  }

  setDelay(isAllowed: boolean): void {
    this.#socket.setNoDelay(!isAllowed);
  }

  // ---- debugging of scripts ----

  debugChannel(): DebugChannel | undefined {
    this.output.endDeferral();
    return this.#fd < 0 ? undefined : new DescriptorChannel(this.#fd);
  }

  debugOnCopy(words: readonly Uint8Array[]): void {
    this.#host.debugCopies.start(this.session, words, (receive) => {
      this.output.endDeferral();
      this.gone();
      this.#handedOver = new HandedOver(this.#socket, receive, () => this.output.endStream());
      return this.#handedOver;
    });
  }

  // ---- memory and figures ----

  /** Reports the client's memory to the host, which may drop it. */
  account(): void {
    if (this.output.isGone) return;
    // The replication stream counts where it is kept.
    const output = this.session.kind === 'replica' ? 0 : this.output.pending;
    const bytes = this.#parser.bufferSize + output + sessionBytes(this.session);
    const change = bytes - this.memory;
    if (change === 0) return;
    this.memory = bytes;
    this.#host.clients.changed(change);
  }

  figures(): ConnectionFigures {
    const { buffered, bufferSize, commandBytes, argumentBytes } = this.#parser;
    return {
      queryBuffer: buffered,
      queryBufferFree: Math.max(0, bufferSize - buffered, this.#querySize.size - buffered),
      inputMemory: Math.max(buffered, bufferSize),
      argumentBytes: this.#isWorking || this.#isBlocked ? commandBytes : argumentBytes,
      ...this.output.figures(this.#isWorking ? this.#host.writer.length : 0),
    };
  }

  /** Called at ticks: adapts the buffer sizes that CLIENT LIST shows to the client's input and replies. */
  reviewBufferSizes(now: number): void {
    this.#querySize.review(this.#parser.buffered, now - this.session.lastActiveAt);
    this.output.reviewReplySize(now);
  }

  /** Called once a second: drops a client that is too slow, idle for too long, or gone while it was not read. */
  review(now: number, idleMs: number): void {
    if (now - this.session.lastActiveAt > TRIM_AFTER_MS) this.#parser.trim();
    this.account();
    if (this.#isClosing || this.output.reviewLimit()) return;
    this.#readFurther();
    const { session } = this;
    const mayIdle = classOf(session) !== 'normal' || this.#isBlocked;
    if (idleMs > 0 && !mayIdle && now - session.lastActiveAt > idleMs) {
      this.#host.engine.host.log('verbose', 'Closing idle client');
      this.close('now');
    }
  }

  // ---- closing ----

  /** Drops the client to free memory. */
  evict(): void {
    const { id, address, name } = this.session;
    this.#host.engine.host.log('notice', `Evicting client: id=${id} addr=${address} name=${name}`);
    this.close('now');
  }

  /** Drops the client because it exceeds a limit. */
  dropFor(reason: string): void {
    const { id, address, name } = this.session;
    const { host } = this.#host.engine;
    host.log(
      'warning',
      `Client id=${id} addr=${address} name=${name} scheduled to be closed ASAP: ${reason}.`,
    );
    this.close('now');
  }

  close(when: 'flushed' | 'now'): void {
    this.output.endDeferral();
    this.#isClosing = true;
    this.session.closing = true;
    if (when === 'now') {
      this.#socket.destroy();
      this.gone();
    } else if (!this.#isWorking) {
      this.output.end();
      // A client that reads its last reply may tell others, which must not find it any more.
      if (this.output.isHandedOn) this.#closeSession();
    }
  }

  #closeSession(): void {
    const { engine } = this.#host;
    if (engine.session(this.session.id) === this.session) engine.closeSession(this.session);
  }

  /** The peer will send nothing more. Commands already received are still answered. */
  ended(): void {
    this.#handedOver?.ended();
    if (this.output.isGone) return;
    this.close('flushed');
    if (this.output.endsLater) this.#peerEnded = true;
    else this.gone();
  }

  /** The replies that `close` had to wait for are sent. */
  outputEnded(): void {
    if (this.#peerEnded) this.gone();
    else if (this.output.isHandedOn) this.#closeSession();
  }

  /** The socket is closed, or the client is dropped. */
  gone(): void {
    this.#handedOver?.ended();
    if (this.output.isGone) return;
    this.output.abandon();
    this.#isClosing = true;
    this.session.closing = true;
    this.#host.clients.changed(-this.memory);
    this.#host.closed(this);
    this.#closeSession();
    this.output.stopWaiting();
  }
}

/** Less input is one command, or very few: of such inputs one is timed, and the next `UNTIMED` are not. */
const SHORT_INPUT = 128;
/**
 * Replies to more input than this are not deferred: they took long to compute, and the client should begin to read them. Measured with
 * redis-benchmark: with a limit of 2 KB, MGET and MSET of ten keys (4 and 5 KB in a pipeline of 16) and pipelines of 100 were 10 to 20 % slower.
 */
const MAX_DEFERRING_INPUT = 8 << 10;
const UNTIMED = 7;

/** The input buffer of a client that has sent nothing for this long is trimmed. */
const TRIM_AFTER_MS = 2000;

/** Reading stops when this much input waits behind a blocking command or unread replies. */
const MAX_HELD_INPUT = 1 << 16;

/** A blocked client is read this much further each second: what fits into the kernel's buffers in a few seconds. */
const HELD_INPUT_STEP = 1 << 20;
