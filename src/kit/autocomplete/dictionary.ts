import type { Store } from '../../store/index.js';
import {
  checkStore,
  EVICTION_RULES,
  EvictionGuard,
  type EvictionOptions,
  integer,
  KitError,
  keyNaming,
  optional,
  resolveOptions,
  shown,
  text,
} from '../foundation/index.js';
import { ADD, BOOST, CLEAR, COMPLETE, REMOVE } from './dictionary-scripts.js';
import { fold } from './folding.js';

export interface DictionaryOptions extends EvictionOptions {
  /** Prefix of all keys. Default `autocomplete`. */
  readonly prefix?: string;
}

export interface DictionaryEntry {
  /** The text as it was added, composed (NFC), without white space at its ends. */
  readonly text: string;
  /** Heavier entries are found first. 0 without a weight. */
  readonly weight: number;
}

export interface CompleteOptions {
  /** Max number of entries, up to 1,000. Default 10. */
  readonly limit?: number;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
}

/** A page of entries. */
export interface Completion {
  /** By weight, heaviest first, then in alphabetical order of the folded texts. */
  readonly entries: readonly DictionaryEntry[];
  /** Pass it as `after` to get the next page; undefined if this is the last one. */
  readonly next: string | undefined;
}

/** What `add` accepts: a text, or a text and its weight. */
type NewEntry = string | { readonly text: string; readonly weight?: number };

/**
 * A dictionary for prefix search. Texts are compared without case and accents, in any script. Every call is atomic, and reading
 * writes nothing. All keys of a dictionary are in one slot of a Cluster.
 */
export interface Dictionary {
  readonly name: string;
  /**
   * Adds a text, or changes its weight: a number, 0 or more. Without a weight, a new text has 0 and a known one keeps its own. Returns
   * whether it is new.
   *
   * @example
   * await dictionary(store, 'cities').add('Zürich', 420_000); // true
   */
  add(text: string, weight?: number): Promise<boolean>;
  /** The same for many entries, 500 at a time. Returns how many are new. */
  addAll(entries: Iterable<NewEntry> | AsyncIterable<NewEntry>): Promise<number>;
  /**
   * Adds to the weight of a text, for example each time a user chooses it. A weight never becomes less than 0. Returns the new
   * weight; undefined if the dictionary does not have the text.
   */
  boost(text: string, by?: number): Promise<number | undefined>;
  /** Returns false if the dictionary did not have it. */
  remove(text: string): Promise<boolean>;
  /**
   * The entries that begin with the prefix, a page at a time. Entries that are added or removed meanwhile do not move others to
   * another page. An empty prefix means all entries.
   *
   * @example
   * const { entries, next } = await dictionary(store, 'cities').complete('zur', { limit: 5 });
   */
  complete(prefix: string, options?: CompleteOptions): Promise<Completion>;
  /** The number of entries. */
  size(): Promise<number>;
  /** Removes all entries, some hundred at a time. */
  clear(): Promise<void>;
}

/**
 * Opens a dictionary for prefix search.
 *
 * @example
 * const cities = dictionary(store, 'cities');
 * await cities.add('Zürich', 420_000);
 * await cities.complete('zur'); // { entries: [{ text: 'Zürich', weight: 420000 }], next: undefined }
 */
