import assert from 'node:assert/strict';
import { Cluster } from 'ioredis';
import { createCluster } from 'redis';
import { open } from '../../src/store/index.js';
import { until } from '../replication/support.js';

/** A client of the cluster, whose calls may fail while nodes are lost. */
interface Client {
  readonly name: string;
  set(key: string, value: string): Promise<unknown>;
  get(key: string): Promise<string | null>;
  close(): Promise<void> | void;
}

async function ofIoredis(ports: readonly number[]): Promise<Client> {
  const client = new Cluster(
    ports.map((port) => ({ host: '127.0.0.1', port })),
    { slotsRefreshTimeout: 5000, clusterRetryStrategy: () => 100, redisOptions: { connectTimeout: 5000 } },
  ).on('error', () => {});
  return {
    name: 'ioredis',
    set: (key, value) => client.set(key, value),
    get: (key) => client.get(key),
    close: () => client.disconnect(),
  };
}

async function ofNodeRedis(ports: readonly number[]): Promise<Client> {
  const client = createCluster({
    rootNodes: ports.map((port) => ({ url: `redis://127.0.0.1:${port}` })),
    defaults: { socket: { connectTimeout: 5000, reconnectStrategy: 100 } },
  });
  client.on('error', () => {});
  await client.connect();
  return {
    name: 'node-redis',
    set: (key, value) => client.set(key, value),
    get: async (key) => {
      const value = await client.get(key);
      return value === null ? null : String(value);
    },
    close: () => client.destroy(),
  };
}

async function ofStore(ports: readonly number[]): Promise<Client> {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const store = await open(`redis+cluster://${hosts}`, { commandTimeout: 5000 });
  return {
    name: 'store',
    set: (key, value) => store.set(key, value),
    get: (key) => store.get(key),
    close: () => store.close(),
  };
}

const KEYS = 700;

/** One client, and what was acknowledged to it. Values are numbers that grow. */
class Writer {
  readonly #client: Client;
  readonly #acknowledged = new Map<string, number>();
  #safe = new Map<string, number>();
  #count = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  async write(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.#writeOne(() => false);
  }

  async writeUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.#writeOne(isOver);
  }

  /** Tries again until it is acknowledged, or it is over. */
  async #writeOne(isOver: () => boolean): Promise<void> {
    const value = this.#count++;
    const key = `${this.#client.name}:${value % KEYS}`;
    const isAcknowledged = await until(
      `${this.#client.name} writes`,
      async () => {
        try {
          await this.#client.set(key, String(value));
          return true;
        } catch (error) {
          if (isOver()) return false;
          throw error;
        }
      },
      () => true,
    );
    if (isAcknowledged) this.#acknowledged.set(key, value);
    // It may have been written.
    else this.#acknowledged.delete(key);
  }

  async #read(key: string): Promise<number | undefined> {
    const value = await until(
      `${this.#client.name} reads`,
      () => this.#client.get(key),
      () => true,
    );
    return value === null ? undefined : Number(value);
  }

  remember(): void {
    this.#safe = new Map(this.#acknowledged);
  }

  async check(): Promise<void> {
    for (const [key, value] of this.#acknowledged) assert.equal(await this.#read(key), value, key);
  }

  async checkSafe(): Promise<number> {
    let lost = 0;
    for (const key of new Set([...this.#acknowledged.keys(), ...this.#safe.keys()])) {
      const found = await this.#read(key);
      const safe = this.#safe.get(key);
      const last = this.#acknowledged.get(key);
      if (safe !== undefined)
        assert.ok(found !== undefined && found >= safe, `${key}: ${found} after ${safe}`);
      assert.ok(found === undefined || found < this.#count, `${key}: ${found} was never written`);
      if (found !== last) lost++;
      if (found === undefined) this.#acknowledged.delete(key);
      else this.#acknowledged.set(key, found);
    }
    return lost;
  }
}

/** Clients of three kinds that write to a cluster and remember what was acknowledged: ioredis, node-redis and our store. */
export class Writers {
  readonly #clients: readonly Client[];
  readonly #writers: readonly Writer[];

  private constructor(clients: readonly Client[]) {
    this.#clients = clients;
    this.#writers = clients.map((client) => new Writer(client));
  }

  static async connect(ports: readonly number[]): Promise<Writers> {
    return new Writers([await ofIoredis(ports), await ofNodeRedis(ports), await ofStore(ports)]);
  }

  async #all<Result>(act: (writer: Writer) => Promise<Result>): Promise<Result[]> {
    return Promise.all(this.#writers.map(act));
  }

  /** Each writes this often. */
  async write(count: number): Promise<void> {
    await this.#all((writer) => writer.write(count));
  }

  /** They write until `work` has ended. */
  async writeDuring(work: Promise<unknown>): Promise<void> {
    let isOver = false;
    const ended = work.finally(() => {
      isOver = true;
    });
    ended.catch(() => {});
    await this.#all((writer) => writer.writeUntil(() => isOver));
    await ended;
  }

  /** What has been acknowledged so far is on replicas: no failover may lose it. */
  remember(): void {
    for (const writer of this.#writers) writer.remember();
  }

  /** Every acknowledged write is there, at the node that owns its slot. */
  async check(): Promise<void> {
    await this.#all((writer) => writer.check());
  }

  /** After a failover: what was remembered is there, or a later value. Returns how many later writes were lost. */
  async checkSafe(): Promise<number> {
    return (await this.#all((writer) => writer.checkSafe())).reduce((sum, lost) => sum + lost, 0);
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}
