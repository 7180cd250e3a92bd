import type { EntryWriter } from '../keyspace/entry-writer.js';
import type { ByteSink } from '../rdb/byte-sink.js';

/** How many entries a database has, and how many of them with a time to live. */
export interface DatabaseSize {
  readonly index: number;
  readonly entries: number;
  readonly expiring: number;
}

/**
 * The format of a snapshot: what comes before the entries, the entries, what comes behind. `RdbFormat` is the usual one;
 * commands (an append-only file without RDB preamble) would be another.
 *
 * A snapshot writes entries through two writers: one into the output, one into memory while the first is in the middle
 * of a large value. What the second wrote is then inserted between two entries of the first: a writer must not rely on
 * what it wrote before (which database is selected) after `interrupted` was called.
 */
export interface SnapshotFormat {
  begin(sink: ByteSink, databases: readonly DatabaseSize[]): void;
  writer(sink: ByteSink): SnapshotEntryWriter;
  /** Everything has been written; `checksum` gives that of all bytes so far. */
  end(sink: ByteSink, checksum: () => Buffer): void;
}

export interface SnapshotEntryWriter extends EntryWriter {
  /** Bytes of another writer have come, or will come, between what this one wrote and what it writes next. */
  interrupted(): void;
}

/**
 * Where a snapshot's bytes go: a file, the sockets of replicas. Bytes come in chunks, in order. While `isFull` nothing
 * more comes but what cannot wait; the output calls `onRoom` when it has room again.
 */
export interface SnapshotOutput {
  /** Takes the chunk over: it will not change any more. */
  write(chunk: Buffer): void;
  readonly isFull: boolean;
  onRoom: () => void;
  /** Called by the output when it can take no more for good; the snapshot is given up. */
  onFailure: (error: Error) => void;
  /** Everything has been written: resolves when it is safe where it belongs. */
  finish(): Promise<void>;
  /** The snapshot is given up: nothing of it shall remain. */
  discard(): Promise<void>;
}
