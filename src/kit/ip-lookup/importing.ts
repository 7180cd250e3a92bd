import type { Argument, Store } from '../../store/index.js';
import {
  abortSignal,
  callback,
  KitError,
  newId,
  optional,
  resolveOptions,
  ruled,
  throwIfAborted,
} from '../foundation/index.js';
import type { ShardedHash } from '../sharded-hash/index.js';
import {
  type AddressRange,
  type Family,
  familyOf,
  formatAddress,
  parseAddress,
  parseNetwork,
} from './address.js';
import { type CsvRow, type CsvSource, checkedSource, readCsv, sizeOf } from './csv.js';
import { type DatasetKeys, type DatasetSize, keep } from './dataset-keys.js';
import { PageBuilder } from './pages.js';
import { LOCATION_COLUMNS, packPlace } from './place.js';
import type { ImportProgress } from './progress-bar.js';

export interface ImportOptions {
  /** `GeoLite2-City-Blocks-IPv4.csv` and `…-IPv6.csv`, or files of the same layout, in ascending order of addresses. */
  readonly blocks: readonly CsvSource[];
  /** `GeoLite2-City-Locations-en.csv`, or a file of the same layout. */
  readonly locations: CsvSource;
  /** Called now and then, and at the end. `progressBar` makes one. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Ends the import with `ABORTED`; the old data stays in use. */
  readonly signal?: AbortSignal;
}

export interface ImportSummary {
  readonly ranges: number;
  readonly locations: number;
}

/** How long unfinished data is kept, in ms: until then an import has to be done. */
const UNFINISHED = 86_400_000;
/** How long replaced data can still be read, in ms, by processes that have not noticed yet. */
const REPLACED = 60_000;
/** Commands of one pipeline. */
const BATCH = 100;
/** Places of one pipeline: neighbours are in the same hash. */
const PLACES_AT_ONCE = 2_000;

/** One import: writes a new dataset beside the current one, and then puts it in its place in one step. */
export class Importing {
  readonly #store: Store;
  readonly #keys: DatasetKeys;
  readonly #options: ReturnType<typeof resolveImport>;
  readonly #id = newId();
  readonly #pages = { 4: new PageBuilder(4), 6: new PageBuilder(6) };
  readonly #directories: Readonly<Record<Family, Buffer[]>> = { 4: [], 6: [] };
  /** The last address of each family so far. */
  readonly #ends: Partial<Record<Family, Buffer>> = {};
  /** From a place's number at GeoNames to its number here. */
  readonly #places = new Map<string, number>();
  readonly #stored: ShardedHash;
  /** Places that are not written yet. */
  #newPlaces: [number, string][] = [];
  #commands: [string, ...Argument[]][] = [];
  #ranges = 0;
  #bytes = 0;
  #totalBytes: number | undefined;

  constructor(store: Store, keys: DatasetKeys, options: ImportOptions) {
    this.#store = store;
    this.#keys = keys;
    this.#options = resolveImport(options);
    // The layout of a sharded hash stays twice as long as its shards.
    this.#stored = keys.places(store, this.#id, UNFINISHED / 2);
  }

  async run(): Promise<ImportSummary> {
    const { locations, blocks } = this.#options;
    const sizes = await Promise.all([locations, ...blocks].map(sizeOf));
    this.#totalBytes = sizes.some((size) => size === undefined)
      ? undefined
      : sizes.reduce<number>((sum, size) => sum + (size as number), 0);
    await this.#importPlaces(locations);
    for (const source of blocks) await this.#importBlocks(source);
    for (const family of [4, 6] as const) await this.#finishFamily(family);
    await this.#flush();
    await this.#takeOver();
    this.#report(1);
    return { ranges: this.#ranges, locations: this.#places.size };
  }

  async #importPlaces(source: CsvSource): Promise<void> {
    for await (const rows of this.#read('`locations`', source, LOCATION_COLUMNS)) {
      for (const row of rows) await this.#addPlace(row);
    }
    await this.#flush();
  }

  async #addPlace(row: CsvRow): Promise<void> {
    const id = row.value('geoname_id');
    if (!/^\d+$/.test(id)) throw malformed(row, `'${id}' is no geoname_id`);
    const number = this.#places.get(id) ?? this.#places.size;
    this.#places.set(id, number);
    this.#newPlaces.push([number, packPlace(row)]);
    if (this.#newPlaces.length >= PLACES_AT_ONCE) await this.#flush();
  }

