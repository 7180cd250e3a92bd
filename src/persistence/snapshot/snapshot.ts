import type { ChangeGuard } from '../../keyspace/change-guard.js';
import type { Database } from '../../keyspace/database.js';
import type { Entry } from '../../keyspace/entry.js';
import type { EntryWriter } from '../../keyspace/entry-writer.js';
import type { Keyspace } from '../../keyspace/keyspace.js';
import { entryMemory } from '../../keyspace/memory.js';
import type { LargeValue } from '../../keyspace/values/large-value.js';
import type { ValueCapture } from './capture.js';
import { ChunkSink } from './chunk-sink.js';
import type { SnapshotEntryWriter, SnapshotFormat } from './snapshot-format.js';
import { StringCapture } from './string-capture.js';
import { captureValue, isLarge, WHOLE_LIMITS, type WholeLimits } from './value-capture.js';

export interface SnapshotOptions {
  readonly hasChecksum: boolean;
  /** Gets the bytes, in order. A chunk does not change after the call, unless `reusesChunk`. */
  readonly onChunk: (chunk: Buffer) => void;
  readonly reusesChunk?: boolean;
  readonly limits?: WholeLimits;
}

/**
 * The whole keyspace as it is when this object is created, written step by step while commands go on.
 *
 * Written entries are marked; entries without a mark are still to be written. The walk visits them in bucket order. An entry
 * that is about to change is written first, out of order, wherever the walk is: nothing else is copied. Entries
 * created after the start are created marked. Databases that are flushed or swapped after the start are walked as
 * they were. Large values are captured instead and written in parts (`ValueCapture`); until one is complete, entries
 * written out of order are kept in memory.
 *
 * Only one snapshot exists at a time: it is the keyspace's `changeGuard` until it is done. Call `step` until it
 * returns true.
 */
export class Snapshot implements ChangeGuard {
  /** Number of entries to write, and number already written. */
  readonly total: number;
  written = 0;
  /** The most bytes kept in memory for the snapshot at one time. */
  maxKept = 0;
  /** Bytes of entries that were written early, or kept, because a command was about to change them: INFO calls it copy-on-write. */
  copied = 0;
  readonly #keyspace: Keyspace;
  readonly #format: SnapshotFormat;
  readonly #limits: WholeLimits;
  readonly #sink: ChunkSink;
  #writer: SnapshotEntryWriter;
  /** Chunks of entries written out of order while a large value was being written. */
  #aside: Buffer[] = [];
  #asideBytes = 0;
  readonly #asideSink: ChunkSink;
  #asideWriter: SnapshotEntryWriter;

  readonly #databases: readonly Database[];
  #database = 0;
  #bucket = 0;
  /** The first nodes of the next buckets, and what was read from them to load them. */
  readonly #nextNodes = new Int32Array(BUCKETS);
  touched = 0;
  /** Large values to be written; the first one is in progress. */
  readonly #captures: ValueCapture[] = [];
  #hasBegun = false;
  /** The values of `#captures`. */
  readonly #captured = new Set<LargeValue>();
  /** The long strings of `#captures`, by their blocks. */
  readonly #strings = new Map<Buffer, StringCapture>();
  /** Large values that were removed from their keys, to be released after they are written. */
  readonly #orphans = new Set<LargeValue>();
  #isDiscarding = false;

  constructor(keyspace: Keyspace, format: SnapshotFormat, options: SnapshotOptions) {
    if (keyspace.changeGuard !== undefined) throw new Error('another snapshot is in progress');
    this.#keyspace = keyspace;
    this.#format = format;
    this.#limits = options.limits ?? WHOLE_LIMITS;
    const passOn = (chunk: Buffer): void => {
      if (!this.#isDiscarding) options.onChunk(chunk);
    };
    this.#sink = new ChunkSink(options.hasChecksum, passOn, options.reusesChunk);
    this.#asideSink = new ChunkSink(false, (chunk) => {
      this.#aside.push(chunk);
      this.#asideBytes += chunk.length;
      this.maxKept = Math.max(this.maxKept, this.#asideBytes);
    });
    this.#writer = format.writer(this.#sink);
    this.#asideWriter = format.writer(this.#asideSink);
    this.#databases = keyspace.databases.filter(({ size }) => size > 0).map((db) => db.contents());
    this.total = this.#databases.reduce((sum, { size }) => sum + size, 0);
    format.begin(
      this.#sink,
      this.#databases.map(({ index, size, expiries }) => ({ index, entries: size, expiring: expiries.size })),
    );
    for (const { keys } of this.#databases) {
      keys.pin();
      keys.unmarkAll();
    }
    keyspace.changeGuard = this;
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#sink.total;
  }

