import { readSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Bytes } from '../bytes/bytes.js';
import { classOf, sessionBytes } from '../commands/connection/client-line.js';
import { type ConnectionFigures, type OutputSink, type Session, SessionGate } from '../commands/session.js';
import type { Engine } from '../engine/engine.js';
import { Parsed, type ParserLimits, RequestParser } from '../resp/request-parser.js';
import type { RespWriter } from '../resp/resp-writer.js';
import type { ClientMemory } from './client-memory.js';
import { type LookAhead, WORTH_LOOKING_AHEAD } from './look-ahead.js';
import type { OutputLimits } from './output-limits.js';

/** What all connections of a server share. */
export interface ConnectionHost {
  readonly engine: Engine;
  /** One buffer for everybody's input and one for everybody's replies: each chunk is worked off before the next is read. */
  readonly input: Buffer;
  readonly writer: RespWriter;
  readonly limits: ParserLimits;
  readonly lookAhead: LookAhead;
  readonly outputLimits: OutputLimits;
  /** `client-query-buffer-limit` */
  readonly longestQuery: number;
  readonly clients: ClientMemory;
  /** The connection has output that must be sent when the running turn is over. */
  sendLater(connection: Connection): void;
  opened(connection: Connection): void;
  closed(connection: Connection): void;
}

/** How the peer and this end are called, and whether they meet through a file. */
export interface Endpoints {
  readonly address: string;
  readonly localAddress: string;
  readonly isUnixSocket: boolean;
}

/**
 * One client's socket. Input is parsed and executed chunk by chunk; all replies to a chunk leave in one write, straight
 * to the descriptor. What the kernel does not take at once goes through the stream, in order, and counts towards the
 * client's limit: a client that does not read what it asked for is dropped, together with what waits for it. Where
 * there is no limit, its further commands wait instead until it has read.
 */
export class Connection implements OutputSink {
  readonly session: Session;
  readonly #host: ConnectionHost;
  readonly #socket: Socket;
  readonly #fd: number;
  readonly #parser = new RequestParser();
  #outbox: Buffer[] = [];
  #outboxBytes = 0;
  /** How much of it are replies that wait for `Engine.releaseReplies`. */
  #heldBytes = 0;
  /** To be closed when what is held back has been sent. */
  #afterFlush: { readonly peerEnded: boolean } | undefined;
  /** What it takes, as it was last told to the host. */
  memory = 0;
  /** Since when more than the soft limit waits, in Unix ms; 0 if it does not. */
  #overSoftSince = 0;
  #isWorking = false;
  /** The socket is not read: see `#hasEnoughInput`. */
  #isPaused = false;
  /** So much waits for the client that it gets nothing more until it has read it. */
  #isBackedUp = false;
  #isClosing = false;
  /** Nothing may touch the descriptor any more: it may be another connection's by now. */
  #isGone = false;

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

