import type { Bytes } from '../bytes/bytes.js';
import { Crc64 } from '../bytes/crc64.js';
import type { Engine } from '../engine/engine.js';
import { FileBytes } from '../persistence/file-bytes.js';
import { FileOutput } from '../persistence/file-output.js';
import type { Persistence } from '../persistence/persistence.js';
import { temporaryPath } from '../persistence/temporary-files.js';
import { CorruptData } from '../rdb/byte-source.js';
import type { FileSource } from '../rdb/rdb-loader.js';
import { ArrivingSnapshot, type Flow } from './arriving-snapshot.js';

/** A snapshot that has been received, to be read once. */
export interface ReceivedSnapshot extends FileSource {
  close(): void;
}

/** Where a replica keeps the snapshot that it receives, until it is complete or, if it is loaded meanwhile, until it is loaded. */
export interface Inbox {
  /** Takes ownership of the chunk. */
  write(chunk: Buffer): void;
  finish(): Promise<ReceivedSnapshot>;
  discard(): void;
}

/** Who receives a snapshot. */
interface Receiver {
  readonly engine: Engine;
  readonly files: Persistence | undefined;
}

/** Where this server keeps a snapshot that it receives now. */
export function inboxFor({ engine, files }: Receiver, flow: Flow): Inbox {
  const { settings, keyspace } = engine;
  const mode = settings.text('repl-diskless-load');
  const isEmpty = keyspace.databases.every(({ size }) => size === 0);
  if (mode === 'swapdb' || (isEmpty && (mode === 'on-empty-db' || files === undefined))) {
    return new ArrivingSnapshot(flow);
  }
  return files === undefined ? new MemoryInbox() : new FileInbox(settings.text('dir'), files.rdb.path);
}

/** In memory: for an engine without files that has data, which it keeps until the snapshot is complete. */
export class MemoryInbox implements Inbox {
  #chunks: Buffer[] = [];

  write(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  async finish(): Promise<ReceivedSnapshot> {
    return new ChunkBytes(this.#chunks);
  }

  discard(): void {
    this.#chunks = [];
  }
}

/** In a file, which then replaces the engine's RDB file. */
export class FileInbox implements Inbox {
  readonly #path: string;
  readonly #output: FileOutput;
  #failure: Error | undefined;

  constructor(folder: string, path: string) {
    this.#path = path;
    this.#output = new FileOutput(temporaryPath(folder, '', 'rdb'), path, true);
    this.#output.onFailure = (error) => {
      this.#failure = error;
    };
  }

  write(chunk: Buffer): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#output.write(chunk);
  }

  async finish(): Promise<ReceivedSnapshot> {
    await this.#output.finish();
    return new FileBytes(this.#path);
  }

  discard(): void {
    void this.#output.discard();
  }
}

/** Reads chunks one after the other, and drops those that are read. */
class ChunkBytes implements ReceivedSnapshot {
  position = 0;
  readonly #chunks: Buffer[];
  #next = 0;
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  readonly #crc = new Crc64();
  /** How much of the present chunk the checksum includes. */
  #checked = 0;

  constructor(chunks: Buffer[]) {
    this.#chunks = chunks;
  }

  byte(): number {
    while (this.#at === this.#chunk.length) this.#advance();
    this.position++;
    return this.#chunk[this.#at++] as number;
  }

  bytes(length: number, view: Bytes): Bytes {
    if (length > this.#chunk.length - this.#at) return this.#joined(length, view);
    const start = this.#at;
    this.#at += length;
    this.position += length;
    return view.set(this.#chunk, start, this.#at);
  }

  #joined(length: number, view: Bytes): Bytes {
    let available = this.#chunk.length - this.#at;
    for (let i = this.#next; available < length; i++) available += this.#available(i);
    const joined = Buffer.allocUnsafeSlow(length);
    for (let at = 0; at < length; ) {
      if (this.#at === this.#chunk.length) this.#advance();
      const taken = Math.min(length - at, this.#chunk.length - this.#at);
      this.#chunk.copy(joined, at, this.#at, this.#at + taken);
      this.#at += taken;
      at += taken;
    }
    this.position += length;
    return view.set(joined, 0, length);
  }

  /** The length of a chunk; the announced length of a value is not trusted. */
  #available(index: number): number {
    const chunk = this.#chunks[index];
    if (chunk === undefined) throw new CorruptData('the snapshot ends in the middle of a value');
    return chunk.length;
  }

  #advance(): void {
    this.#available(this.#next);
    this.#check();
    this.#chunk = this.#chunks[this.#next] as Buffer;
    this.#chunks[this.#next] = Buffer.alloc(0);
    this.#next++;
    this.#at = this.#checked = 0;
  }

  #check(): void {
    this.#crc.update(this.#chunk, this.#checked, this.#at);
    this.#checked = this.#at;
  }

  checksum(): Crc64 {
    this.#check();
    return this.#crc;
  }

  close(): void {}
}
