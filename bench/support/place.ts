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
  /** How BullMQ gets there. */
  readonly connection: ConnectionOptions;
  /** An ioredis client, which the caller disconnects. */
  newClient(): Redis;
  stop(): Promise<void>;
}

export async function redisPlace(): Promise<Place> {
  const server = await startRedis();
  const connection = { host: '127.0.0.1', port: server.port, maxRetriesPerRequest: null };
  return {
    name: 'redis-server',
    openStore: () => open(`redis://127.0.0.1:${server.port}`),
    connection,
    newClient: () => new Redis(connection),
    stop: async () => {
      await server.stop();
    },
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
