import type { EntryWriter } from '../../keyspace/entry-writer.js';
import type { ByteSink } from '../../rdb/byte-sink.js';

/** How many entries a database has, and how many of them have a time to live. */
export interface DatabaseSize {
  readonly index: number;
  readonly entries: number;
  readonly expiring: number;
}

/**
 * The format of a snapshot: header, entries, end. `RdbFormat` is the default; `CommandFormat` writes commands (an
 * append-only file without RDB preamble).
 *
 * A snapshot writes entries through two writers: one into the output, one into memory while the first is in the
 * middle of a large value. The bytes of the second are then inserted between two entries of the first. So after a
 * call of `interrupted` a writer must not rely on what it wrote before (for example, which database is selected).
 */
export interface SnapshotFormat {
  begin(sink: ByteSink, databases: readonly DatabaseSize[]): void;
  writer(sink: ByteSink): SnapshotEntryWriter;
  /** Called after all entries; `checksum` returns the checksum of all bytes so far. */
  end(sink: ByteSink, checksum: () => Buffer): void;
}

export interface SnapshotEntryWriter extends EntryWriter {
  /** Bytes of another writer are inserted between what this one wrote and what it writes next. */
  interrupted(): void;
}

/**
 * Where a snapshot's bytes go: a file, or the sockets of replicas. Bytes come in chunks, in order. While `isFull`,
 * only bytes that cannot wait are written; the output calls `onRoom` when it has room again.
 */
export interface SnapshotOutput {
  /** Takes over the chunk: the caller will not change it any more, unless `keepsNothing`. */
  write(chunk: Buffer): void;
  /** Whether the caller may use a chunk again after `write`, which saves the garbage collector much work. */
  readonly keepsNothing?: boolean;
  readonly isFull: boolean;
  onRoom: () => void;
  /** Called by the output when writing has failed for good; the snapshot is then aborted. */
  onFailure: (error: Error) => void;
  /** Called after all bytes are written; resolves when they are safely stored. */
  finish(): Promise<void>;
  /** The snapshot was aborted: removes everything written. */
  discard(): Promise<void>;
}
