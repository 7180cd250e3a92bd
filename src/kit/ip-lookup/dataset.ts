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

type Requests<T> = Map<number, Promise<T | undefined>>;

/** The ranges of IPv4 or IPv6 addresses, as far as this process has them. */
interface Ranges {
  readonly family: Family;
  directory: Buffer | undefined;
  readonly pages: RecentlyUsed<Buffer>;
  /** Requests that are under way: calls at the same time share them. That for the directory has the number -1. */
  readonly requests: Requests<Buffer>;
}

/** One dataset, which does not change, with the parts of it that this process has in memory. */
export class Dataset {
  readonly id: string;
  readonly #bytes: Store['bytes'];
  readonly #keys: DatasetKeys;
  readonly #ranges: Readonly<Record<Family, Ranges>>;
  readonly #places: RecentlyUsed<Place>;
  readonly #storedPlaces: ShardedHash;
  readonly #placeRequests: Requests<Place> = new Map();

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
      requests: new Map(),
    });
    this.#ranges = { 4: rangesOf(4), 6: rangesOf(6) };
  }

  /** Without a promise if all that it needs is in memory: that takes longer than the search. */
  find(address: Address): Found | Promise<Found> {
    const ranges = this.#ranges[familyOf(address)];
    const { directory } = ranges;
    return directory === undefined
      ? this.#findByDirectory(ranges, address)
      : this.#findIn(directory, ranges, address);
  }

  #findIn(directory: Buffer, ranges: Ranges, address: Address): Found | Promise<Found> {
    const number = findPage(directory, address);
    if (number < 0) return NOWHERE;
    const page = ranges.pages.get(number);
    return page === undefined
      ? this.#findByPage(ranges, number, address)
      : this.#findOn(page, ranges.family, address);
  }

  #findOn(page: Buffer, family: Family, address: Address): Found | Promise<Found> {
    const at = findInPage(page, address);
    if (at < 0) return NOWHERE;
    const location = locationAt(page, at, family);
    const place = this.#places.get(location);
    return place === undefined
      ? this.#findByPlace(location, page, at, family)
      : found(place, page, at, family);
  }

  // What is not in memory is requested.

  async #findByDirectory(ranges: Ranges, address: Address): Promise<Found> {
    const directory = await (ranges.requests.get(-1) ??
      shared(ranges.requests, -1, this.#readDirectory(ranges)));
    return directory === undefined ? MISSING : this.#findIn(directory, ranges, address);
  }

  async #findByPage(ranges: Ranges, number: number, address: Address): Promise<Found> {
    const { requests } = ranges;
    const page = await (requests.get(number) ?? shared(requests, number, this.#readPage(ranges, number)));
    return page === undefined ? MISSING : this.#findOn(page, ranges.family, address);
  }

  async #findByPlace(number: number, page: Buffer, at: number, family: Family): Promise<Found> {
    const requests = this.#placeRequests;
    const place = await (requests.get(number) ?? shared(requests, number, this.#readPlace(number)));
    return place === undefined ? MISSING : found(place, page, at, family);
  }

  // These put what they get into memory before they end, so that a later call finds the one or the other.

  async #readDirectory(ranges: Ranges): Promise<Buffer | undefined> {
    try {
      ranges.directory = (await this.#bytes.get(this.#keys.directory(this.id, ranges.family))) ?? undefined;
      return ranges.directory;
    } finally {
      ranges.requests.delete(-1);
    }
  }

  async #readPage({ family, pages, requests }: Ranges, number: number): Promise<Buffer | undefined> {
    try {
      const page = (await this.#bytes.get(this.#keys.page(this.id, family, number))) ?? undefined;
      if (page !== undefined) pages.set(number, page);
      return page;
    } finally {
      requests.delete(number);
    }
  }

  async #readPlace(number: number): Promise<Place | undefined> {
    try {
      const packed = await this.#storedPlaces.get(number);
      if (packed === undefined) return undefined;
      const place = unpackPlace(packed);
      this.#places.set(number, place);
      return place;
    } finally {
      this.#placeRequests.delete(number);
    }
  }
}

function shared<T>(
  requests: Requests<T>,
  number: number,
  request: Promise<T | undefined>,
): Promise<T | undefined> {
  requests.set(number, request);
  return request;
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
