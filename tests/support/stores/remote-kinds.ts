import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { openCluster } from '../../../src/server/index.js';
import { type ClientLike, open, type Store } from '../../../src/store/index.js';
import {
  ask,
  startMixedCluster,
  startRedis,
  startRedisCluster,
  startSentinelGroup,
  startSorrelWithSocket,
  whenRedisIsInstalled,
} from '../fleet/index.js';
import type { StoreKind, StoreSite } from './sites.js';

/** Servers are started once per test process, when the first kind needs them. Kinds use them one after the other. */
export function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => {
    started ??= start();
    return started;
  };
}

const sorrel = once(() => startSorrelWithSocket());
const redis = once(() => startRedis());
const cluster = once(() => startRedisCluster());
const mixedCluster = once(() => startMixedCluster());
const sentinels = once(() => startSentinelGroup());

/** Begins to start all servers, so that they are ready when they are needed. `besides` is called too if Redis is installed. */
export function prepareServers(besides: () => Promise<unknown> = sentinels): void {
  const starting = whenRedisIsInstalled.skip === false ? [sorrel, redis, cluster, besides] : [sorrel];
  // A kind that needs a server waits for it, and gets its error.
  for (const start of starting) start().catch(() => {});
}

function siteAt(address: string, ports: () => Promise<readonly number[]>): StoreSite {
  return {
    address,
    open: () => open(address),
    askAll: async (...words) => Promise.all((await ports()).map((port) => ask(port, ...words))),
    stop: async () => {},
  };
}

const REMOTE = { skip: false, isCluster: false, isEmbedded: false } as const;
const REAL = { ...REMOTE, ...whenRedisIsInstalled } as const;

export const onOurServer: StoreKind = {
  ...REMOTE,
  name: 'on our server',
  start: async () => {
    const { port } = await sorrel();
    return siteAt(`redis://127.0.0.1:${port}`, async () => [port]);
  },
};

export const onOurSocket: StoreKind = {
  ...REMOTE,
  name: "on our server's Unix socket",
  start: async () => {
    const { port, socketPath } = await sorrel();
    return siteAt(`unix:${socketPath}`, async () => [port]);
  },
};

export const onRedis: StoreKind = {
  ...REAL,
  name: 'on Redis',
  start: async () => {
    const { port } = await redis();
    return siteAt(`redis://127.0.0.1:${port}`, async () => [port]);
  },
};

export const onCluster: StoreKind = {
  ...REAL,
  name: 'on a Redis Cluster',
  isCluster: true,
  start: async () => {
    const { ports } = await cluster();
    return siteAt(`redis+cluster://${hosts(ports)}`, async () => ports);
  },
};

/** In this process. */
export const onOurCluster: StoreKind = {
  ...REMOTE,
  name: 'on our Cluster',
  isCluster: true,
  start: async () => {
    const cluster = await openCluster();
    return {
      ...siteAt(cluster.address, async () => cluster.ports),
      stop: () => cluster.close(),
    };
  },
};

/** Nodes of ours and of Redis, in processes. */
export const onMixedCluster: StoreKind = {
  ...REAL,
  name: 'on a mixed Cluster',
  isCluster: true,
  start: async () => {
    const { ports } = await mixedCluster();
    return siteAt(`redis+cluster://${hosts(ports)}`, async () => ports);
  },
};

export const behindSentinels: StoreKind = {
  ...REAL,
  name: 'on Redis behind Sentinels',
  start: async () => {
    const group = await sentinels();
    const address = `redis+sentinel://${hosts(group.sentinelPorts)}/${group.name}`;
    return siteAt(address, async () => [await group.masterPort()]);
  },
};

function hosts(ports: readonly number[]): string {
  return ports.map((port) => `127.0.0.1:${port}`).join(',');
}

export const onIoredis: StoreKind = {
  ...REAL,
  name: 'on an ioredis client',
  start: () =>
    siteOfClients((port) => {
      const client = new Redis({ port, host: '127.0.0.1' });
      return { client, end: () => client.disconnect() };
    }),
};

export const onNodeRedis: StoreKind = {
  ...REAL,
  name: 'on a node-redis client',
  hasTextChannels: true,
  start: () =>
    siteOfClients(async (port) => {
      const client = createClient({ socket: { port, host: '127.0.0.1' } });
      await client.connect();
      return { client, end: () => client.destroy() };
    }),
};

interface GivenClient {
  readonly client: ClientLike;
  end(): void;
}

/** Stores that are opened with a client. The site closes the clients. */
async function siteOfClients(
  connect: (port: number) => GivenClient | Promise<GivenClient>,
): Promise<StoreSite> {
  const { port } = await redis();
  const given: GivenClient[] = [];
  return {
    open: async (): Promise<Store> => {
      const made = await connect(port);
      given.push(made);
      return open(made.client);
    },
    askAll: async (...words) => [await ask(port, ...words)],
    stop: async () => {
      for (const { end } of given) end();
    },
  };
}
