import type { Store } from '../../store/index.js';
import { readNow, type ShardedMembers, type SyncOf, syncOf } from '../foundation/index.js';
import { BYTES, type Family, formatAt, type SoughtAddress } from './address.js';
import type { DatasetKeys } from './dataset-keys.js';
import { type Directory, directoryOf, findInPage, findPage, locationAt } from './pages.js';
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

/** Requests that are under way, by the number of what was asked for: calls at the same time share them. */
type Requests<T> = Map<number, Promise<T>>;

/** The ranges of IPv4 or IPv6 addresses, as far as this process has them. */
interface Ranges {
  readonly family: Family;
  directory: Directory | undefined;
  readonly pages: RecentlyUsed<Buffer>;
  readonly requests: Requests<Buffer | null>;
  directoryRequest: Promise<Buffer | null> | undefined;
}

/** One dataset, which does not change, with the parts of it that this process has in memory. */
export class Dataset {
  readonly id: string;
  readonly #bytes: Store['bytes'];
  readonly #keys: DatasetKeys;
  readonly #ranges: Readonly<Record<Family, Ranges>>;
  readonly #places: RecentlyUsed<Place>;
  readonly #storedPlaces: ShardedMembers;
  readonly #store: Store;
  readonly #sync: { readonly text: SyncOf; readonly bytes: SyncOf['bytes'] } | undefined;
  readonly #placeRequests: Requests<string | null> = new Map();

  constructor(
    store: Store,
    keys: DatasetKeys,
    id: string,
    { cachedPages, cachedPlaces }: { readonly cachedPages: number; readonly cachedPlaces: number },
  ) {
    this.id = id;
    this.#store = store;
    this.#bytes = store.bytes;
    const sync = syncOf(store);
    this.#sync = sync && { text: sync, bytes: sync.bytes };
    this.#keys = keys;
    this.#places = new RecentlyUsed(cachedPlaces);
    this.#storedPlaces = keys.storedPlaces(store, id);
    const rangesOf = (family: Family): Ranges => ({
      family,
      directory: undefined,
      pages: new RecentlyUsed(cachedPages),
      requests: new Map(),
      directoryRequest: undefined,
    });
    this.#ranges = { 4: rangesOf(4), 6: rangesOf(6) };
  }

  /** Without a promise if all that it needs is in memory or in an embedded store: that takes longer than the search. */
  find(address: SoughtAddress): Found | Promise<Found> {
    const ranges = this.#ranges[typeof address === 'number' ? 4 : 6];
    const { directory, family } = ranges;
    if (directory === undefined) return this.#request(ranges, address);
    const number = findPage(directory, address);
    if (number < 0) return NOWHERE;
    const page = ranges.pages.get(number) ?? this.#readPage(ranges, number);
    if (page === undefined) return this.#request(ranges, address);
    const at = findInPage(page, address);
    if (at < 0) return NOWHERE;
    const location = locationAt(page, at, family);
    const place = this.#places.get(location) ?? this.#readPlace(location);
    return place === undefined ? this.#request(ranges, address) : found(place, page, at, family);
  }

  // These read from an embedded store; undefined also if there is something to wait for, or wrong.

  #readPage({ family, pages }: Ranges, number: number): Buffer | undefined {
    const sync = this.#sync;
    if (sync === undefined) return undefined;
    const page = readNow(() => sync.bytes.get(this.#keys.page(this.id, family, number))) ?? undefined;
    if (page !== undefined) pages.set(number, page);
    return page;
  }

  #readPlace(number: number): Place | undefined {
    const sync = this.#sync;
    const id = String(number);
    const shard = sync && this.#storedPlaces.rememberedKeyOf(id);
    if (sync === undefined || shard === undefined) return undefined;
    const packed = readNow(() => sync.text.hget(shard, id)) ?? undefined;
    if (packed === undefined) return undefined;
    const place = unpackPlace(packed);
    this.#places.set(number, place);
    return place;
  }

  /**
   * The same with requests for what is not in memory. It is one function because each promise takes as long as a search. The first of the
   * calls that share a request puts the answer into memory.
   */
  async #request(ranges: Ranges, address: SoughtAddress): Promise<Found> {
    const { family, pages, requests } = ranges;
    const directory = ranges.directory ?? (await this.#readDirectory(ranges));
    if (directory === undefined) return MISSING;
    const number = findPage(directory, address);
    if (number < 0) return NOWHERE;

    let page = pages.get(number);
    if (page === undefined) {
      let request = requests.get(number);
      if (request === undefined) {
        request = this.#bytes.get(this.#keys.page(this.id, family, number));
        requests.set(number, request);
      }
      let isFirst = false;
      try {
        page = (await request) ?? undefined;
      } finally {
        isFirst = requests.delete(number);
      }
      if (page === undefined) return MISSING;
      if (isFirst) pages.set(number, page);
    }
    const at = findInPage(page, address);
    if (at < 0) return NOWHERE;

    const location = locationAt(page, at, family);
    let place = this.#places.get(location);
    if (place === undefined) {
      const placeRequests = this.#placeRequests;
      let request = placeRequests.get(location);
      if (request === undefined) {
        request = this.#requestPlace(String(location));
        placeRequests.set(location, request);
      }
      let packed: string | null;
      let isFirst = false;
      try {
        packed = await request;
      } finally {
        isFirst = placeRequests.delete(location);
      }
      if (packed === null) return MISSING;
      place = unpackPlace(packed);
      if (isFirst) this.#places.set(location, place);
    }
    return found(place, page, at, family);
  }

  #requestPlace(id: string): Promise<string | null> {
    const shard = this.#storedPlaces.rememberedKeyOf(id);
    return shard === undefined ? this.#requestPlaceByLayout(id) : this.#store.hget(shard, id);
  }

  async #requestPlaceByLayout(id: string): Promise<string | null> {
    const shard = await this.#storedPlaces.keyOf(id);
    return shard === undefined ? null : this.#store.hget(shard, id);
  }

  async #readDirectory(ranges: Ranges): Promise<Directory | undefined> {
    const { family } = ranges;
    const key = this.#keys.directory(this.id, family);
    ranges.directoryRequest ??= this.#bytes.get(key);
    try {
      const bytes = await ranges.directoryRequest;
      if (bytes !== null) ranges.directory ??= directoryOf(bytes, family);
      return ranges.directory;
    } finally {
      ranges.directoryRequest = undefined;
    }
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
