import type { Store } from '../../store/index.js';
import {
  checkStore,
  EVICTION_RULES,
  EvictionGuard,
  type EvictionOptions,
  fold,
  hasHalfCharacters,
  integer,
  KitError,
  keyNaming,
  optional,
  readNow,
  resolveOptions,
  resolverOf,
  shown,
  syncOf,
  text,
} from '../foundation/index.js';
import { ADD, BOOST, CLEAR, COMPLETE, REMOVE } from './dictionary-scripts.js';

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
  const { plain, weighted, best } = keys;
  const sync = syncOf(store);
  const base = plain.slice(0, -'plain'.length);
  const guard = new EvictionGuard(store, 'dictionary', eviction);
  const add = guard.before(store.script(ADD));
  const boost = guard.before(store.script(BOOST));
  const remove = store.script(REMOVE);
  const complete = store.script(COMPLETE);
  const clear = store.script(CLEAR);

  /**
   * The answer of an embedded store without weights: its commands are executed when they are called, so nothing comes between the
   * two, and they take half the time of a script.
   */
  async function lightPage(prefix: string, limit: number, place: string): Promise<Completion> {
    const first = place === '' ? `[${prefix}` : `(${place.slice(place.indexOf(' ') + 1)}`;
    const last = Buffer.from(`(${prefix}\0`);
    last[last.length - 1] = BEYOND;
    const members = await store.send<string[]>('ZRANGEBYLEX', plain, first, last, 'LIMIT', 0, limit + 1);
    const entries: DictionaryEntry[] = [];
    for (let at = 0; at < members.length && at < limit; at++) {
      const member = members[at] as string;
      entries.push({ text: member.slice(member.indexOf('\0') + 1), weight: 0 });
    }
    return {
      entries,
      next: members.length > limit ? cursorAt('0', members[limit - 1] as string) : undefined,
    };
  }

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
    complete: async (prefix, given) => {
      if (typeof prefix !== 'string') {
        throw new KitError('OPTION', `dictionary: a prefix must be a string, not ${shown(prefix)}`);
      }
      const { limit, after } = resolveComplete(given);
      // NUL separates the parts of an entry.
      const folded = fold(prefix.includes('\0') ? prefix.replaceAll('\0', '') : prefix).trimStart();
      const place = after === undefined ? '' : placeOf(after, folded);
      if (sync !== undefined && readNow(() => sync.exists(best)) === 0)
        return lightPage(folded, limit, place);
      // One more than asked for tells whether there is a next page.
      return pageOf(await complete({ base, prefix: folded, limit: limit + 1, after: place }), limit);
    },
    size: async () => {
      const [light, heavy] = await store.pipeline((queue) => [queue.zcard(plain), queue.zcard(weighted)]);
      return light + heavy;
    },
    clear: async () => {
      while ((await clear({ ...keys, max: BATCH })) > 0);
    },
  };
}

/** Entries per script, so that other clients wait for some milliseconds at most. */
const BATCH = 500;
const MAX_LENGTH = 1_000;
/** A byte that is not part of UTF-8, so no entry has it. */
const BEYOND = 255;

const RULES = { prefix: text('autocomplete'), ...EVICTION_RULES };
const COMPLETE_RULES = { limit: integer(10, { min: 1, max: 1_000 }), after: optional(text()) };
const resolveComplete = resolverOf<typeof COMPLETE_RULES, CompleteOptions>('complete', COMPLETE_RULES);

/** The member of the sorted sets: the folded text, a NUL and the text. */
function entryOf(text: string): string {
  if (
    typeof text !== 'string' ||
    text.trim() === '' ||
    text.length > MAX_LENGTH ||
    text.includes('\0') ||
    hasHalfCharacters(text)
  ) {
    const shownText = typeof text === 'string' && text.length > 50 ? `'${text.slice(0, 50)}…'` : shown(text);
    throw new KitError(
      'OPTION',
      `dictionary: an entry must be a text of 1 to ${MAX_LENGTH} characters without NUL and half characters, not ${shownText}`,
    );
  }
  const composed = text.trim().normalize('NFC');
  return `${fold(composed).trim()}\0${composed}`;
}

function weightArgument(weight: number | undefined): string {
  if (weight === undefined) return '';
  if (typeof weight === 'number' && Number.isFinite(weight) && weight >= 0) return String(weight);
  throw new KitError('OPTION', `dictionary: a weight must be a number, 0 or more, not ${shown(weight)}`);
}

function pageOf(found: string | readonly [string, string], limit: number): Completion {
  const [text, weightsText] = typeof found === 'string' ? [found, undefined] : found;
  if (text === '') return { entries: [], next: undefined };
  // Folded text, text, folded text, text …
  const parts = text.split('\0');
  const weights = weightsText?.split(' ');
  const count = Math.min(limit, parts.length / 2);
  const entries: DictionaryEntry[] = [];
  for (let at = 0; at < count; at++) {
    entries.push({
      text: parts[2 * at + 1] as string,
      weight: weights === undefined ? 0 : Number(weights[at]),
    });
  }
  if (parts.length <= 2 * count) return { entries, next: undefined };
  const last = `${parts[2 * count - 2]}\0${parts[2 * count - 1]}`;
  return { entries, next: cursorAt(weights?.[count - 1] ?? '0', last) };
}

/** The cursor of a page that ends with this member of the sorted sets. */
function cursorAt(weight: string, member: string): string {
  return Buffer.from(`${weight} ${member}`).toString('base64url');
}

/** The weight and member in a cursor, as the script takes them. */
function placeOf(cursor: string, prefix: string): string {
  const place = Buffer.from(cursor, 'base64url').toString();
  const [, weight = '', entry = ''] = /^(\S+) ([\s\S]*)$/.exec(place) ?? [];
  if (entry.includes('\0') && Number(weight) >= 0 && entry.startsWith(prefix)) return place;
  throw new KitError(
    'OPTION',
    'dictionary: `after` must be the `next` of a page of the same prefix: leave it out for the first page',
  );
}
