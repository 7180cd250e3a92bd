import { Redis } from 'ioredis';
import { createClient } from 'redis';
import {
  type ClientLike,
  open,
  openWorker,
  type RemoteOptions,
  type Store,
} from '../../../src/store/index.js';
import {
  type Server,
  startRedis,
  startRedisCluster,
  startSentinelGroup,
  startSorrelWithSocket,
  whenRedisIsInstalled,
} from '../fleet/index.js';
import { Gateway } from './gateway.js';

/** A kind of outage. */
export type Outage =
  /** The process is stopped (SIGSTOP): connections stay open, but no answer comes. */
  | 'stopped'
  /** A proxy in front of it accepts connections and forwards nothing. */
  | 'silent'
  /** Connections are cut, and new ones refused, as when the process was killed. */
  | 'refusing';

/** Limits of the stores that a suite opens. They are short, so that outages are noticed soon. */
export type SiteOptions = Pick<RemoteOptions, 'commandTimeout' | 'connectTimeout'>;

/** One or several servers that a test can make unreachable. */
export interface OutageSite {
  open(options?: SiteOptions): Promise<Store>;
  /** Begins the outage. */
  leave(outage: Outage): Promise<void>;
  /** Ends the outage. */
  comeBack(): Promise<void>;
  /** A store that bypasses the proxy, to inspect the data. Only while the server runs. */
  look(): Promise<Store>;
  stop(): Promise<void>;
}

export interface OutageKind {
  readonly name: string;
  readonly skip: string | false;
  readonly outages: readonly Outage[];
  start(): Promise<OutageSite>;
}

const ALL: readonly Outage[] = ['stopped', 'silent', 'refusing'];

type OpenAt = (port: number, options: SiteOptions) => Promise<Store>;

/** One server behind a gateway. */
async function siteOf(server: Server, openAt: OpenAt): Promise<OutageSite> {
  const gateway = await Gateway.before(server.port);
  return {
    open: (options = {}) => openAt(gateway.port, options),
    look: () => open(`redis://127.0.0.1:${server.port}`),
    leave: async (outage) => {
      if (outage === 'stopped') server.process.kill('SIGSTOP');
      else await gateway.set(outage);
    },
    comeBack: async () => {
      server.process.kill('SIGCONT');
      await gateway.set('open');
    },
    stop: async () => {
      server.process.kill('SIGCONT');
      await gateway.close();
      await server.stop();
    },
  };
}

const atAddress: OpenAt = (port, options) => open(`redis://127.0.0.1:${port}`, options);

function clientKind(name: string, make: (port: number) => ClientLike): OutageKind {
  return {
    name,
    skip: whenRedisIsInstalled.skip,
    outages: ALL,
    start: async () => siteOf(await startRedis(), (port, options) => open(make(port), options)),
  };
}

/** The processes of all servers of a group are stopped together. */
function groupSite(
  servers: () => Promise<readonly Server[]>,
  address: string,
  stop: () => Promise<void>,
): OutageSite {
  let left: readonly Server[] = [];
  const comeBack = async (): Promise<void> => {
    for (const server of left) server.process.kill('SIGCONT');
    left = [];
  };
  return {
    open: (options = {}) => open(address, options),
    look: () => open(address),
    leave: async () => {
      left = await servers();
      for (const server of left) server.process.kill('SIGSTOP');
    },
    comeBack,
    stop: async () => {
      await comeBack();
      await stop();
    },
  };
}

function hosts(ports: readonly number[]): string {
  return ports.map((port) => `127.0.0.1:${port}`).join(',');
}

export const onRedis: OutageKind = {
  name: 'on Redis',
  skip: whenRedisIsInstalled.skip,
  outages: ALL,
  start: async () => siteOf(await startRedis(), atAddress),
};

export const onOurServer: OutageKind = {
  name: 'on our server',
  skip: false,
  outages: ALL,
  start: async () => siteOf(await startSorrelWithSocket(), atAddress),
};

export const onIoredis = clientKind(
  'on an ioredis client',
  (port) => new Redis({ port, host: '127.0.0.1', lazyConnect: true }),
);

export const onNodeRedis = clientKind('on a node-redis client', (port) =>
  createClient({ socket: { port, host: '127.0.0.1' } }),
);

export const onCluster: OutageKind = {
  name: 'on a Redis Cluster',
  skip: whenRedisIsInstalled.skip,
  outages: ['stopped'],
  start: async () => {
    const cluster = await startRedisCluster();
    return groupSite(
      async () => cluster.nodes,
      `redis+cluster://${hosts(cluster.ports)}`,
      () => cluster.stop(),
    );
  },
};

export const behindSentinels: OutageKind = {
  name: 'on Redis behind Sentinels',
  skip: whenRedisIsInstalled.skip,
  outages: ['stopped'],
  start: async () => {
    const group = await startSentinelGroup();
    const address = `redis+sentinel://${hosts(group.sentinelPorts)}/${group.name}`;
    return groupSite(
      async () => group.servers,
      address,
      () => group.stop(),
    );
  },
};

/** A thread that sleeps and cannot answer. */
export const inThread: OutageKind = {
  name: 'in a thread of its own',
  skip: false,
  outages: ['stopped'],
  start: async () => {
    const worker = await openWorker('memory:', { settings: { 'enable-debug-command': 'yes' } });
    let busy: Store | undefined;
    return {
      open: (options = {}) =>
        worker.open(options.commandTimeout === undefined ? {} : { commandTimeout: options.commandTimeout }),
      look: () => worker.open(),
      leave: async () => {
        busy = await worker.open();
        const view = busy.with({ timeout: Number.POSITIVE_INFINITY });
        view.send('DEBUG', 'SLEEP', BUSY_SECONDS).catch(() => {});
      },
      comeBack: async () => {
        // It ends by itself.
        const store = await worker.open();
        await store.with({ timeout: 60_000 }).ping();
        await store.close();
        await busy?.close();
      },
      stop: () => worker.close(),
    };
  },
};

const BUSY_SECONDS = 8;

export const OUTAGE_KINDS: readonly OutageKind[] = [
  onRedis,
  onOurServer,
  onIoredis,
  onNodeRedis,
  onCluster,
  behindSentinels,
  inThread,
];
