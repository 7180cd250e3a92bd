import { writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { type OutputSink, type Session, SessionGate } from '../commands/session.js';
import type { Engine } from '../engine/engine.js';
import { Parsed, type ParserLimits, RequestParser } from '../resp/request-parser.js';
import type { RespWriter } from '../resp/resp-writer.js';

/** What all connections of a server share. */
export interface ConnectionHost {
  readonly engine: Engine;
  /** One buffer for everybody's input and one for everybody's replies: each chunk is worked off before the next is read. */
  readonly input: Buffer;
  readonly writer: RespWriter;
  readonly limits: ParserLimits;
  /** Connections with queued output, to be sent when the current chunk has been worked off. */
  readonly dirty: Set<Connection>;
  opened(connection: Connection): void;
  closed(connection: Connection): void;
}

/**
 * One client's socket. Input is parsed and executed chunk by chunk; all replies to a chunk leave in one write, straight
 * to the descriptor. What the kernel does not take at once goes through the stream, in order.
 */
export class Connection implements OutputSink {
  readonly session: Session;
  readonly #host: ConnectionHost;
  readonly #socket: Socket;
  readonly #fd: number;
  readonly #parser = new RequestParser();
  #outbox: Buffer[] = [];
  #outboxBytes = 0;
  #closing = false;

  constructor(host: ConnectionHost, socket: Socket, fd: number) {
    this.#host = host;
    this.#socket = socket;
    this.#fd = fd;
    this.session = host.engine.openSession(this);
    host.opened(this);
  }

  /** `length` bytes of input are in the shared buffer. */
  received(length: number): void {
    this.#parser.feed(this.#host.input, length);
    this.#workOff();
  }

  resume(): void {
    if (!this.#closing) this.#workOff();
  }

  #workOff(): void {
    const { engine, writer, limits } = this.#host;
    const parser = this.#parser;
    const { session } = this;
    engine.beginTurn();
    let parsed: Parsed = Parsed.incomplete;
    while ((session.gates & SessionGate.blocked) === 0 && !this.#closing) {
      parsed = parser.next(limits);
      if (parsed !== Parsed.command) break;
      engine.execute(session, parser.args, parser.argc, writer);
    }
    parser.finish();
    if (parsed === Parsed.broken) {
      writer.error(`ERR Protocol error: ${parser.error}`);
      this.#closing = true;
    }
    if (writer.length > 0) {
      this.#write(writer.buffer, writer.length);
      writer.reset();
    }
    if (this.#closing) this.close('flushed');
    engine.endTurn();
    if (this.#host.dirty.size > 0) this.#sendDirty();
  }

  #sendDirty(): void {
    for (const connection of this.#host.dirty) connection.#flush();
    this.#host.dirty.clear();
  }

  send(bytes: Buffer): void {
    this.#outbox.push(bytes);
    this.#outboxBytes += bytes.length;
    this.#host.dirty.add(this);
  }

  get pending(): number {
    return this.#outboxBytes + this.#socket.writableLength;
  }

  #flush(): void {
    const all = this.#outbox.length === 1 ? (this.#outbox[0] as Buffer) : Buffer.concat(this.#outbox);
    this.#outbox = [];
    this.#outboxBytes = 0;
    this.#write(all, all.length);
  }

  /** Sends the first `length` bytes of `buffer`, which may be used again when this returns. */
  #write(buffer: Buffer, length: number): void {
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
  }

  close(when: 'flushed' | 'now'): void {
    this.#closing = true;
    if (when === 'now') this.#socket.destroy();
    else this.#socket.end();
  }

  /** The socket has gone. */
  gone(): void {
    this.#closing = true;
    this.#host.closed(this);
    this.#host.engine.closeSession(this.session);
  }
}
