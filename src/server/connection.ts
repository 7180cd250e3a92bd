import { readSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { OutputLimits } from '../commands/config/output-limits.js';
import { classOf, sessionBytes } from '../commands/connection/client-line.js';
import {
  type ConnectionFigures,
  type DebugChannel,
  type OutputSink,
  type Session,
  SessionGate,
} from '../commands/session.js';
import type { Engine } from '../engine/engine.js';
import { Parsed, type ParserLimits, RequestParser } from '../resp/request-parser.js';
import type { RespWriter } from '../resp/resp-writer.js';
import type { ClientMemory } from './client-memory.js';
import type { DebugCopies, HandedOver } from './debugging/debug-copies.js';
import { DescriptorChannel } from './debugging/descriptor-channel.js';
import type { DeferredReplies, DeferringClient } from './deferred-replies.js';
import type { Endpoints } from './endpoints.js';
import type { LookAhead } from './look-ahead.js';
import { ReplyBufferSize } from './reply-buffer-size.js';

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
  opened(connection: Connection): void;
  closed(connection: Connection): void;
}

/**
 * One client's socket. Input is parsed and executed in chunks; all replies to a chunk are sent in one write, directly
 * to the descriptor (-1 for TLS, which writes to the stream). Bytes that the kernel does not take at once are written to the stream, in order, and count
 * towards the client's limit: a client that exceeds it is dropped, with its unsent replies. Without a limit, further
 * commands of the client wait instead until it has read its replies.
 */
export class Connection implements OutputSink, DeferringClient {
  readonly session: Session;
  readonly #host: ConnectionHost;
  readonly #socket: Socket;
  readonly #fd: number;
  readonly #parser = new RequestParser();
  #outbox: Buffer[] = [];
  #outboxBytes = 0;
  /** Called when everything is sent. */
  #afterSending: (() => void)[] = [];
  /** The part of `#outboxBytes` that is held back by `Engine.replyHolders`. */
  #heldBytes = 0;
  /** Set if the connection must be closed after the held replies are sent. */
  #afterFlush: { readonly peerEnded: boolean } | undefined;
  /** Replies wait in `ConnectionHost.deferred`. They must be sent before anything else. */
  #isDeferred = false;
  /** Memory of this connection, as last reported to the host. */
  memory = 0;
  /** Since when the output exceeds the soft limit, in Unix ms; 0 if it does not. */
  #overSoftSince = 0;
  readonly #replySize = new ReplyBufferSize();
  #isWorking = false;
  /** The socket is not being read: see `#hasEnoughInput`. */
  #isPaused = false;
  /** Reading stops when this many bytes of input wait. */
  #maxHeldInput = MAX_HELD_INPUT;
  /** So much output is unsent that no further commands run until the client has read it. */
  #isBackedUp = false;
  #isClosing = false;
  /** The descriptor must not be used any more: it may already belong to another connection. */
  #isGone = false;
  /** Set when a debugger has taken the connection over: gets all input, and undefined at its end. */
  #receiver: ((bytes: Buffer | undefined) => void) | undefined;

  constructor(host: ConnectionHost, socket: Socket, fd: number, endpoints: Endpoints) {
    this.#host = host;
    this.#socket = socket;
    this.#fd = fd;
    const session = host.engine.openSession(this);
    session.fd = fd;
    session.address = endpoints.address;
    session.localAddress = endpoints.localAddress;
    session.isUnixSocket = endpoints.isUnixSocket;
    this.session = session;
    host.opened(this);
  }

