import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ConnectionOptions } from 'bullmq';
import { Redis } from 'ioredis';
import type * as sorrel from '../../src/store/index.js';
import { startRedis } from '../../tests/support/fleet/index.js';
import { built } from './built.js';

const { open } = await built<typeof sorrel>('store/index.js');

/** Where contenders keep their data: the same place for all of them in one run. */
export interface Place {
  readonly name: string;
  /** A store with a connection of its own. */
  openStore(): Promise<sorrel.Store>;
  /** The connection options for BullMQ. */
  readonly connection: ConnectionOptions;
  /** An ioredis client, which the caller disconnects. */
  newClient(): Redis;
  stop(): Promise<void>;
}

export async function redisPlace(): Promise<Place> {
  const server = await startRedis();
  return placeAt('redis-server', server.port, async () => {
    await server.stop();
  });
}

/** A redis-server behind a network: a round trip takes `roundTrip` ms longer. */
export async function distantPlace(roundTrip: number): Promise<Place> {
  const server = await startRedis();
  const proxy = new Worker(new URL('delay-proxy.mjs', import.meta.url), {
    workerData: { target: server.port, roundTrip },
    execArgv: [],
  });
  const [port] = (await once(proxy, 'message')) as [number];
  return placeAt(`redis-server, ${roundTrip} ms away`, port, async () => {
    await proxy.terminate();
    await server.stop();
  });
}

function placeAt(name: string, port: number, stop: () => Promise<void>): Place {
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
  return {
    name,
    openStore: () => open(`redis://127.0.0.1:${port}`),
    connection,
    newClient: () => new Redis(connection),
    stop,
  };
}

export async function embeddedPlace(): Promise<Place> {
  const store = await open();
  const connection = { Connector: await store.connector(), maxRetriesPerRequest: null };
  return {
    name: 'embedded',
    openStore: () => store.duplicate(),
    connection,
    newClient: () => new Redis(connection),
    stop: () => store.close(),
  };
}