export function dictionary(store: Store, name: string, options: DictionaryOptions = {}): Dictionary {
  checkStore('dictionary', store);
  const { prefix: keyPrefix, ...eviction } = resolveOptions('dictionary', options, RULES);
  const keys = keyNaming('dictionary', keyPrefix, ['plain', 'weighted', 'best'])(name);
  const guard = new EvictionGuard(store, 'dictionary', eviction);
  const add = guard.before(store.script(ADD));
  const boost = guard.before(store.script(BOOST));
  const remove = store.script(REMOVE);
  const complete = store.script(COMPLETE);
  const clear = store.script(CLEAR);

  async function addAll(entries: Iterable<NewEntry> | AsyncIterable<NewEntry>): Promise<number> {
    if (typeof entries !== 'object' || entries === null) {
      throw new KitError('OPTION', `dictionary: addAll takes a list of texts, not ${shown(entries)}`);
    }
    let added = 0;
    let batch: string[] = [];
    for await (const entry of entries) {
      const { text, weight } = typeof entry === 'string' ? { text: entry, weight: undefined } : entry;
      batch.push(entryOf(text), weightArgument(weight));
      if (batch.length < 2 * BATCH) continue;
      added += await add({ ...keys, entries: batch });
      batch = [];
    }
    return batch.length === 0 ? added : added + (await add({ ...keys, entries: batch }));
  }

  return {
    name,
    addAll,
    add: async (text, weight) =>
      (await add({ ...keys, entries: [entryOf(text), weightArgument(weight)] })) === 1,
    boost: async (text, by = 1) => {
      if (typeof by !== 'number' || !Number.isFinite(by)) {
        throw new KitError('OPTION', `dictionary: boost adds a finite number, not ${shown(by)}`);
      }
      return boost({ ...keys, entry: entryOf(text), by });
    },
    remove: async (text) => (await remove({ ...keys, entries: [entryOf(text)] })) === 1,
    complete: async (prefix, given = {}) => {
      if (typeof prefix !== 'string') {
        throw new KitError('OPTION', `dictionary: a prefix must be a string, not ${shown(prefix)}`);
      }
      const { limit, after } = resolveOptions('complete', given, COMPLETE_RULES);
      // NUL separates the parts of an entry.
      const folded = fold(prefix.replaceAll('\0', '')).trimStart();
      const [afterWeight, afterEntry] = after === undefined ? ['', ''] : placeOf(after, folded);
      // One more than asked for tells whether there is a next page.
      const found = await complete({ ...keys, prefix: folded, limit: limit + 1, afterWeight, afterEntry });
      return pageOf(found, limit);
    },
    size: async () => {
      const [plain, weighted] = await store.pipeline((queue) => [
        queue.zcard(keys.plain),
        queue.zcard(keys.weighted),
      ]);
      return plain + weighted;
    },
    clear: async () => {
      while ((await clear({ ...keys, max: BATCH })) > 0);
    },
  };
}

/** Entries per script, so that other clients wait for some milliseconds at most. */
const BATCH = 500;
const MAX_LENGTH = 1_000;

const RULES = { prefix: text('autocomplete'), ...EVICTION_RULES };
const COMPLETE_RULES = { limit: integer(10, { min: 1, max: 1_000 }), after: optional(text()) };

/** The member of the sorted sets: the folded text, a NUL and the text. */
function entryOf(text: string): string {
  if (typeof text !== 'string' || text.trim() === '' || text.length > MAX_LENGTH || UNFIT.test(text)) {
    const shownText = typeof text === 'string' && text.length > 50 ? `'${text.slice(0, 50)}…'` : shown(text);
    throw new KitError(
      'OPTION',
      `dictionary: an entry must be a text of 1 to ${MAX_LENGTH} characters without NUL and half characters, not ${shownText}`,
    );
  }
  const composed = text.trim().normalize('NFC');
  return `${fold(composed).trim()}\0${composed}`;
}

/** NUL, and halves of surrogate pairs, which UTF-8 cannot hold. */
const UNFIT = /\0|\p{Surrogate}/u;

function textOf(entry: string): string {
  return entry.slice(entry.indexOf('\0') + 1);
}

function weightArgument(weight: number | undefined): string {
  if (weight === undefined) return '';
  if (typeof weight === 'number' && Number.isFinite(weight) && weight >= 0) return String(weight);
  throw new KitError('OPTION', `dictionary: a weight must be a number, 0 or more, not ${shown(weight)}`);
}

function pageOf(found: readonly string[], limit: number): Completion {
  const entries: DictionaryEntry[] = [];
  const end = Math.min(found.length, limit * 2);
  for (let at = 0; at < end; at += 2) {
    entries.push({ text: textOf(found[at] as string), weight: Number(found[at + 1]) });
  }
  const hasMore = found.length > end;
  return {
    entries,
    next: hasMore ? cursorOf(found[end - 1] as string, found[end - 2] as string) : undefined,
  };
}

/** Where a page ends, as text that may be part of an address. */
function cursorOf(weight: string, entry: string): string {
  return Buffer.from(`${weight} ${entry}`).toString('base64url');
}

function placeOf(cursor: string, prefix: string): readonly [weight: string, entry: string] {
  const [, weight = '', entry = ''] =
    /^(\S+) ([\s\S]*)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (entry.includes('\0') && Number(weight) >= 0 && entry.startsWith(prefix)) return [weight, entry];
  throw new KitError(
    'OPTION',
    'dictionary: `after` must be the `next` of a page of the same prefix: leave it out for the first page',
  );
}