  /** Executes `length` bytes of input in the shared buffer. Returns whether to continue reading. */
  received(length: number): boolean {
    if (this.#isClosing) {
      this.#receiver?.(Buffer.from(this.#host.input.subarray(0, length)));
      return true;
    }
    const { statistics } = this.#host.engine;
    statistics.inputBytes += length;
    statistics.reads++;
    try {
      this.#parser.feed(this.#host.input, length);
      this.#processInput();
    } catch (error) {
      this.#fail(error);
    }
    this.session.lastActiveAt = this.#host.engine.keyspace.now;
    if (this.#parser.buffered > this.#host.maxQueryBytes) this.#dropFor('query buffer limit');
    this.#isPaused = this.#hasEnoughInput;
    return !this.#isPaused;
  }

  /**
   * Reads the rest of a large argument in the same turn, as far as the kernel has it: until it is complete, that is only copying. Returns
   * whether more input waits, or reading must stop.
   */
  readLargeArgument(): 'more' | 'nothing' | 'paused' {
    const { input } = this.#host;
    for (let reads = 0; this.#parser.missingBytes > 0 && reads < MAX_READS && !this.#isClosing; reads++) {
      let length: number;
      try {
        length = readSync(this.#fd, input, 0, input.length, null);
      } catch {
        // No input, or the connection is broken, which the next read of the stream tells.
        return 'nothing';
      }
      // The stream finds the end again.
      if (length === 0) return 'nothing';
      if (!this.received(length)) return 'paused';
      if (length < input.length) return 'nothing';
    }
    return 'more';
  }

  /**
   * Whether reading must stop: the client's commands have to wait, and enough of them are buffered. The rest stays in
   * the kernel, which stops the client from sending when its buffers are full.
   */
  get #hasEnoughInput(): boolean {
    const isBlocked = (this.session.gates & SessionGate.blocked) !== 0;
    return (isBlocked || this.#isBackedUp) && this.#parser.buffered >= this.#maxHeldInput;
  }

  /**
   * Reads a blocked client a little further, up to `client-query-buffer-limit` over time. That its peer has closed the
   * connection shows only behind everything it has sent; until then the client would be given elements that are lost.
   */
  #readFurther(): void {
    if (!this.#isPaused || (this.session.gates & SessionGate.blocked) === 0) return;
    this.#maxHeldInput = this.#parser.buffered + HELD_INPUT_STEP;
    this.#isPaused = false;
    this.#socket.resume();
  }

  /**
   * Called during a slow script: reads the client's input directly from the descriptor and replies to it. `input` and
   * `writer` must not be the shared ones, which the script's own client is using.
   */
  serveDuringScript(input: Buffer, writer: RespWriter): void {
    const isBlocked = (this.session.gates & SessionGate.blocked) !== 0;
    if (this.#isWorking || this.#isClosing || this.#isBackedUp || isBlocked || this.#fd < 0) return;
    let length: number;
    try {
      length = readSync(this.#fd, input, 0, input.length, null);
    } catch {
      // No input, or the connection is broken, which will be noticed again after the script.
      return;
    }
    if (length === 0) return;
    const { engine, limits } = this.#host;
    const parser = this.#parser;
    engine.statistics.inputBytes += length;
    engine.statistics.reads++;
    parser.feed(input, length);
    let parsed = parser.next(limits);
    for (; parsed === Parsed.command && !this.#isClosing; parsed = parser.next(limits)) {
      engine.execution.executeDuringScript(this.session, parser.args, parser.argc, writer);
    }
    parser.finish();
    if (parsed === Parsed.broken) writer.error(`ERR Protocol error: ${parser.error}`);
    if (writer.length > 0) this.#write(writer.buffer, 0, writer.length);
    writer.reset();
    if (parsed === Parsed.broken) this.close('flushed');
  }

  debugChannel(): DebugChannel | undefined {
    this.#endDeferral();
    return this.#fd < 0 ? undefined : new DescriptorChannel(this.#fd);
  }

  debugOnCopy(words: readonly Uint8Array[]): void {
    const { session } = this;
    this.#host.debugCopies.start(session, words, (receive) => this.#handOver(receive));
  }

  /** Ends the session, but keeps the connection: `receive` gets all further input. */
  #handOver(receive: (bytes: Buffer | undefined) => void): HandedOver {
    this.#endDeferral();
    this.gone();
    this.#receiver = receive;
    return { write: (bytes) => this.#socket.write(bytes), end: () => this.#end() };
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

  /** A defect, or too little memory for this client's input: only this client is closed. */
  #fail(error: unknown): void {
    const { engine, writer } = this.#host;
    engine.failureText(error);
    writer.reset();
    this.#isWorking = false;
    this.close('now');
    engine.endTurn();
  }

  #processInput(): void {
    const { engine, writer } = this.#host;
    const parser = this.#parser;
    if (this.#outboxBytes > 0) this.flush();
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
    this.#sendReplies(inputBytes < MAX_DEFERRING_INPUT);
    this.#isWorking = false;
    if (this.#isClosing && !this.#isGone) this.close('flushed');
    if (isShort) engine.endCall();
    else engine.endTurn();
    this.account();
  }

  /** Reports the client's memory to the host, which may drop it. */
  account(): void {
    if (this.#isGone) return;
    // The replication stream counts where it is kept.
    const output = this.session.kind === 'replica' ? 0 : this.pending;
    const bytes = this.#parser.bufferSize + output + sessionBytes(this.session);
    const change = bytes - this.memory;
    if (change === 0) return;
    this.memory = bytes;
    this.#host.clients.changed(change);
  }

  /** Drops the client to free memory. */
  evict(): void {
    const { id, address, name } = this.session;
    this.#host.engine.host.log('notice', `Evicting client: id=${id} addr=${address} name=${name}`);
    this.close('now');
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
    const { session } = this;
    let { gates } = session;
    parser.trusted = (gates & SessionGate.unauthenticated) === 0;
    let seen = 0;
    while ((gates & SessionGate.blocked) === 0 && !this.#isClosing && !this.#isBackedUp) {
      if (parser.at >= seen) seen = lookAhead.read(parser.buffer, parser.at, parser.end, session.db);
      const parsed = parser.next(limits);
      if (parsed !== Parsed.command) return parsed;
      engine.execute(session, parser.args, parser.argc, writer);
      if (writer.length > MAX_BATCH_BYTES || writer.isAbandoned) this.#sendReplies(false);
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

  /** Sends the contents of the writer, which are this client's replies, or defers them if they may wait for those of others. */
  #sendReplies(mayDefer: boolean): void {
    const { writer, engine } = this.#host;
    if (writer.isAbandoned) {
      writer.reset();
      this.#dropFor('output buffer limit');
    }
    if (writer.length === 0) return;
    if (engine.holdsReplies) {
      this.#hold(writer.copyFrom(0));
      writer.reset();
      return;
    }
    if (this.#heldBytes > 0) this.flush();
    if (!mayDefer || !this.#defers()) this.#write(writer.buffer, 0, writer.length);
    writer.reset();
  }

  /** Defers the replies in the writer, if they can be deferred. */
  #defers(): boolean {
    const { deferred, writer } = this.#host;
    if (deferred === undefined || this.#fd < 0 || this.#isClosing || this.#isDeferred || this.pending > 0)
      return false;
    if (!deferred.add(this, writer)) return false;
    this.#isDeferred = true;
    if (deferred.isFull) deferred.send();
    return true;
  }

  sendDeferred(buffer: Buffer, start: number, end: number): void {
    this.#isDeferred = false;
    this.#write(buffer, start, end);
  }

  /** Sends deferred replies before other output, or before the client is closed. */
  #endDeferral(): void {
    if (this.#isDeferred) this.#host.deferred?.send();
  }

  /** Holds replies back until the writes they acknowledge are safe. */
  #hold(bytes: Buffer): void {
    this.#heldBytes += bytes.length;
    this.#outbox.push(bytes);
    this.#outboxBytes += bytes.length;
    this.#host.sendLater(this);
  }

  /** Whether the client may get a reply of `bytes` bytes. */
  mayReply(bytes: number): boolean {
    const { hard } = this.#host.outputLimits.of(classOf(this.session));
    return hard === 0 || this.session.replies !== 'on' || this.pending + bytes <= hard;
  }

  send(bytes: Buffer): void {
    if (this.#isClosing) return;
    this.#outbox.push(bytes);
    this.#outboxBytes += bytes.length;
    if (this.#outboxBytes > MAX_BATCH_BYTES && !this.#isWorking) this.flush();
    else this.#host.sendLater(this);
  }

  whenSent(work: () => void): void {
    this.#endDeferral();
    this.#afterSending.push(work);
    if (this.#outboxBytes === 0) this.#tellSent();
  }

  /** Called after each write, if there is anything to call: continues when the kernel has taken all bytes. */
  #tellSent(): void {
    if (this.#isGone || this.pending > 0) return;
    const works = this.#afterSending;
    this.#afterSending = [];
    for (const work of works) work();
  }

  setDelay(isAllowed: boolean): void {
    this.#socket.setNoDelay(!isAllowed);
  }

  get pending(): number {
    return this.#outboxBytes + this.#socket.writableLength;
  }

  figures(): ConnectionFigures {
    const { buffered, bufferSize } = this.#parser;
    const { writableLength } = this.#socket;
    const isBlocked = (this.session.gates & SessionGate.blocked) !== 0;
    const written = this.#isWorking ? this.#host.writer.length : 0;
    const output = written + this.pending;
    const isBuffered = writableLength === 0 && output <= ALWAYS_ALLOWED_BYTES;
    return {
      queryBuffer: buffered,
      queryBufferFree: Math.max(0, bufferSize - buffered),
      argumentBytes: this.#isWorking || isBlocked ? this.#parser.commandBytes : this.#parser.argumentBytes,
      replySize: this.#replySize.size,
      replyPeak: this.#replySize.peak,
      replies: isBuffered ? output : 0,
      output: isBuffered ? 0 : output,
      outputPieces: isBuffered
        ? 0
        : this.#outbox.length + (writableLength > 0 ? 1 : 0) + (written > 0 ? 1 : 0),
      events: writableLength > 0 ? 'rw' : 'r',
    };
  }

  /** Sends the queued output, unless replies are held back. */
  flush(): void {
    if (this.#outbox.length === 0) return;
    if (this.#host.engine.holdsReplies) {
      this.#host.sendLater(this);
      return;
    }
    this.#heldBytes = 0;
    const all = this.#outbox.length === 1 ? (this.#outbox[0] as Buffer) : Buffer.concat(this.#outbox);
    this.#outbox = [];
    this.#outboxBytes = 0;
    this.#write(all, 0, all.length);
    this.account();
    if (this.#afterSending.length > 0) this.#tellSent();
    if (this.#afterFlush !== undefined) {
      const { peerEnded } = this.#afterFlush;
      this.#afterFlush = undefined;
      this.#end();
      if (peerEnded) this.gone();
    }
  }

  /** Sends `buffer[start .. end)`. The caller may reuse the buffer afterwards. */
  #write(buffer: Buffer, start: number, end: number): void {
    this.#endDeferral();
    if (this.#isGone) return;
    const length = end - start;
    const { statistics } = this.#host.engine;
    statistics.outputBytes += length;
    statistics.writes++;
    this.#replySize.used(length);
    const waiting = this.#socket.writableLength + length;
    if (waiting > ALWAYS_ALLOWED_BYTES && this.#exceedsLimit(waiting)) {
      this.#dropFor('output buffer limit');
      return;
    }
    let written = 0;
    if (this.#fd >= 0 && this.#socket.writableLength === 0) {
      try {
        written = writeSync(this.#fd, buffer, start, length);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') {
          this.close('now');
          return;
        }
      }
    }
    if (written < length) {
      this.#socket.write(Buffer.from(buffer.subarray(start + written, end)), () => {
        if (this.#afterSending.length > 0) this.#tellSent();
      });
    }
    if (!this.#isBackedUp && this.#socket.writableLength > MAX_UNSENT_BYTES) this.#backUp();
  }

  /** Makes the client's commands wait until it has read its replies, unless a limit will drop it anyway. */
  #backUp(): void {
    if (this.#host.outputLimits.of(classOf(this.session)).hard > 0) return;
    this.#isBackedUp = true;
    this.#socket.once('drain', () => {
      this.#isBackedUp = false;
      this.resume();
    });
  }

  /** Whether `waiting` unsent bytes are more than this client may have. */
  #exceedsLimit(waiting: number): boolean {
    const { hard, soft, softMs } = this.#host.outputLimits.of(classOf(this.session));
    if (hard > 0 && waiting >= hard) return true;
    if (soft === 0 || waiting < soft) {
      this.#overSoftSince = 0;
      return false;
    }
    const { now } = this.#host.engine.keyspace;
    if (this.#overSoftSince === 0) this.#overSoftSince = now;
    return now - this.#overSoftSince > softMs;
  }

  /** Called at ticks: adapts the size that CLIENT LIST shows to the client's replies. */
  reviewReplySize(now: number): void {
    const { replyBuffers, statistics } = this.#host.engine;
    const change = this.#replySize.review(now, replyBuffers);
    if (change === 'shrunk') statistics.replyBufferShrinks++;
    else if (change === 'expanded') statistics.replyBufferExpands++;
  }

  /** Called once a second: drops a client that is too slow, idle for too long, or gone while it was not read. */
  review(now: number, idleMs: number): void {
    if (now - this.session.lastActiveAt > TRIM_AFTER_MS) this.#parser.trim();
    this.account();
    if (this.#isClosing) return;
    if (this.pending > 0 && this.#exceedsLimit(this.pending)) {
      this.#dropFor('output buffer limit');
      return;
    }
    this.#readFurther();
    const { session } = this;
    const mayIdle = classOf(session) !== 'normal' || (session.gates & SessionGate.blocked) !== 0;
    if (idleMs > 0 && !mayIdle && now - session.lastActiveAt > idleMs) {
      this.#host.engine.host.log('verbose', 'Closing idle client');
      this.close('now');
    }
  }

  #dropFor(reason: string): void {
    const { id, address, name } = this.session;
    const { host } = this.#host.engine;
    host.log(
      'warning',
      `Client id=${id} addr=${address} name=${name} scheduled to be closed ASAP: ${reason}.`,
    );
    this.close('now');
  }

  close(when: 'flushed' | 'now'): void {
    this.#endDeferral();
    this.#isClosing = true;
    this.session.closing = true;
    if (when === 'now') {
      this.#socket.destroy();
      this.gone();
    } else if (!this.#isWorking) {
      this.flush();
      if (this.#outboxBytes > 0) this.#afterFlush ??= { peerEnded: false };
      else this.#end();
    }
  }

  #end(): void {
    this.#socket.end();
    // Close completely after the last byte is sent: the peer might never close its end.
    this.#socket.once('finish', () => this.#socket.destroy());
  }

  /** The peer will send nothing more. Commands already received are still answered. */
  ended(): void {
    this.#tellEnd();
    if (this.#isGone) return;
    this.close('flushed');
    if (this.#afterFlush === undefined) this.gone();
    else this.#afterFlush = { peerEnded: true };
  }

  #tellEnd(): void {
    this.#receiver?.(undefined);
    this.#receiver = undefined;
  }

  /** The socket is closed, or the client is dropped. */
  gone(): void {
    this.#tellEnd();
    if (this.#isGone) return;
    this.#isGone = true;
    this.#isClosing = true;
    this.#outbox = [];
    this.#outboxBytes = 0;
    this.session.closing = true;
    this.#host.clients.changed(-this.memory);
    this.#host.closed(this);
    this.#host.engine.closeSession(this.session);
    for (const work of this.#afterSending.splice(0)) work();
  }
}

/** Less input is one command, or very few: of such inputs one is timed, and the next `UNTIMED` are not. */
const SHORT_INPUT = 128;
/** Replies to more input than this took longer to compute than waking the client takes: it should begin to read them. */
const MAX_DEFERRING_INPUT = 2048;
const UNTIMED = 7;

/** The input buffer of a client that has sent nothing for this long is trimmed. */
const TRIM_AFTER_MS = 2000;

/** Reads of a large argument in one turn: 4 MB. */
const MAX_READS = 64;

/** Redis has a reply buffer of this size per client that counts towards no limit. */
const ALWAYS_ALLOWED_BYTES = 1 << 14;

/** Replies and pushes are sent at the end of a turn, or when they exceed this size. */
const MAX_BATCH_BYTES = 1 << 20;

/** Commands of a client with more unsent bytes wait. A single reply may be larger. */
const MAX_UNSENT_BYTES = 1 << 25;

/** Reading stops when this much input waits behind a blocking command or unread replies. */
const MAX_HELD_INPUT = 1 << 16;

/** A blocked client is read this much further each second: what fits into the kernel's buffers in a few seconds. */
const HELD_INPUT_STEP = 1 << 20;