  /** Executes `length` bytes of input, which are in the shared buffer. Returns whether to go on reading. */
  received(length: number): boolean {
    if (this.#isClosing) return true;
    const { statistics } = this.#host.engine;
    statistics.inputBytes += length;
    statistics.reads++;
    try {
      this.#parser.feed(this.#host.input, length);
      this.#workOff();
    } catch (error) {
      this.#fail(error);
    }
    this.session.lastActiveAt = this.#host.engine.keyspace.now;
    if (this.#parser.buffered > this.#host.longestQuery) this.#dropFor('query buffer limit');
    this.#isPaused = this.#hasEnoughInput;
    return !this.#isPaused;
  }

  /**
   * Whether reading has to stop: the client's commands have to wait, and enough of them do. The rest stays in the
   * kernel, which stops the client from sending when its buffers are full.
   */
  get #hasEnoughInput(): boolean {
    const isBlocked = (this.session.gates & SessionGate.blocked) !== 0;
    return (isBlocked || this.#isBackedUp) && this.#parser.buffered >= MAX_HELD_INPUT;
  }

  /**
   * In the middle of a script that takes too long: reads what the client has sent, straight from the descriptor, and
   * answers it. `input` and `writer` are not the common ones, which the script's own client is using.
   */
  serveDuringScript(input: Buffer, writer: RespWriter): void {
    const isBlocked = (this.session.gates & SessionGate.blocked) !== 0;
    if (this.#isWorking || this.#isClosing || this.#isBackedUp || isBlocked || this.#fd < 0) return;
    let length: number;
    try {
      length = readSync(this.#fd, input, 0, input.length, null);
    } catch {
      // Nothing has come, or the connection is broken, which will show again when the script is over.
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
    if (writer.length > 0) this.#write(writer.buffer, writer.length);
    writer.reset();
    if (parsed === Parsed.broken) this.close('flushed');
  }

  resume(): void {
    if (this.#isClosing) return;
    try {
      this.#workOff();
    } catch (error) {
      this.#fail(error);
    }
    if (!this.#isPaused || this.#isClosing || this.#hasEnoughInput) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  /** A defect, or too little memory for what the client sends: nobody but this client shall suffer. */
  #fail(error: unknown): void {
    const { engine, writer } = this.#host;
    engine.failureText(error);
    writer.reset();
    this.#isWorking = false;
    this.close('now');
    engine.endTurn();
  }

  #workOff(): void {
    const { engine, writer } = this.#host;
    const parser = this.#parser;
    if (this.#outboxBytes > 0) this.flush();
    this.#isWorking = true;
    engine.beginTurn();
    const parsed = this.#executeAll();
    engine.statistics.endChunk();
    parser.finish();
    if (parsed === Parsed.broken) {
      writer.error(`ERR Protocol error: ${parser.error}`);
      this.#isClosing = true;
    }
    this.#sendReplies();
    this.#isWorking = false;
    if (this.#isClosing) this.close('flushed');
    engine.endTurn();
    this.account();
  }

  /** Tells the host what the client takes by now, which may be too much. */
  account(): void {
    if (this.#isGone) return;
    const bytes = this.#parser.bufferSize + this.pending + sessionBytes(this.session);
    const change = bytes - this.memory;
    if (change === 0) return;
    this.memory = bytes;
    this.#host.clients.changed(change);
  }

  /** Drops the client to make room for others. */
  evict(): void {
    const { id, address, name } = this.session;
    this.#host.engine.host.log('notice', `Evicting client: id=${id} addr=${address} name=${name}`);
    this.close('now');
  }

  /** Runs the commands that are complete, until the client has to wait or goes. */
  #executeAll(): Parsed {
    const { lookAhead } = this.#host;
    try {
      return this.#executeUntilOver();
    } finally {
      if (lookAhead.isKnowing) lookAhead.forget();
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
      if (parser.at >= seen && session.db.size > WORTH_LOOKING_AHEAD) {
        seen = lookAhead.read(parser.buffer, parser.at, parser.end, session.db);
      }
      const parsed = parser.next(limits);
      if (parsed !== Parsed.command) return parsed;
      if (lookAhead.isKnowing && parser.argc > 1) lookAhead.announce(parser.args[1] as Bytes);
      engine.execute(session, parser.args, parser.argc, writer);
      if (writer.length > LONGEST_BATCH || writer.isAbandoned) this.#sendReplies();
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

  /** Sends what the writer holds, which is this client's. */
  #sendReplies(): void {
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
    this.#write(writer.buffer, writer.length);
    writer.reset();
  }

  /** Lets replies wait until what they acknowledge is safe. */
  #hold(bytes: Buffer): void {
    this.#heldBytes += bytes.length;
    this.#outbox.push(bytes);
    this.#outboxBytes += bytes.length;
    this.#host.sendLater(this);
  }

  /** Whether the client may get a reply of so many bytes. */
  mayReply(bytes: number): boolean {
    const { hard } = this.#host.outputLimits.of(classOf(this.session));
    return hard === 0 || this.session.replies !== 'on' || this.pending + bytes <= hard;
  }

  send(bytes: Buffer): void {
    if (this.#isClosing) return;
    this.#outbox.push(bytes);
    this.#outboxBytes += bytes.length;
    if (this.#outboxBytes > LONGEST_BATCH && !this.#isWorking) this.flush();
    else this.#host.sendLater(this);
  }

  get pending(): number {
    return this.#outboxBytes + this.#socket.writableLength;
  }

  figures(): ConnectionFigures {
    const { buffered, bufferSize } = this.#parser;
    const output = this.pending;
    return {
      queryBuffer: buffered,
      queryBufferFree: Math.max(0, bufferSize - buffered),
      output,
      outputPieces: this.#outbox.length + (this.#socket.writableLength > 0 ? 1 : 0),
      events: output > 0 ? 'rw' : 'r',
    };
  }

  /** Sends what was queued, unless it has to wait. */
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
    this.#write(all, all.length);
    this.account();
    if (this.#afterFlush !== undefined) {
      const { peerEnded } = this.#afterFlush;
      this.#afterFlush = undefined;
      this.#end();
      if (peerEnded) this.gone();
    }
  }

  /** Sends the first `length` bytes of `buffer`, which may be used again when this returns. */
  #write(buffer: Buffer, length: number): void {
    if (this.#isGone) return;
    const { statistics } = this.#host.engine;
    statistics.outputBytes += length;
    statistics.writes++;
    const waiting = this.#socket.writableLength + length;
    if (waiting > NEVER_TOO_MUCH && this.#exceedsLimit(waiting)) {
      this.#dropFor('output buffer limit');
      return;
    }
    let written = 0;
    if (this.#fd >= 0 && this.#socket.writableLength === 0) {
      try {
        written = writeSync(this.#fd, buffer, 0, length);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') {
          this.close('now');
          return;
        }
      }
    }
    if (written < length) this.#socket.write(Buffer.from(buffer.subarray(written, length)));
    if (!this.#isBackedUp && this.#socket.writableLength > MOST_WAITING) this.#backUp();
  }

  /** Lets the client's commands wait until it has read what was sent, unless a limit will drop it anyway. */
  #backUp(): void {
    if (this.#host.outputLimits.of(classOf(this.session)).hard > 0) return;
    this.#isBackedUp = true;
    this.#socket.once('drain', () => {
      this.#isBackedUp = false;
      this.resume();
    });
  }

  /** Whether so many bytes are more than may wait for this client. */
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

  /** Looks, now and then, whether the client has been too slow or idle for too long. */
  review(now: number, idleMs: number): void {
    this.account();
    if (this.#isClosing) return;
    if (this.pending > 0 && this.#exceedsLimit(this.pending)) {
      this.#dropFor('output buffer limit');
      return;
    }
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
    // The peer need not close its end, and must not keep ours.
    this.#socket.once('finish', () => this.#socket.destroy());
  }

  /** The peer will send nothing more. What it has asked for is still answered. */
  ended(): void {
    this.close('flushed');
    if (this.#afterFlush === undefined) this.gone();
    else this.#afterFlush = { peerEnded: true };
  }

  /** The socket has gone, or nothing will be done for the client any more. */
  gone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#isClosing = true;
    this.#outbox = [];
    this.#outboxBytes = 0;
    this.#host.clients.changed(-this.memory);
    this.#host.closed(this);
    this.#host.engine.closeSession(this.session);
  }
}

/** Redis has a buffer of this size for each client that counts towards no limit. */
const NEVER_TOO_MUCH = 1 << 14;

/** Replies and pushes leave at the end of a turn, or when there are as many bytes of them as this. */
const LONGEST_BATCH = 1 << 20;

/** More bytes than this do not wait for a client, except as a single reply. */
const MOST_WAITING = 1 << 25;

/** Reading stops when as much input as this waits behind a command that blocks or behind replies that are not read. */
const MAX_HELD_INPUT = 1 << 16;
