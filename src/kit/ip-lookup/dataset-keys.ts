import type { Store } from '../../store/index.js';
import { keyNaming, resolveOptions, ShardedMembers, shardedRules } from '../foundation/index.js';
import { type ShardedHash, shardedHash } from '../sharded-hash/index.js';
import type { Family } from './address.js';

/** What one import has written. */
export interface DatasetSize {
  readonly pages4: number;
  readonly pages6: number;
  readonly places: number;
}

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

  /** The places of a dataset by their numbers. */
  places(store: Store, id: string, expiry?: number): ShardedHash {
    // Places that are evicted are reported as `NO_DATA`, like pages.
    const options = { prefix: this.#prefix, layout: 'sequential', onWarning: () => {} } as const;
    return shardedHash(store, `${id}-places`, expiry === undefined ? options : { ...options, expiry });
  }

  /** To read single places: a sharded hash is a hash in each of the shards of its members. */
  storedPlaces(store: Store, id: string): ShardedMembers {
    const given = { prefix: this.#prefix, layout: 'sequential', onWarning: () => {} } as const;
    const options = resolveOptions('ipLookup', given, shardedRules(this.#prefix, DEFAULT_SHARD));
    return new ShardedMembers(store, 'ipLookup', `${id}-places`, options);
  }

  /** As `keyNaming` names them, which remembers names: there are too many pages for that. */
  #key(name: string, part: string): string {
    return `${this.#prefix}:{${name}}:${part}`;
  }

  /** All keys of a dataset but those of its places, in portions. */
  *pages(id: string, { pages4, pages6 }: DatasetSize): Generator<string[], void, undefined> {
    let portion = [this.directory(id, 4), this.directory(id, 6)];
    const counts = [
      { count: pages4, key: (n: number) => this.page(id, 4, n) },
      { count: pages6, key: (n: number) => this.page(id, 6, n) },
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
/** Not used to read: the store has the layout. */
const DEFAULT_SHARD = 128;

/** Lets a dataset stay, expire after some time, or be gone. */
export async function keep(
  store: Store,
  keys: DatasetKeys,
  { id, size, until }: { id: string; size: DatasetSize; until: 'removed' | 'now' | { readonly ms: number } },
): Promise<void> {
  const places = keys.places(store, id);
  const [command, ...args] = typeof until === 'object' ? ['PEXPIRE', until.ms] : [COMMANDS[until]];
  for (const portion of keys.pages(id, size)) {
    await store.pipeline((queue) => portion.map((key) => queue.send(command as string, key, ...args)));
  }
  if (typeof until === 'object') await places.expire(until.ms);
  else await (until === 'now' ? places.remove() : places.persist());
}

const COMMANDS = { removed: 'PERSIST', now: 'UNLINK' } as const;