  async #importBlocks(source: CsvSource): Promise<void> {
    for await (const rows of this.#read('a file of `blocks`', source, ['geoname_id'])) {
      for (const row of rows) {
        const range = rangeOf(row);
        const family = familyOf(range.first);
        this.#checkOrder(row, range, family);
        const location = this.#places.get(placeOf(row));
        if (location === undefined) continue;
        const page = this.#pages[family];
        if (page.isEmpty) this.#directories[family].push(range.first);
        page.add({ ...range, location });
        this.#ranges++;
        if (page.isFull) await this.#writePage(family);
      }
    }
  }

  #read(what: string, source: CsvSource, needed: readonly string[]): AsyncIterable<CsvRow[]> {
    return readCsv(what, source, needed, (bytes) => {
      this.#bytes += bytes;
    });
  }

  #checkOrder(row: CsvRow, { first, last }: AddressRange, family: Family): void {
    const end = this.#ends[family];
    if (end !== undefined && first.compare(end) <= 0) {
      throw malformed(
        row,
        `${formatAddress(first)} is not after ${formatAddress(end)}: sort the blocks by address`,
      );
    }
    this.#ends[family] = last;
  }

  async #writePage(family: Family): Promise<void> {
    const number = this.#directories[family].length - 1;
    const key = this.#keys.page(this.#id, family, number);
    await this.#send(['SET', key, this.#pages[family].take(), 'PX', UNFINISHED]);
  }

  async #finishFamily(family: Family): Promise<void> {
    if (!this.#pages[family].isEmpty) await this.#writePage(family);
    const directory = Buffer.concat(this.#directories[family]);
    await this.#send(['SET', this.#keys.directory(this.#id, family), directory, 'PX', UNFINISHED]);
  }

  /** Until here all keys expire by themselves. From now on the registry owns them, so that a later import can remove them. */
  async #takeOver(): Promise<void> {
    const { registry } = this.#keys;
    const size: DatasetSize = {
      pages4: this.#directories[4].length,
      pages6: this.#directories[6].length,
      places: this.#places.size,
    };
    throwIfAborted(this.#options.signal);
    const record = JSON.stringify({ ...size, begun: this.#store.time.now() });
    await this.#store.send('HSET', registry, `dataset:${this.#id}`, record);
    await keep(this.#store, this.#keys, { id: this.#id, size, until: 'removed' });
    const previous = await this.#store.script(REPLACE)({ registry, id: this.#id });
    await this.#removeOthers(previous);
  }

  /** Removes the data that was replaced, and what a process that died has left. */
  async #removeOthers(previous: string): Promise<void> {
    const fields = (await this.#store.send('HGETALL', this.#keys.registry)) as string[];
    for (let i = 0; i < fields.length; i += 2) {
      const id = /^dataset:(.*)$/.exec(fields[i] as string)?.[1];
      if (id === undefined || id === this.#id) continue;
      const { begun, ...size } = JSON.parse(fields[i + 1] as string) as DatasetSize & { begun: number };
      const isLeftOver =
        begun < this.#store.time.now() - UNFINISHED && fields[fields.indexOf('current') + 1] !== id;
      if (id !== previous && !isLeftOver) continue;
      await keep(this.#store, this.#keys, { id, size, until: { ms: REPLACED } });
      await this.#store.send('HDEL', this.#keys.registry, fields[i] as string);
    }
  }

  async #send(...commands: [string, ...Argument[]][]): Promise<void> {
    this.#commands.push(...commands);
    if (this.#commands.length >= BATCH) await this.#flush();
  }

  async #flush(): Promise<void> {
    throwIfAborted(this.#options.signal);
    const [commands, places] = [this.#commands, this.#newPlaces];
    this.#commands = [];
    this.#newPlaces = [];
    if (places.length > 0) await this.#stored.setMany(places);
    await this.#store.pipeline((queue) => commands.map(([name, ...args]) => queue.send(name, ...args)));
    this.#report(this.#totalBytes === undefined ? undefined : Math.min(0.99, this.#bytes / this.#totalBytes));
  }

  #report(done: number | undefined): void {
    this.#options.onProgress?.({ done, ranges: this.#ranges, locations: this.#places.size });
  }
}

/** The id of the dataset that was in use before; '' if there was none. */
const REPLACE = {
  keys: ['registry'],
  args: ['id'],
  lua: `
    local previous = redis.call('HGET', registry, 'current') or ''
    redis.call('HSET', registry, 'current', id)
    return previous`,
  reply: (reply: unknown) => reply as string,
} as const;

/** A block has a network, or a first and a last address. */
function rangeOf(row: CsvRow): AddressRange {
  const network = row.value('network');
  if (network !== '') {
    const range = parseNetwork(network);
    if (range === undefined) throw malformed(row, `'${network}' is no network such as 192.0.2.0/24`);
    return range;
  }
  const [start, end] = [row.value('network_start_ip'), row.value('network_last_ip')];
  const [first, last] = [parseAddress(start), parseAddress(end)];
  if (first === undefined || last === undefined || first.length !== last.length || first.compare(last) > 0) {
    throw malformed(
      row,
      `'${start}' to '${end}' is no range of addresses (columns network, or network_start_ip and network_last_ip)`,
    );
  }
  return { first, last };
}

/** A block without a city has at least the country in which it is registered. */
function placeOf(row: CsvRow): string {
  return (
    row.value('geoname_id') ||
    row.value('registered_country_geoname_id') ||
    row.value('represented_country_geoname_id')
  );
}

function malformed({ line }: CsvRow, what: string): KitError {
  return new KitError('FORMAT', `import: line ${line}: ${what}`);
}

const RULES = {
  blocks: ruled<readonly CsvSource[]>((value) =>
    Array.isArray(value) && value.length > 0 ? undefined : 'must be a list of at least one source',
  ),
  locations: ruled<CsvSource>(() => undefined),
  onProgress: optional(callback<NonNullable<ImportOptions['onProgress']>>()),
  signal: optional(abortSignal()),
};

function resolveImport(options: ImportOptions) {
  const resolved = resolveOptions('import', options, RULES);
  checkedSource('locations', resolved.locations);
  for (const source of resolved.blocks) checkedSource('blocks', source);
  return resolved;
}
