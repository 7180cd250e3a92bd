import { type Sharding, type ShardingOptions, sharding } from '../../src/kit/sharding/index.js';
import {
  type Argument,
  type EmbeddedStore,
  ManualClock,
  open,
  type Store,
  StoreError,
} from '../../src/store/index.js';

/** Shards in this process, by address: `shard:a`, `shard:b` … */
export class Site implements AsyncDisposable {
  readonly clock = new ManualClock(1_000_000);
  readonly stores = new Map<string, EmbeddedStore>();
  /** Shards that new connections do not reach. */
  readonly down = new Set<string>();
  /** Called before a copy of a key is written to its new shard. */
  onCopy: () => Promise<unknown> = async () => {};
  readonly options: ShardingOptions = { open: (address) => this.#connect(address) };
  readonly #opened: Sharding[] = [];
  config!: EmbeddedStore;

  static async open(): Promise<Site> {
    const site = new Site();
    site.config = await open('memory:', { clock: site.clock });
    return site;
  }

  async shard(address: string): Promise<EmbeddedStore> {
    const store = this.stores.get(address) ?? (await open('memory:', { clock: this.clock }));
    this.stores.set(address, store);
    return store;
  }

  async #connect(address: string): Promise<Store> {
    if (this.down.has(address)) throw new StoreError('UNREACHABLE', `${address} is down`);
    const store = await (await this.shard(address)).duplicate();
    const send = store.send.bind(store);
    const observed = async (name: string, ...args: Argument[]): Promise<unknown> => {
      if (name === 'RESTORE') await this.onCopy();
      return send(name, ...args);
    };
    return Object.assign(store, { send: observed as Store['send'] });
  }

  /** Another process. */
  client(name = 'users'): Sharding {
    const client = sharding(this.config, name, this.options);
    this.#opened.push(client);
    return client;
  }

  /** Lets time pass until the promise is settled. */
  async during<T>(promise: Promise<T>, step = 7): Promise<T> {
    let isOver = false;
    promise
      .catch(() => {})
      .finally(() => {
        isOver = true;
      });
    while (!isOver) {
      this.clock.advance(step);
      for (let i = 0; i < 3; i++) await new Promise(setImmediate);
    }
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#opened) await client.close();
    for (const store of [this.config, ...this.stores.values()]) await store.close();
  }
}

export async function keysIn(store: Store): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.scan()) keys.push(key);
  return keys.sort();
}