  /** Writes until `performance.now()` passes `until`, and about `entries` entries. Returns true when everything is written. */
  step(until: number, entries = Number.POSITIVE_INFINITY): boolean {
    const last = this.written + entries;
    for (;;) {
      if (this.#captures.length > 0) {
        if (!this.#stepCapture(until)) return false;
        continue;
      }
      const db = this.#databases[this.#database];
      if (db === undefined) break;
      if (!this.#walk(db, until, last)) return false;
    }
    this.#keyspace.changeGuard = undefined;
    if (!this.#isDiscarding) {
      this.#format.end(this.#sink, () => this.#sink.checksum());
      this.#sink.flush();
    }
    return true;
  }

  /**
   * Aborts the snapshot: nothing more is written. Keep calling `step` until it returns true, which resets the marks.
   */
  discard(): void {
    this.#isDiscarding = true;
    this.#writer = nothing;
    this.#asideWriter = nothing;
    this.#aside = [];
  }

  // ---- called by the keyspace ----

  beforeChange(live: Database, entry: Entry): void {
    if (live.keys.isMarked(entry)) return;
    const db = this.#databases.find(({ keys }) => keys === live.keys);
    if (db === undefined) return;
    db.keys.mark(entry);
    this.written++;
    if (isLarge(db, entry, this.#limits, this.#writer)) {
      this.#capture(captureValue(this.#keyspace, db, entry, this.#writer));
    } else {
      this.copied += entryMemory(db, entry);
      if (this.#captures.length === 0) this.#writer.entry(db, entry);
      else this.#asideWriter.entry(db, entry);
    }
  }

  keeps(large: LargeValue): boolean {
    if (!this.#captured.has(large)) return false;
    this.#orphans.add(large);
    return true;
  }

  holds(block: Buffer): boolean {
    return this.#strings.has(block);
  }

  beforeEdit(block: Buffer, from: number, to: number): void {
    const capture = this.#strings.get(block);
    if (capture === undefined) return;
    const before = capture.kept;
    capture.beforeEdit(from, to);
    this.copied += capture.kept - before;
    this.maxKept = Math.max(this.maxKept, this.#asideBytes + capture.kept);
  }

  // ---- walking ----

  /** Returns false if the time is up, or `last` entries are written; true at the end of the database, or if a large value must be written first. */
  #walk(db: Database, until: number, last: number): boolean {
    const { keys } = db;
    while (this.#bucket < keys.bucketCount) {
      if (this.written >= last) return false;
      if ((this.#bucket & (BUCKETS - 1)) === 0) this.#lookAhead(db);
      for (let entry = keys.first(this.#bucket); entry !== 0; entry = keys.following(entry)) {
        if (keys.isMarked(entry)) continue;
        keys.mark(entry);
        this.written++;
        if (isLarge(db, entry, this.#limits, this.#writer)) {
          this.#capture(captureValue(this.#keyspace, db, entry, this.#writer));
          return true;
        }
        this.#writer.entry(db, entry);
      }
      if ((++this.#bucket & (BUCKETS - 1)) !== 0) continue;
      this.#sink.sum();
      if (performance.now() > until) return false;
    }
    keys.unpin();
    this.#database++;
    this.#bucket = 0;
    return performance.now() <= until;
  }

  /** Loads the next entries and their values together, so that the waits for memory overlap: of 2 million keys, a full synchronisation takes the master 10 to 15 % less. */
  #lookAhead(db: Database): void {
    const { keys } = db;
    const count = Math.min(BUCKETS, keys.bucketCount - this.#bucket);
    this.touched ^= keys.touchBuckets(this.#bucket, this.#bucket + count, this.#nextNodes);
    this.touched ^= db.touchValues(this.#nextNodes, count);
  }

  #capture(capture: ValueCapture): void {
    this.#captures.push(capture);
    if (capture.large !== undefined) this.#captured.add(capture.large);
    if (capture instanceof StringCapture) this.#strings.set(capture.block, capture);
  }

  #stepCapture(until: number): boolean {
    const capture = this.#captures[0] as ValueCapture;
    if (!this.#hasBegun) {
      this.#writer.begin(capture.head);
      this.#hasBegun = true;
    }
    if (!capture.step(this.#writer, until)) return false;
    this.#writer.end();
    this.#hasBegun = false;
    this.#captures.shift();
    capture.close();
    if (capture instanceof StringCapture) this.#strings.delete(capture.block);
    if (capture.large !== undefined) this.#endCapture(capture.large);
    if (this.#captures.length === 0) this.#insertAside();
    return performance.now() <= until;
  }

  #endCapture(large: LargeValue): void {
    this.#captured.delete(large);
    if (this.#orphans.delete(large)) this.#keyspace.release(large);
  }

  /** Inserts entries written out of order after the large value that delayed them. */
  #insertAside(): void {
    this.#asideSink.flush();
    if (this.#aside.length === 0) return;
    for (const chunk of this.#aside) this.#sink.bytes(chunk, 0, chunk.length);
    this.#aside = [];
    this.#asideBytes = 0;
    this.#writer.interrupted();
    this.#asideWriter.interrupted();
  }
}

/** Writes nothing: for an aborted snapshot. */
const nothing: EntryWriter & SnapshotEntryWriter = {
  entry() {},
  begin() {},
  piece() {},
  node() {},
  member() {},
  scored() {},
  field() {},
  end() {},
  interrupted() {},
};

/** Buckets that are looked at together, and between two checks of the clock. There are two for each entry. */
const BUCKETS = 32;
