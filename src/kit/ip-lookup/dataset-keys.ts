import type { Store } from '../../store/index.js';
import { keyNaming } from '../foundation/index.js';
import type { Family } from './address.js';

/** What one import has written. */
export interface DatasetSize {
  readonly pages4: number;
  readonly pages6: number;
  readonly places: number;
}

/** Places per hash: short hashes, spread over a Cluster. */
export const PLACES_PER_SHARD = 128;

/** Names the keys of datasets. A dataset does not change once it is in use. */
export class DatasetKeys {
  /** Hash: `current` → id of the dataset in use; `dataset:ID` → when it was begun (ms) and its size. */
  readonly registry: string;
  readonly #prefix: string;

  constructor(prefix: string) {
    this.registry = keyNaming('ipLookup', prefix, ['datasets'])('current').datasets;
    this.#prefix = prefix;
  }

  directory(id: string, family: Family): string {
    return this.#key(`${id}-${family}`, 'directory');
  }

  page(id: string, family: Family, page: number): string {
    return this.#key(`${id}-${family}-${page}`, 'page');
  }

  /** The hash that contains a place. */
  places(id: string, place: number): string {
    return this.#key(`${id}-places-${Math.floor(place / PLACES_PER_SHARD)}`, 'places');
  }

  /** As `keyNaming` names them, which remembers names: there are too many pages for that. */
  #key(name: string, part: string): string {
    return `${this.#prefix}:{${name}}:${part}`;
  }

  /** All keys of a dataset, in portions. */
  *all(id: string, { pages4, pages6, places }: DatasetSize): Generator<string[], void, undefined> {
    let portion = [this.directory(id, 4), this.directory(id, 6)];
    const counts = [
      { count: pages4, key: (n: number) => this.page(id, 4, n) },
      { count: pages6, key: (n: number) => this.page(id, 6, n) },
      {
        count: Math.ceil(places / PLACES_PER_SHARD),
        key: (n: number) => this.places(id, n * PLACES_PER_SHARD),
      },
    ];
    for (const { count, key } of counts) {
      for (let n = 0; n < count; n++) {
        portion.push(key(n));
        if (portion.length >= KEYS_AT_ONCE) {
          yield portion;
          portion = [];
        }
      }
    }
    yield portion;
  }
}

const KEYS_AT_ONCE = 500;

/** Calls a command with all keys of a dataset. */
export async function forAllKeys(
  store: Store,
  keys: DatasetKeys,
  id: string,
  size: DatasetSize,
  command: string,
  ...args: readonly number[]
): Promise<void> {
  for (const portion of keys.all(id, size)) {
    await store.pipeline((queue) => portion.map((key) => queue.send(command, key, ...args)));
  }
}
