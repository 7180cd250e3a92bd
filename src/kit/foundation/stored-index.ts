import type { Store } from '../../store/index.js';
import { checkText } from './check-arguments.js';
import { keyNaming } from './keys.js';

/**
 * The scripts that every index has: of documents, ads, jobs. Their key is `base`, what all keys of the index begin with; `shared` are
 * inputs that all its scripts take.
 *
 * @example
 * const { REMOVE } = indexScripts(['language'], (file) => `-- ${file}`);
 * REMOVE.args; // ['language', 'id']
 */
export function indexScripts<const Shared extends readonly string[]>(
  shared: Shared,
  read: (file: string) => string,
) {
  return {
    /** Returns 1 if there was an entry with this id, else 0. */
    REMOVE: { keys: INDEX_KEYS, args: [...shared, 'id'], lua: read('remove.lua'), reply: Number },
    /** Removes up to `max` entries. Returns how many are left. */
    CLEAR: {
      keys: INDEX_KEYS,
      args: [...shared, 'max'],
      repeatable: true,
      lua: read('clear.lua'),
      reply: Number,
    },
  } as const;
}

/** The keys of an index's scripts. */
export const INDEX_KEYS = ['base'] as const;

export interface StoredIndexOptions {
  /** The factory, for error texts. */
  readonly owner: string;
  readonly prefix: string;
  /** The hash of an entry is `base`, this word, a colon and its id. Its field `source` has the JSON of the entry. */
  readonly part: string;
  /** Entries that one script removes, so that other clients wait for some milliseconds at most. */
  readonly clearedAtOnce: number;
  /** Binds the scripts of the index to its `base`. */
  steps(base: string): {
    remove(id: string): Promise<number>;
    clear(max: number): Promise<number>;
  };
}

/** What every index has. */
export interface StoredIndex {
  /** What all keys begin with. */
  readonly base: string;
  /** Throws unless it is a string that is not empty. */
  checkId(id: string, what?: string): void;
  /** The JSON of an entry; undefined if there is none. */
  source(id: string): Promise<string | undefined>;
  /** Returns false if there was no such entry. */
  remove(id: string): Promise<boolean>;
  /** The number of entries. */
  size(): Promise<number>;
  /** Removes all entries, some at a time. */
  clear(): Promise<void>;
}

/** The part of an index that does not depend on what its entries are. The set `ids` has the ids of all of them. */
export function storedIndex(store: Store, name: string, options: StoredIndexOptions): StoredIndex {
  const { owner, prefix, part, clearedAtOnce, steps } = options;
  const { ids } = keyNaming(owner, prefix, ['ids'])(name);
  const base = ids.slice(0, -'ids'.length);
  const { remove, clear } = steps(base);

  function checkId(id: string, what = 'id'): void {
    checkText(owner, `the ${what}`, id);
  }

  return {
    base,
    checkId,
    source: async (id) => {
      checkId(id);
      return (await store.hget(`${base}${part}:${id}`, 'source')) ?? undefined;
    },
    remove: async (id) => {
      checkId(id);
      return (await remove(id)) === 1;
    },
    size: () => store.scard(ids),
    clear: async () => {
      while ((await clear(clearedAtOnce)) > 0);
    },
  };
}
