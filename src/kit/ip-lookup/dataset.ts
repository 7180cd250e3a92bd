import type { Store } from '../../store/index.js';
import type { ShardedHash } from '../sharded-hash/index.js';
import { type Address, BYTES, type Family, familyOf, formatAt } from './address.js';
import type { DatasetKeys } from './dataset-keys.js';
import { findInPage, findPage, locationAt } from './pages.js';
import { type Place, unpackPlace } from './place.js';
import { RecentlyUsed } from './recently-used.js';

/** Where an address is. */
export interface FoundPlace extends Place {
  /** The first and the last address of the range that contains it. */
  readonly from: string;
  readonly to: string;
}

/** No range contains the address. */
export const NOWHERE: unique symbol = Symbol('nowhere');
/** A page, directory or place is gone: the data was replaced or removed. */
export const MISSING: unique symbol = Symbol('missing');

type Found = FoundPlace | typeof NOWHERE | typeof MISSING;

/** The ranges of IPv4 or IPv6 addresses, as far as this process has them. */
interface Ranges {
  readonly family: Family;
  directory: Buffer | undefined;
  readonly pages: RecentlyUsed<Buffer>;
}

/** One dataset, which does not change, with the parts of it that this process has in memory. */
export class Dataset {
  readonly id: string;
  readonly #bytes: Store['bytes'];
  readonly #keys: DatasetKeys;
  readonly #ranges: Readonly<Record<Family, Ranges>>;
  readonly #places: RecentlyUsed<Place>;
  readonly #storedPlaces: ShardedHash;
  /** Requests that are under way, by key: calls at the same time share them. */
  readonly #requests = new Map<string, Promise<unknown>>();

  constructor(
    store: Store,
    keys: DatasetKeys,
    id: string,
    { cachedPages, cachedPlaces }: { readonly cachedPages: number; readonly cachedPlaces: number },
  ) {
    this.id = id;
    this.#bytes = store.bytes;
    this.#keys = keys;
    this.#places = new RecentlyUsed(cachedPlaces);
    this.#storedPlaces = keys.places(store, id);
    const rangesOf = (family: Family): Ranges => ({
      family,
      directory: undefined,
      pages: new RecentlyUsed(cachedPages),
    });
    this.#ranges = { 4: rangesOf(4), 6: rangesOf(6) };
  }

  /** The answer, if all that it needs is in memory: without a promise, which takes longer than the search. */
  inMemory(address: Address): Found | undefined {
    const { family, directory, pages } = this.#ranges[familyOf(address)];
    if (directory === undefined) return undefined;
    const number = findPage(directory, address);
    if (number < 0) return NOWHERE;
    const page = pages.get(number);
    if (page === undefined) return undefined;
    const at = findInPage(page, address);
    if (at < 0) return NOWHERE;
    const place = this.#places.get(locationAt(page, at, family));
    return place === undefined ? undefined : found(place, page, at, family);
  }

  async find(address: Address): Promise<Found> {
    const ranges = this.#ranges[familyOf(address)];
    const directory = ranges.directory ?? (await this.#directory(ranges));
    if (directory === undefined) return MISSING;
    const number = findPage(directory, address);
    if (number < 0) return NOWHERE;
    const page = ranges.pages.get(number) ?? (await this.#page(ranges, number));
    if (page === undefined) return MISSING;
    const at = findInPage(page, address);
    if (at < 0) return NOWHERE;
    const location = locationAt(page, at, ranges.family);
    const place = this.#places.get(location) ?? (await this.#place(location));
    return place === undefined ? MISSING : found(place, page, at, ranges.family);
  }

  #directory(ranges: Ranges): Promise<Buffer | undefined> {
    return this.#once(this.#keys.directory(this.id, ranges.family), async (key) => {
      ranges.directory = (await this.#bytes.get(key)) ?? undefined;
      return ranges.directory;
    });
  }

  #page({ family, pages }: Ranges, number: number): Promise<Buffer | undefined> {
    return this.#once(this.#keys.page(this.id, family, number), async (key) => {
      const page = (await this.#bytes.get(key)) ?? undefined;
      if (page !== undefined) pages.set(number, page);
      return page;
    });
  }

  #place(number: number): Promise<Place | undefined> {
    return this.#once(`place ${number}`, async () => {
      const packed = await this.#storedPlaces.get(number);
      if (packed === undefined) return undefined;
      const place = unpackPlace(packed);
      this.#places.set(number, place);
      return place;
    });
  }

  /** `ask` puts what it gets into memory, so that a later call finds the one or the other. */
  #once<T>(name: string, ask: (name: string) => Promise<T>): Promise<T> {
    const pending = this.#requests.get(name);
    if (pending !== undefined) return pending as Promise<T>;
    const request = ask(name);
    this.#requests.set(name, request);
    const forget = (): boolean => this.#requests.delete(name);
    request.then(forget, forget);
    return request;
  }
}

/** Field by field: `...place` takes ten times as long, more than the search. */
function found(place: Place, page: Buffer, at: number, family: Family): FoundPlace {
  return {
    geonameId: place.geonameId,
    city: place.city,
    region: place.region,
    regionCode: place.regionCode,
    country: place.country,
    countryCode: place.countryCode,
    continent: place.continent,
    continentCode: place.continentCode,
    timeZone: place.timeZone,
    from: formatAt(page, at, family),
    to: formatAt(page, at + BYTES[family], family),
  };
}
