import { writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { OutputLimit } from '../../commands/config/output-limits.js';
import { classOf } from '../../commands/connection/client-line.js';
import { type ConnectionFigures, SessionGate } from '../../commands/session.js';
import type { Connection, ConnectionHost } from './connection.js';
import type { DeferringClient } from './deferred-replies.js';
import { ReplyBufferSize } from './reply-buffer-size.js';
import type { StreamTransport } from './stream-client.js';

/** The part of a connection's figures that describes its output. */
type OutputFigures = Omit<
  ConnectionFigures,
  'queryBuffer' | 'queryBufferFree' | 'inputMemory' | 'argumentBytes'
>;

/**
 * What is sent to one client. Replies are written directly to the descriptor, or with TLS (whose descriptor is -1) to its transport. Bytes
 * that the kernel does not take at once are written to the stream, in order, and count towards the client's limit: a client that exceeds it is
 * dropped, with its unsent replies. Without a limit, further commands of the client wait instead until it has read its replies.
 */
export class ClientOutput implements DeferringClient {
  /** Bytes that are queued here, in `#queue`. */
  queuedBytes = 0;
  /** So much output is unsent that no further commands run until the client has read it. */
  isBackedUp = false;
  /** The connection ends after the queued bytes: they are held back. */
  endsLater = false;
  /** The descriptor must not be used any more: it may already belong to another connection. */
  isGone = false;
  readonly #host: ConnectionHost;
  readonly #connection: Connection;
  readonly #socket: Socket;
  readonly #fd: number;
  readonly #transport: StreamTransport | undefined;
  #queue: Buffer[] = [];
  /** The part of `queuedBytes` that is held back by `Engine.replyHolders`. */
  #heldBytes = 0;
  /** Called when everything is sent. */
  #afterSending: (() => void)[] = [];
  /** Replies wait in `ConnectionHost.deferred`. They must be sent before anything else. */
  #isDeferred = false;
  /** Since when the output exceeds the soft limit, in Unix ms; 0 if it does not. */
  #overSoftSince = 0;
  readonly #replySize = new ReplyBufferSize();
  /** The stream has sent what was written to it. */
  readonly #sent = (): void => {
    if (this.#afterSending.length > 0) this.#tellSent();
  };

  constructor(
    host: ConnectionHost,
    connection: Connection,
    socket: Socket,
    fd: number,
    transport: StreamTransport | undefined,
  ) {
    this.#host = host;
    this.#connection = connection;
    this.#socket = socket;
    this.#fd = fd;
    this.#transport = transport;
  }

  // ---- replies ----

  /** Replies are held back. */
  get isHeld(): boolean {
    return this.#heldBytes > 0;
  }

  /** Sends the contents of the shared writer, which are this client's replies, or defers them if they may wait for those of others. */
  sendReplies(mayDefer: boolean): void {
    const { writer, engine } = this.#host;
    if (writer.isAbandoned) {
      writer.reset();
      this.#connection.dropFor(OVER_LIMIT);
    }
    if (writer.length === 0) return;
    if (engine.holdsReplies) {
      this.#hold(writer.copyFrom(0));
      writer.reset();
      return;
    }
    // What the commands have sent to others, such as messages, has arrived when this client knows that they are done.
    this.#host.sendToOthers(this.#connection);
    if (this.#heldBytes > 0) this.flush();
    if (!mayDefer || !this.#defers()) this.write(writer.buffer, 0, writer.length);
    writer.reset();
  }

  /** Defers the replies in the writer, if they can be deferred. */
  #defers(): boolean {
    const { deferred, writer } = this.#host;
    const canDefer = this.#fd >= 0 || this.#transport !== undefined;
    if (deferred === undefined || !canDefer || this.#isDeferred || this.pending > 0) return false;
    if (this.#connection.session.closing || !deferred.add(this, writer)) return false;
    this.#isDeferred = true;
    if (deferred.isFull) deferred.send();
    return true;
  }

  sendDeferred(buffer: Buffer, start: number, end: number): void {
    this.#isDeferred = false;
    this.write(buffer, start, end);
  }

  /** Sends deferred replies before other output, or before the client is closed. */
  endDeferral(): void {
    if (this.#isDeferred) this.#host.deferred?.send();
  }

  /** Holds replies back until the writes they acknowledge are safe. */
  #hold(bytes: Buffer): void {
    this.#heldBytes += bytes.length;
    this.#queue.push(bytes);
    this.queuedBytes += bytes.length;
    this.#host.sendLater(this.#connection);
  }

  // ---- queued output ----

  /** Sends bytes at the end of the turn, or now if they are many and no command of this client is running. */
  add(bytes: Buffer, isWorking: boolean): void {
    this.#queue.push(bytes);
    this.queuedBytes += bytes.length;
    if (this.queuedBytes > MAX_BATCH_BYTES && !isWorking) this.flush();
    else this.#host.sendLater(this.#connection);
  }

  /** Sends bytes after what is queued. The caller may reuse the buffer afterwards. */
  sendNow(bytes: Buffer): void {
    this.flush();
    if (this.queuedBytes > 0 || this.#host.engine.holdsReplies) {
      this.add(Buffer.from(bytes), true);
      return;
    }
    this.write(bytes, 0, bytes.length);
    this.#connection.account();
  }

  /** Sends the queued output, unless replies are held back. */
  flush(): void {
    if (this.#queue.length === 0) return;
    if (this.#host.engine.holdsReplies) {
      this.#host.sendLater(this.#connection);
      return;
    }
    this.#heldBytes = 0;
    const all = this.#queue.length === 1 ? (this.#queue[0] as Buffer) : Buffer.concat(this.#queue);
    this.#clearQueue();
    this.write(all, 0, all.length);
    this.#connection.account();
    if (this.#afterSending.length > 0) this.#tellSent();
    if (!this.endsLater) return;
    this.endsLater = false;
    this.endStream();
    this.#connection.outputEnded();
  }

  #clearQueue(): void {
    this.#queue = [];
    this.queuedBytes = 0;
  }

  /** Calls `work` when the kernel has taken everything. */
  whenSent(work: () => void): void {
    this.endDeferral();
    this.#afterSending.push(work);
    if (this.queuedBytes === 0) this.#tellSent();
  }

  /** Called after each write, if there is anything to call: continues when the kernel has taken all bytes. */
  #tellSent(): void {
    if (this.isGone || this.pending > 0) return;
    const works = this.#afterSending;
    this.#afterSending = [];
    for (const work of works) work();
  }

  /** Bytes that the kernel has not taken. */
  get pending(): number {
    return this.queuedBytes + this.#socket.writableLength;
  }

  /** Nothing is queued here, and what the stream holds is so little that the kernel takes it soon. */
  get isHandedOn(): boolean {
    return this.queuedBytes === 0 && this.#socket.writableLength <= ALWAYS_ALLOWED_BYTES;
  }

  // ---- writing ----

  /** Sends `buffer[start .. end)`. The caller may reuse the buffer afterwards. */
  write(buffer: Buffer, start: number, end: number): void {
    this.endDeferral();
    if (this.isGone) return;
    const length = end - start;
    const { statistics } = this.#host.engine;
    statistics.outputBytes += length;
    statistics.writes++;
    this.#replySize.used(length);
    const waiting = this.#socket.writableLength + length;
    if (waiting > ALWAYS_ALLOWED_BYTES && this.#exceedsLimit(waiting)) {
      this.#connection.dropFor(OVER_LIMIT);
      return;
    }
    let written = 0;
    const isFirst = this.#socket.writableLength === 0;
    if (isFirst && this.#transport !== undefined) {
      this.#transport.write(buffer.subarray(start, end), this.#sent);
      written = length;
    } else if (isFirst && this.#fd >= 0) {
      try {
        written = writeSync(this.#fd, buffer, start, length);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') {
          this.#connection.close('now');
          return;
        }
      }
    }
    if (written < length) {
      this.#socket.write(Buffer.from(buffer.subarray(start + written, end)), this.#sent);
    }
    if (!this.isBackedUp && this.#socket.writableLength > MAX_UNSENT_BYTES) this.#backUp();
  }

  /** Makes the client's commands wait until it has read its replies, unless a limit will drop it anyway. */
  #backUp(): void {
    if (this.#limits.hard > 0) return;
    this.isBackedUp = true;
    this.#socket.once('drain', () => {
      this.isBackedUp = false;
      this.#connection.resume();
    });
  }

  // ---- limits ----

  get #limits(): OutputLimit {
    return this.#host.outputLimits.of(classOf(this.#connection.session));
  }

  /** Whether the client may get a reply of `bytes` bytes. */
  mayReply(bytes: number): boolean {
    const { hard } = this.#limits;
    return hard === 0 || this.#connection.session.replies !== 'on' || this.pending + bytes <= hard;
  }

  /** Drops a client that has had too much unsent output for too long. Returns whether it did. */
  reviewLimit(): boolean {
    const { pending } = this;
    if (pending === 0 || !this.#exceedsLimit(pending)) return false;
    this.#connection.dropFor(OVER_LIMIT);
    return true;
  }

  /** Whether `waiting` unsent bytes are more than this client may have. */
  #exceedsLimit(waiting: number): boolean {
    const { session } = this.#connection;
    if ((session.gates & SessionGate.unauthenticated) !== 0 && waiting > MAX_UNAUTHENTICATED_BYTES)
      return true;
    const { hard, soft, softMs } = this.#limits;
    if (hard > 0 && waiting >= hard) return true;
    if (soft === 0 || waiting < soft) {
      this.#overSoftSince = 0;
      return false;
    }
    const { now } = this.#host.engine.keyspace;
    if (this.#overSoftSince === 0) this.#overSoftSince = now;
    return now - this.#overSoftSince > softMs;
  }

  // ---- figures ----

  /** `written` is the number of bytes in the shared writer that belong to this client. */
  figures(written: number): OutputFigures {
    const { writableLength } = this.#socket;
    const output = written + this.pending;
    const isBuffered = writableLength === 0 && output <= ALWAYS_ALLOWED_BYTES;
    const pieces = this.#queue.length + (writableLength > 0 ? 1 : 0) + (written > 0 ? 1 : 0);
    return {
      replySize: this.#replySize.size,
      replyPeak: this.#replySize.peak,
      replies: isBuffered ? output : 0,
      output: isBuffered ? 0 : output,
      outputPieces: isBuffered ? 0 : pieces,
      events: writableLength > 0 ? 'rw' : 'r',
    };
  }

  /** Called at ticks. */
  reviewReplySize(now: number): void {
    const { replyBuffers, statistics } = this.#host.engine;
    const change = this.#replySize.review(now, replyBuffers);
    if (change === 'shrunk') statistics.replyBufferShrinks++;
    else if (change === 'expanded') statistics.replyBufferExpands++;
  }

  // ---- the end ----

  /** Ends the stream after what is queued. */
  end(): void {
    this.flush();
    if (this.queuedBytes > 0) this.endsLater = true;
    else this.endStream();
  }

  /** Ends the stream after what was written to it. */
  endStream(): void {
    this.#socket.end();
    // Close completely after the last byte is sent: the peer might never close its end.
    this.#socket.once('finish', () => this.#socket.destroy());
  }

  /** The client is gone: drops what is queued. */
  abandon(): void {
    this.isGone = true;
    this.#clearQueue();
  }

  /** Calls what waits until everything is sent, which will not happen any more. */
  stopWaiting(): void {
    for (const work of this.#afterSending.splice(0)) work();
  }
}

const OVER_LIMIT = 'output buffer limit';

/** Redis has a reply buffer of this size per client that counts towards no limit. */
const ALWAYS_ALLOWED_BYTES = 1 << 14;

/** A client that has not authenticated could otherwise make the server keep replies that it does not read. */
const MAX_UNAUTHENTICATED_BYTES = ALWAYS_ALLOWED_BYTES + 1024;

/** Replies and pushes are sent at the end of a turn, or when they exceed this size. */
export const MAX_BATCH_BYTES = 1 << 20;

/** Commands of a client with more unsent bytes wait. A single reply may be larger. */
const MAX_UNSENT_BYTES = 1 << 25;
