import { Bytes } from '../../../src/bytes/bytes.js';
import { ManualClock } from '../../../src/bytes/clock.js';
import { Crc64 } from '../../../src/bytes/crc64.js';
import type { OutputSink, Session } from '../../../src/commands/session.js';
import { Engine } from '../../../src/engine/engine.js';
import { keyspaceDigest } from '../../../src/keyspace/digest.js';
import { MemorySource } from '../../../src/rdb/byte-source.js';
import { RdbFormat, type RdbOptions } from '../../../src/rdb/rdb-format.js';
import type { FileSource } from '../../../src/rdb/rdb-loader.js';
import { RdbLoader } from '../../../src/rdb/rdb-loader.js';
import { RespWriter } from '../../../src/resp/resp-writer.js';

export type Word = string | number | Buffer;

/** An engine whose clock the test moves. */
export class TestEngine {
  readonly clock = new ManualClock(1_700_000_000_000);
  readonly engine = new Engine({ clock: this.clock });
  readonly #session: Session = this.engine.openSession(NO_OUTPUT);
  readonly #writer = new RespWriter();

  /** Runs a command and returns the reply's bytes as latin1. */
  run(...words: Word[]): string {
    const args = words.map((word) => (Buffer.isBuffer(word) ? new Bytes(word) : Bytes.of(String(word))));
    this.engine.beginTurn();
    this.engine.execute(this.#session, args, args.length, this.#writer);
    this.engine.endTurn();
    const reply = this.#writer.buffer.latin1Slice(0, this.#writer.length);
    this.#writer.reset();
    return reply;
  }

  get digest(): string {
    return keyspaceDigest(this.engine.keyspace);
  }

  get format(): RdbFormat {
    return new RdbFormat(this.engine.keyspace, PLAIN);
  }

  /** Loads a file's bytes. */
  load(bytes: Buffer): void {
    const loader = new RdbLoader(new MemoryFile(bytes), this.engine.keyspace, {
      skipsExpired: false,
      replaces: false,
      isThorough: true,
      hasChecksum: true,
    });
    loader.step(Number.POSITIVE_INFINITY);
  }
}

const PLAIN: RdbOptions = {
  compresses: true,
  hasChecksum: true,
  usage: undefined,
  auxiliary: [['redis-ver', '7.0.15']],
};

const NO_OUTPUT: OutputSink = { send() {}, close() {}, pending: 0, resume() {} };

/** A file in memory. */
export class MemoryFile implements FileSource {
  position = 0;
  readonly #bytes: Buffer;
  readonly #source: MemorySource;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#source = new MemorySource(bytes);
  }

  byte(): number {
    const byte = this.#source.byte();
    this.position++;
    return byte;
  }

  bytes(length: number, view: Bytes): Bytes {
    const bytes = this.#source.bytes(length, view);
    this.position += length;
    return bytes;
  }

  checksum(): Crc64 {
    return new Crc64().update(this.#bytes, 0, this.position);
  }
}
