import { type Store, StoreError } from '../../store/index.js';
import { type Entry, entriesIn } from './entry.js';
import { BEGINNING, comparePositions } from './position.js';

/** A connection or loop that reads the stream. */
export interface Reader {
  /** Everything up to here was passed to `take`. */
  position: string;
  take(entry: Entry): void;
  /** Before the next events of the past are read: resolves when there is room for them. */
  ready(): Promise<void>;
  readonly isOver: boolean;
  /** No more events will come: the store was closed. */
  end(): void;
}

/** Where a reader begins. */
export interface Beginning {
  readonly position: string;
  /** The newest entry. */
  readonly newest: string;
  /** Whether events after the position are no longer kept. */
  readonly isGap: boolean;
}

/** Entries per read. */
const ENTRIES_AT_ONCE = 500;
/** Max length of one blocking read in ms, so that a dead connection is noticed. */
const MAX_WAIT = 30_000;
/** Before the stream is read again after an error, in ms. */
const RETRY_MS = 500;

/**
 * Reads the stream once for all readers of this process, as long as there are any. A reader that begins in the past catches up by
 * its own reads, and then joins the others.
 */
export class Hub {
  readonly #store: Store;
  readonly #key: string;
  readonly #onError: (error: unknown) => void;
  readonly #readers = new Set<Reader>();
  /** Where the common reading is; undefined while there is none. */
  #position: string | undefined;
  #stop: AbortController | undefined;

  constructor(store: Store, key: string, onError: (error: unknown) => void) {
    this.#store = store;
    this.#key = key;
    this.#onError = onError;
  }

  /** Where to begin: after the newest entry, or after this one. */
  async begin(after: string | undefined, signal?: AbortSignal): Promise<Beginning> {
    const store = signal === undefined ? this.#store : this.#store.with({ signal });
    const [[newest], [oldest], found] = (await store.pipeline((batch) => [
      batch.send('XREVRANGE', this.#key, '+', '-', 'COUNT', 1),
      batch.send('XRANGE', this.#key, '-', '+', 'COUNT', 1),
      batch.send('XRANGE', this.#key, after ?? BEGINNING, after ?? BEGINNING),
    ])) as unknown as [[[string]?], [[string]?], unknown[]];
    const last = newest?.[0] ?? BEGINNING;
    if (after === undefined) return { position: last, newest: last, isGap: false };
    // A position after the newest entry is of a stream that was lost.
    if (comparePositions(after, last) > 0) return { position: last, newest: last, isGap: true };
    const isGap = found.length === 0 && oldest !== undefined && comparePositions(after, oldest[0]) < 0;
    return { position: after, newest: last, isGap: isGap && after !== BEGINNING };
  }

  /** Passes all events after the reader's position to it, until `leave`. `newest` is that of its beginning. */
  async join(reader: Reader, newest: string): Promise<void> {
    for (;;) {
      if (reader.isOver) return;
      if (this.#position === undefined) this.#start(newest);
      if (comparePositions(reader.position, this.#position as string) >= 0) {
        this.#readers.add(reader);
        return;
      }
      const entries = await this.read(reader.position);
      for (const entry of entries) {
        await reader.ready();
        if (reader.isOver) return;
        pass(reader, entry);
      }
      // What is between was dropped meanwhile.
      if (entries.length === 0) reader.position = this.#position ?? reader.position;
    }
  }

  leave(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size === 0) this.close();
  }

  close(): void {
    this.#stop?.abort();
    this.#stop = undefined;
    this.#position = undefined;
  }

  async read(after: string): Promise<Entry[]> {
    return entriesIn(await this.#store.send('XRANGE', this.#key, `(${after}`, '+', 'COUNT', ENTRIES_AT_ONCE));
  }

  /** Waits for entries after a position; none if there were none for a while. */
  async wait(after: string, signal: AbortSignal): Promise<Entry[]> {
    const reply = (await this.#store
      .with({ signal })
      .send('XREAD', 'COUNT', ENTRIES_AT_ONCE, 'BLOCK', MAX_WAIT, 'STREAMS', this.#key, after)) as
      | [[string, unknown]]
      | null;
    return reply === null ? [] : entriesIn(reply[0][1]);
  }

  #start(position: string): void {
    this.#position = position;
    this.#stop = new AbortController();
    void this.#run(this.#stop.signal);
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const entries = await this.wait(this.#position as string, signal);
        for (const entry of entries) {
          // A reader that was dropped may have been the last one.
          if (signal.aborted) return;
          this.#position = entry.position;
          for (const reader of this.#readers) pass(reader, entry);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof StoreError && error.code === 'CLOSED') return this.#endAll();
        this.#onError(error);
        await this.#store.time.sleep(RETRY_MS, { signal }).catch(() => {});
      }
    }
  }

  #endAll(): void {
    for (const reader of [...this.#readers]) reader.end();
    this.#readers.clear();
    this.close();
  }
}

function pass(reader: Reader, entry: Entry): void {
  if (comparePositions(entry.position, reader.position) <= 0) return;
  reader.position = entry.position;
  reader.take(entry);
}
