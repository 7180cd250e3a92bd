import type { Store } from '../../store/index.js';
import { checkStore, integer, KitError, milliseconds, resolveOptions, text } from '../foundation/index.js';
import { type Address, checkedAddress, type Family, familyOf, formatAddress } from './address.js';
import { DatasetKeys, type DatasetSize, forAllKeys } from './dataset.js';
import { Importing, type ImportOptions, type ImportSummary } from './importing.js';
import { findInPage, findPage, type PackedRange } from './pages.js';
import { type Place, unpackPlace } from './place.js';
import { RecentlyUsed } from './recently-used.js';

export interface IpLookupOptions {
  /** Prefix of all keys. Default `ip`. */
  readonly prefix?: string;
  /** After how many ms a process looks whether there is new data. Default 5,000. */
  readonly maxAge?: number;
  /** How many pages of 256 ranges (3 KB for IPv4, 9 KB for IPv6) a process keeps in memory. Default 1,000. */
  readonly cachedPages?: number;
  /** How many places a process keeps in memory. Default 10,000. */
  readonly cachedPlaces?: number;
}

/** Where an address is. */
export interface FoundPlace extends Place {
  /** The first and the last address of the range that contains it. */
  readonly from: string;
  readonly to: string;
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

/** The data in use, as this process knows it. Directories are loaded with the first lookup of their family. */
interface Dataset {
  readonly id: string;
  readonly directories: Partial<Record<Family, Promise<Buffer | undefined>>>;
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
  readonly #maxAge: number;
  readonly #pages: RecentlyUsed<string, Promise<Buffer | undefined>>;
  readonly #places: RecentlyUsed<string, Promise<Place | undefined>>;
  #dataset: Dataset | undefined;
  /** When the registry was last asked, by `time.monotonic()`. */
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checking: Promise<Dataset> | undefined;

  constructor(store: Store, options: ReturnType<typeof resolveOptions<typeof RULES>>) {
    this.#store = store;
    this.#keys = new DatasetKeys(options.prefix);
    this.#maxAge = options.maxAge;
    this.#pages = new RecentlyUsed(options.cachedPages);
    this.#places = new RecentlyUsed(options.cachedPlaces);
  }

  async find(given: string): Promise<FoundPlace | undefined> {
    const address = checkedAddress('find', given);
    const isFresh = this.#store.time.monotonic() - this.#checkedAt < this.#maxAge;
    const dataset = isFresh ? this.#dataset : await this.#current();
    if (dataset === undefined) throw noData();
    const found = await this.#findIn(dataset, address);
    if (found !== MISSING) return found;
    // The data was replaced or removed since this process last looked.
    const second = await this.#findIn(await this.#current(), address);
    if (second === MISSING) throw noData();
    return second;
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
      await forAllKeys(
        this.#store,
        this.#keys,
        id,
        JSON.parse(fields[i + 1] as string) as DatasetSize,
        'UNLINK',
      );
    }
  }

  /** `MISSING` if the data is no longer there. */
  async #findIn(dataset: Dataset, address: Address): Promise<FoundPlace | undefined | typeof MISSING> {
    const family = familyOf(address);
    const directory = await this.#directory(dataset, family);
    if (directory === undefined) return MISSING;
    const number = findPage(directory, address);
    if (number < 0) return undefined;
    const page = await this.#page(this.#keys.page(dataset.id, family, number));
    if (page === undefined) return MISSING;
    const range = findInPage(page, address);
    if (range === undefined) return undefined;
    const place = await this.#place(dataset.id, range);
    return place === undefined
      ? MISSING
      : { ...place, from: formatAddress(range.first), to: formatAddress(range.last) };
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
    if (this.#dataset?.id !== id) this.#dataset = { id, directories: {} };
    this.#checkedAt = checkedAt;
    return this.#dataset;
  }

  #directory({ id, directories }: Dataset, family: Family): Promise<Buffer | undefined> {
    const known = directories[family];
    if (known !== undefined) return known;
    const loading = this.#bytes(this.#keys.directory(id, family));
    directories[family] = loading;
    loading.then(
      (directory) => {
        if (directory === undefined) delete directories[family];
      },
      () => {
        delete directories[family];
      },
    );
    return loading;
  }

  #page(key: string): Promise<Buffer | undefined> {
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const loading = this.#bytes(key);
    this.#pages.set(key, loading);
    forgetUnlessFound(this.#pages, key, loading);
    return loading;
  }

  #place(id: string, { location }: PackedRange): Promise<Place | undefined> {
    const name = `${id} ${location}`;
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    const loading = this.#store
      .send('HGET', this.#keys.places(id, location), location)
      .then((packed) => (typeof packed === 'string' ? unpackPlace(packed) : undefined));
    this.#places.set(name, loading);
    forgetUnlessFound(this.#places, name, loading);
    return loading;
  }

  async #bytes(key: string): Promise<Buffer | undefined> {
    return (await this.#store.bytes.get(key)) ?? undefined;
  }
}

/** The data of a page, directory or place is gone. */
const MISSING: unique symbol = Symbol('missing');

/** Keeps neither errors nor what was not there. */
function forgetUnlessFound<Value>(
  values: RecentlyUsed<string, Promise<Value | undefined>>,
  key: string,
  loading: Promise<Value | undefined>,
): void {
  loading.then(
    (value) => {
      if (value === undefined) values.delete(key);
    },
    () => values.delete(key),
  );
}

function noData(): KitError {
  return new KitError(
    'NO_DATA',
    'ipLookup: there is no data: call `import` first, for example with `exampleData()`',
  );
}

const RULES = {
  prefix: text('ip'),
  maxAge: milliseconds(5_000),
  cachedPages: integer(1_000, { min: 0 }),
  cachedPlaces: integer(10_000, { min: 0 }),
};
