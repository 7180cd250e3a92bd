import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ConnectionOptions } from 'bullmq';
import { Redis } from 'ioredis';
import type * as sorrel from '../../src/store/index.js';
import { startRedis } from '../../tests/support/fleet/index.js';
import { built } from './built.js';
import { processorMicros } from './measure.js';

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
  /** Processor time that this process and the server have used so far, in ms. It depends little on what else the machine does. */
  processorTime(): number;
  stop(): Promise<void>;
}

export async function redisPlace(): Promise<Place> {
  const server = await startRedis();
  return placeAt('redis-server', server.port, server.process.pid, async () => {
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
  return placeAt(`redis-server, ${roundTrip} ms away`, port, server.process.pid, async () => {
    await proxy.terminate();
    await server.stop();
  });
}

function placeAt(name: string, port: number, pid: number | undefined, stop: () => Promise<void>): Place {
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
  return {
    name,
    openStore: () => open(`redis://127.0.0.1:${port}`),
    connection,
    newClient: () => new Redis(connection),
    processorTime: () => ownTime() + (pid === undefined ? 0 : processorMicros(pid) / 1_000),
    stop,
  };
}

function ownTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

export async function embeddedPlace(): Promise<Place> {
  const store = await open();
  const connection = { Connector: await store.connector(), maxRetriesPerRequest: null };
  return {
    name: 'embedded',
    openStore: () => store.duplicate(),
    connection,
    newClient: () => new Redis(connection),
    processorTime: ownTime,
    stop: () => store.close(),
  };
}
