import type { Store } from '../../store/index.js';
import {
  checkStore,
  integer,
  KitError,
  milliseconds,
  type Resolved,
  resolveOptions,
  text,
} from '../foundation/index.js';
import { checkedAddress } from './address.js';
import { Dataset, type FoundPlace, MISSING, NOWHERE } from './dataset.js';
import { DatasetKeys, type DatasetSize, keep } from './dataset-keys.js';
import { Importing, type ImportOptions, type ImportSummary } from './importing.js';

export interface IpLookupOptions {
  /** Prefix of all keys. Default `ip`. */
  readonly prefix?: string;
  /** After how many ms a process looks whether there is new data. Default 5,000. */
  readonly maxAge?: number;
  /**
   * How many pages of 64 ranges a process keeps in memory: 1 KB each for IPv4, 3 KB for IPv6. Default 20,000, which is more than a
   * million ranges.
   */
  readonly cachedPages?: number;
  /** How many places a process keeps in memory. Default 10,000. */
  readonly cachedPlaces?: number;
}

/** Finds places of IP addresses. Made by `ipLookup`. */
export interface IpLookup {
  /**
   * The place of an IPv4 or IPv6 address (`::ffff:192.0.2.1` counts as IPv4); undefined if no range contains it. Rejects with
   * `NO_DATA` if nothing was imported.
   *
   * @example
   * (await ipLookup(store).find('203.0.113.7'))?.city;
   */
  find(address: string): Promise<FoundPlace | undefined>;
  /**
   * Imports the files of GeoLite2 City or Country (CSV). Lookups go on with the old data until the new data is complete; then
   * all processes change over within `maxAge`.
   */
  import(options: ImportOptions): Promise<ImportSummary>;
  /** Removes all data. */
  remove(): Promise<void>;
}

/**
 * Finds the place of an IP address in data that was imported before.
 *
 * @example
 * import { open } from 'sorrel';
 * import { exampleData, ipLookup } from 'sorrel/kit/ip-lookup';
 *
 * await using store = await open();
 * const places = ipLookup(store);
 * const { locations, ipv4, ipv6 } = exampleData();
 * await places.import({ locations, blocks: [ipv4, ipv6] });
 * const place = await places.find('10.0.0.7');
 * place?.country; // 'Arden'
 */
export function ipLookup(store: Store, options: IpLookupOptions = {}): IpLookup {
  checkStore('ipLookup', store);
  return new StoredLookup(store, resolveOptions('ipLookup', options, RULES));
}

class StoredLookup implements IpLookup {
  readonly #store: Store;
  readonly #keys: DatasetKeys;
  readonly #options: LookupOptions;
  #dataset: Dataset | undefined;
  /** When the registry was last asked, by `time.monotonic()`. */
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checking: Promise<Dataset> | undefined;

  constructor(store: Store, options: LookupOptions) {
    this.#store = store;
    this.#keys = new DatasetKeys(options.prefix);
    this.#options = options;
  }

  async find(text: string): Promise<FoundPlace | undefined> {
    const address = checkedAddress('find', text);
    const isFresh = this.#store.time.monotonic() - this.#checkedAt < this.#options.maxAge;
    const dataset = (isFresh ? this.#dataset : undefined) ?? (await this.#current());
    const answer = dataset.find(address);
    const found = answer instanceof Promise ? await answer : answer;
    if (found !== MISSING) return found === NOWHERE ? undefined : found;
    // The data was replaced or removed since this process last looked.
    const second = await (await this.#current()).find(address);
    if (second === MISSING) throw noData();
    return second === NOWHERE ? undefined : second;
  }

  async import(options: ImportOptions): Promise<ImportSummary> {
    const summary = await new Importing(this.#store, this.#keys, options).run();
    this.#checkedAt = Number.NEGATIVE_INFINITY;
    return summary;
  }

  async remove(): Promise<void> {
    const { registry } = this.#keys;
    const fields = (await this.#store.send('HGETALL', registry)) as string[];
    await this.#store.send('DEL', registry);
    this.#checkedAt = Number.NEGATIVE_INFINITY;
    this.#dataset = undefined;
    for (let i = 0; i < fields.length; i += 2) {
      const id = /^dataset:(.*)$/.exec(fields[i] as string)?.[1];
      if (id === undefined) continue;
      const size = JSON.parse(fields[i + 1] as string) as DatasetSize;
      await keep(this.#store, this.#keys, { id, size, until: 'now' });
    }
  }

  /** Asks the registry which data is in use. Calls at the same time share one request. */
  #current(): Promise<Dataset> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(): Promise<Dataset> {
    const checkedAt = this.#store.time.monotonic();
    const id = await this.#store.send('HGET', this.#keys.registry, 'current');
    if (typeof id !== 'string') {
      this.#dataset = undefined;
      throw noData();
    }
    if (this.#dataset?.id !== id) this.#dataset = new Dataset(this.#store, this.#keys, id, this.#options);
    this.#checkedAt = checkedAt;
    return this.#dataset;
  }
}

function noData(): KitError {
  return new KitError(
    'NO_DATA',
    'ipLookup: there is no data: call `import` first, for example with `exampleData()`',
  );
}

type LookupOptions = Resolved<typeof RULES>;

const RULES = {
  prefix: text('ip'),
  maxAge: milliseconds(5_000),
  cachedPages: integer(20_000, { min: 0 }),
  cachedPlaces: integer(10_000, { min: 0 }),
};
