import { existsSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { type Address, parseAddress, withoutPassword } from '../../store/address.js';
import { type EmbeddedStore, open, type RemoteOptions, type Store, StoreError } from '../../store/index.js';

/** One side of a copy: all databases at an address, or the one that the address names. */
export class CopyPlace {
  /** The address as it may be shown. */
  readonly shown: string;
  /** The database that the address names; undefined if it means all. */
  readonly named: number | undefined;
  readonly #address: string;
  readonly #parsed: Address;
  readonly #first: Store;
  readonly #stores = new Map<number, Promise<Store>>();
  #masters: Promise<readonly Store[]> | undefined;
  #finish: () => Promise<void> = async () => {};
  #isLasting = true;
  readonly #closing: (() => Promise<void>)[] = [];

  private constructor(address: string, parsed: Address, first: Store) {
    this.shown = withoutPassword(address);
    this.named = 'database' in parsed ? parsed.database : undefined;
    this.#address = address;
    this.#parsed = parsed;
    this.#first = first;
    this.#closing.push(() => first.close());
    this.#stores.set(this.named ?? 0, Promise.resolve(first));
  }

  /** `use` says whether the place is read or written to. */
  static async open(address: string, use: 'source' | 'target'): Promise<CopyPlace> {
    if (isRdbFile(address)) return CopyPlace.#openRdb(address, use);
    const parsed = parseAddress(address);
    if (parsed.kind === 'memory') {
      throw new Error('memory: is empty and ends with this command: name a folder or a server');
    }
    if (use === 'source' && parsed.kind === 'file' && !existsSync(parsed.folder)) {
      throw new Error(`there is no folder ${parsed.folder}`);
    }
    return new CopyPlace(address, parsed, await open(address, patience(parsed)));
  }

  /** An engine in a temporary folder that loads the file, or whose data becomes the file in `finish`. */
  static async #openRdb(path: string, use: 'source' | 'target'): Promise<CopyPlace> {
    if (use === 'target' && existsSync(path))
      throw new Error(`${path} exists: remove it, or name another file`);
    const folder = use === 'source' ? mkdtempSync(join(tmpdir(), 'sorrel-copy-')) : besides(path);
    const inside = join(folder, RDB_NAME);
    try {
      if (use === 'source') symlinkSync(realpathSync(path), inside);
      const store = await open(`file:${folder}`, { settings: { appendonly: false, dbfilename: RDB_NAME } });
      const place = new CopyPlace(path, { kind: 'file', folder }, store);
      place.#closing.unshift(async () => rmSync(folder, { recursive: true, force: true }));
      if (use === 'target') {
        place.#isLasting = false;
        // A copy that was killed left it here.
        await store.send('FLUSHALL');
        await store.send('FUNCTION', 'FLUSH');
        place.#finish = async () => {
          await store.send('SAVE');
          renameSync(inside, path);
        };
      }
      return place;
    } catch (error) {
      // The folder belongs to another copy to the same file, which is running.
      if (!(error instanceof StoreError && error.code === 'LOCKED'))
        rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** To be called when everything has arrived. */
  finish(): Promise<void> {
    return this.#finish();
  }

  /** Whether copied keys are still there when the command is called again. Not in an RDB file, which is written at the end. */
  get canBeGoneOnWith(): boolean {
    return this.#isLasting;
  }

  get isCluster(): boolean {
    return this.#first.kind === 'cluster';
  }

  /** To read and write the keys of a database. */
  keys(database: number): Promise<Store> {
    let store = this.#stores.get(database);
    if (store === undefined) {
      store = this.#open(database);
      this.#stores.set(database, store);
    }
    return store;
  }

  async #open(database: number): Promise<Store> {
    if (this.isCluster) throw new Error(`${this.shown} is a Cluster, which has no database ${database}`);
    const limits =
      this.#first.kind === 'embedded' ? { commandTimeout: COMMAND_TIMEOUT_MS } : patience(this.#parsed);
    const store = await open(await this.#reach(), { ...limits, database });
    this.#closing.push(() => store.close());
    return store;
  }

  /** A folder can be opened only once: its other databases are reached through a socket. */
  async #reach(): Promise<string> {
    if (this.#first.kind !== 'embedded') return this.#address;
    return `unix:${await (this.#first as EmbeddedStore).unixSocket()}`;
  }

  /** Each of the servers that have keys, to look through the keys of a database. */
  async servers(database: number): Promise<readonly Store[]> {
    if (!this.isCluster) return [await this.keys(database)];
    this.#masters ??= this.#openMasters();
    return this.#masters;
  }

  async #openMasters(): Promise<readonly Store[]> {
    const parsed = this.#parsed as Extract<Address, { kind: 'cluster' }>;
    const slots = await this.#first.send<readonly (readonly [number, number, readonly [string, number]])[]>(
      'CLUSTER',
      'SLOTS',
    );
    const hosts = new Set(
      slots.map(([, , [host, port]]) => `${host.includes(':') ? `[${host}]` : host}:${port}`),
    );
    const options: RemoteOptions = {
      ...patience(parsed),
      ...(parsed.username === undefined ? {} : { username: parsed.username }),
      ...(parsed.password === undefined ? {} : { password: parsed.password }),
    };
    return Promise.all(
      [...hosts].map(async (host) => {
        const store = await open(`${parsed.tls ? 'rediss' : 'redis'}://${host}`, options);
        this.#closing.push(() => store.close());
        return store;
      }),
    );
  }

  /** The number of keys in each database. Only databases that have keys and belong to the copy. */
  async sizes(): Promise<ReadonlyMap<number, number>> {
    const sizes = new Map<number, number>();
    for (const server of await this.servers(this.named ?? 0)) {
      const info = await server.send<string>('INFO', 'keyspace');
      for (const [, database, keys] of info.matchAll(/^db(\d+):keys=(\d+)/gm)) {
        const number = Number(database);
        if (this.named !== undefined && this.named !== number) continue;
        sizes.set(number, (sizes.get(number) ?? 0) + Number(keys));
      }
    }
    return sizes;
  }

  async close(): Promise<void> {
    for (let work = this.#closing.pop(); work !== undefined; work = this.#closing.pop()) await work();
  }
}

/** Always the same, so that a copy that was killed leaves nothing behind once it is repeated. */
function besides(path: string): string {
  const target = resolve(path);
  return join(dirname(target), `.${basename(target)}.sorrel-copy`);
}

/** `backup.rdb`, but not `file:backup.rdb`, which is a folder. */
function isRdbFile(address: string): boolean {
  return /\.rdb$/i.test(address) && !/^[a-z+]+:/i.test(address);
}

const RDB_NAME = 'dump.rdb';

/** Large values take long to dump and restore; a `commandTimeout` in the address counts before this. */
function patience(parsed: Address): RemoteOptions {
  if (!('query' in parsed) || parsed.query['commandTimeout'] !== undefined) return {};
  return { commandTimeout: COMMAND_TIMEOUT_MS };
}

const COMMAND_TIMEOUT_MS = 120_000;
