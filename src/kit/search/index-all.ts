import { KitError, shown, throwIfAborted } from '../foundation/index.js';
import type { Entries } from './entries.js';
import { Batch } from './write-arguments.js';

/** What writing many documents needs of an index. */
export interface IndexSteps<Document> {
  /** Throws if the id or the document is invalid. */
  entriesOf(id: string, document: Document): Entries;
  /** Indexes one document. Returns whether it is new. */
  write(id: string, entries: Entries): Promise<boolean>;
  /** Indexes new documents; false, and nothing is indexed, if one of them is indexed already. */
  writeNew(batch: Batch): Promise<boolean>;
}

export interface IndexAllSettings {
  readonly onProgress: ((done: number) => void) | undefined;
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
}

/** Documents of a batch, and their words and other entries: a script should take some milliseconds at most. */
const MAX_DOCUMENTS = 32;
const MAX_ENTRIES = 5_000;

/** Indexes many documents. Returns how many are new. */
export async function indexAll<Document>(
  documents: Iterable<readonly [string, Document]> | AsyncIterable<readonly [string, Document]>,
  { entriesOf, write, writeNew }: IndexSteps<Document>,
  { onProgress, concurrency, signal }: IndexAllSettings,
): Promise<number> {
  if (typeof documents !== 'object' || documents === null) {
    throw new KitError('OPTION', `indexAll takes a list of [id, document], not ${shown(documents)}`);
  }
  const perBatch = Math.max(1, Math.min(MAX_DOCUMENTS, concurrency >> 1));
  let [added, done] = [0, 0];
  let failure: { readonly error: unknown } | undefined;
  /** Until one turns out to be indexed already: then others probably are, too. */
  let areNew = perBatch > 1;
  let batch = new Batch();
  /** Ids of documents that are not written yet. */
  const ids = new Set<string>();
  const running = new Set<Promise<void>>();

  async function writeOne([id, entries]: (typeof batch.entries)[number]): Promise<void> {
    if (await write(id, entries)) added++;
    onProgress?.(++done);
  }

  async function writeBatch(full: Batch): Promise<void> {
    if (areNew && (await writeNew(full))) {
      added += full.entries.length;
      for (const _ of full.entries) onProgress?.(++done);
      return;
    }
    areNew = false;
    await Promise.all(full.entries.map(writeOne));
  }

  function send(): void {
    const full = batch;
    batch = new Batch();
    const one: Promise<void> = writeBatch(full)
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => {
        running.delete(one);
        for (const [id] of full.entries) ids.delete(id);
      });
    running.add(one);
  }

  for await (const entry of documents) {
    if (failure !== undefined) break;
    throwIfAborted(signal);
    if (!Array.isArray(entry)) {
      throw new KitError('OPTION', `indexAll takes a list of [id, document], not of ${shown(entry)}`);
    }
    const [id, document] = entry as readonly [string, Document];
    // The same document again: the later one must be written last.
    if (ids.has(id)) {
      if (batch.entries.length > 0) send();
      await Promise.all(running);
    }
    try {
      batch.add(id, entriesOf(id, document));
    } catch (error) {
      failure ??= { error };
      break;
    }
    ids.add(id);
    if (batch.entries.length < perBatch && batch.size < MAX_ENTRIES) continue;
    send();
    if (running.size * perBatch >= concurrency) await Promise.race(running);
  }
  if (batch.entries.length > 0) send();
  await Promise.all(running);
  if (failure !== undefined) throw failure.error;
  return added;
}
