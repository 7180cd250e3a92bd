import type { Cluster, ClusterOptions, Redis, RedisOptions } from 'ioredis';
import type { Address } from '../address.js';
import type { RemoteOptions } from '../options.js';
import { StoreError } from '../store-error.js';
import { systemTime } from '../time.js';
import type { Request } from '../transport.js';
import { ClusterDriver, type IsReadOnly } from './cluster-driver.js';
import type { Ioredis } from './ioredis-client.js';
import { sentinelPatience } from './ioredis-connecting.js';
import { IoredisDriver, OWN_OPTIONS } from './ioredis-driver.js';
import { type NodeRedisClient, NodeRedisDriver } from './node-redis-driver.js';
import type { RemoteDriver } from './remote-driver.js';

type ServerAddress = Extract<Address, { kind: 'standalone' | 'sentinel' | 'cluster' }>;

type OwnOptions = typeof OWN_OPTIONS;
type LegacyMapping = Pick<OwnOptions, 'replyMapping'>;

const OPEN_MS = 10_000;

/** Connects to the servers that the address names. Options count before what stands behind the address's `?`. */
export async function openServer(address: ServerAddress, given: RemoteOptions): Promise<RemoteDriver> {
  const ioredis = await import('ioredis');
  const options = { ...queryOptions(address.query), ...given };
  const openMs = options.connectTimeout ?? OPEN_MS;
  const { signal } = options;
  if (address.kind === 'cluster') {
    const isReadOnly = await readOnlyTest(options.reads);
    return whenItAnswers(options, () => {
      const cluster = new ioredis.Cluster([...address.hosts], clusterOptions(address, options));
      return ClusterDriver.open(ioredis, cluster, openMs, isReadOnly, signal);
    });
  }
  return whenItAnswers(options, () =>
    openSingle(ioredis, { ...placeOf(address), ...redisOptions(address, options) }, openMs, signal),
  );
}

/** One server, or the master that Sentinels name. */
async function openSingle(
  ioredis: Ioredis & Pick<typeof import('ioredis'), 'Redis'>,
  options: RedisOptions & LegacyMapping,
  openMs: number,
  signal: AbortSignal | undefined,
): Promise<RemoteDriver> {
  const patience = sentinelPatience(options);
  const client = new ioredis.Redis({ ...options, ...patience.options });
  const driver = await IoredisDriver.open(ioredis, client, openMs, signal);
  patience.connected();
  return driver;
}

/** Tries again while nobody answers, as long as `waitForServer` allows. */
async function whenItAnswers<T>(
  { waitForServer = 0, signal }: RemoteOptions,
  connect: () => Promise<T>,
): Promise<T> {
  const end = systemTime.monotonic() + waitForServer;
  for (let attempt = 1; ; attempt++) {
    try {
      return await connect();
    } catch (error) {
      const left = end - systemTime.monotonic();
      if (!(error instanceof StoreError) || !STARTING.has(error.code) || left <= 0) throw error;
      const pause = Math.min(attempt * 50, LONGEST_PAUSE_MS, left);
      await systemTime.sleep(pause, signal === undefined ? {} : { signal });
    }
  }
}

/** What is said by, or in place of, servers that are just starting. */
const STARTING: ReadonlySet<string> = new Set(['UNREACHABLE', 'LOADING', 'CLUSTERDOWN', 'MASTERDOWN']);
const LONGEST_PAUSE_MS = 1_000;

/** Connects to where the given client does; the client itself is left alone. */
export async function openLike(client: object, options: RemoteOptions): Promise<RemoteDriver> {
  const { connectTimeout = OPEN_MS, signal } = options;
  if (isNodeRedis(client)) {
    refuseGroups(client);
    return whenItAnswers(options, () => NodeRedisDriver.open(client, connectTimeout, signal));
  }
  const ioredis = await import('ioredis');
  if (isIoredisCluster(client)) {
    const reads = client.options.scaleReads;
    const isReadOnly = await readOnlyTest(reads === undefined || reads === 'master' ? 'master' : 'any');
    return whenItAnswers(options, () => {
      const cluster = client.duplicate([], {
        lazyConnect: true,
        redisOptions: { ...client.options.redisOptions, ...OWN_OPTIONS, stringNumbers: false },
      });
      return ClusterDriver.open(ioredis, cluster, connectTimeout, isReadOnly, signal);
    });
  }
  if (isIoredis(client)) {
    const own = { ...client.options, ...OWN_OPTIONS };
    return whenItAnswers(options, () => openSingle(ioredis, own, connectTimeout, signal));
  }
  throw new StoreError(
    'ADDRESS',
    'this is neither an address nor a client: give a text such as redis://host, an ioredis Redis or Cluster, or a ' +
      'client of node-redis (createClient)',
  );
}

function placeOf(address: Exclude<ServerAddress, { kind: 'cluster' }>): RedisOptions {
  if (address.kind === 'standalone') return address.at;
  const { sentinelUsername, sentinelPassword } = address.query;
  return {
    sentinels: [...address.hosts],
    name: address.name,
    // Whoever comes from a failover to a server that is no longer the master looks for the new one, and asks again.
    reconnectOnError: ({ message }) => (message.startsWith('READONLY') ? 2 : false),
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
  };
}

function redisOptions(
  address: ServerAddress,
  options: RemoteOptions,
): Omit<RedisOptions, keyof OwnOptions> & OwnOptions {
  const username = options.username ?? address.username;
  const password = options.password ?? address.password;
  const db = options.database ?? address.database;
  const { commandTimeout, clientName, ioredis } = options;
  return {
    ...ioredis,
    ...OWN_OPTIONS,
    connectTimeout: options.connectTimeout ?? OPEN_MS,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    // Users without a password authenticate too, with whatever they say.
    ...(username !== undefined && password === undefined ? { password: '' } : {}),
    ...(db === undefined ? {} : { db }),
    ...(commandTimeout === undefined ? {} : { commandTimeout }),
    ...(clientName === undefined ? {} : { connectionName: clientName }),
    ...(address.tls ? tls(address, ioredis) : {}),
  };
}

type TlsOptions = Pick<RedisOptions, 'tls' | 'enableTLSForSentinelMode' | 'sentinelTLS'>;

/** Behind Sentinels ioredis has to be told once more for the master, and for the Sentinels too. */
function tls({ kind }: ServerAddress, ioredis: RemoteOptions['ioredis'] = {}): TlsOptions {
  const own = typeof ioredis.tls === 'object' && ioredis.tls !== null ? ioredis.tls : {};
  if (kind !== 'sentinel') return { tls: own };
  const sentinelTLS = 'sentinelTLS' in ioredis ? {} : { sentinelTLS: own };
  return { tls: own, enableTLSForSentinelMode: true, ...sentinelTLS };
}

function clusterOptions(
  address: ServerAddress,
  options: RemoteOptions,
): ClusterOptions & { redisOptions: LegacyMapping } {
  const { ioredis, ...others } = options;
  const given: ClusterOptions = ioredis ?? {};
  const { stringNumbers: _, ...redis } = redisOptions(address, others);
  return {
    ...given,
    lazyConnect: true,
    scaleReads: SCALE_READS[options.reads ?? 'master'],
    redisOptions: { ...given.redisOptions, ...redis },
  };
}

const SCALE_READS = { master: 'master', replica: 'slave', any: 'all' } as const;

/** Which commands replicas may answer is in the command table, which is loaded only where they do. */
async function readOnlyTest(reads: RemoteOptions['reads']): Promise<IsReadOnly> {
  if (reads === undefined || reads === 'master') return () => false;
  const { commandTable } = await import('../../engine/command-table.js');
  const { FLAG } = await import('../../commands/flag.js');
  return ({ command }: Request) => {
    const name = Buffer.from(command.words[0] as string);
    const row = commandTable.lookup(name, 0, name.length);
    return row !== undefined && (row.flagBits & FLAG.readonly) !== 0;
  };
}

function queryOptions(query: Readonly<Record<string, string>>): RemoteOptions {
  const { connectTimeout, waitForServer, commandTimeout, reads, clientName } = query;
  return {
    ...(connectTimeout === undefined
      ? {}
      : { connectTimeout: milliseconds('connectTimeout', connectTimeout) }),
    ...(waitForServer === undefined ? {} : { waitForServer: milliseconds('waitForServer', waitForServer) }),
    ...(commandTimeout === undefined
      ? {}
      : { commandTimeout: milliseconds('commandTimeout', commandTimeout) }),
    ...(reads === undefined ? {} : { reads: readsOf(reads) }),
    ...(clientName === undefined ? {} : { clientName }),
  };
}

function milliseconds(name: string, text: string): number {
  if (!/^\d+$/.test(text))
    throw new StoreError('ADDRESS', `'${name}' is a number of milliseconds, not '${text}'`);
  return Number(text);
}

function readsOf(text: string): 'master' | 'replica' | 'any' {
  if (text === 'master' || text === 'replica' || text === 'any') return text;
  throw new StoreError('ADDRESS', `'reads' is master, replica or any, not '${text}'`);
}

function isIoredis(client: object): client is Redis {
  return hasMethods(client, ['duplicate', 'sendCommand', 'disconnect', 'multi']) && 'status' in client;
}

function isIoredisCluster(client: object): client is Cluster {
  return isIoredis(client) && hasMethods(client, ['nodes', 'refreshSlotsCache']);
}

function isNodeRedis(client: object): client is NodeRedisClient {
  return (
    hasMethods(client, ['duplicate', 'sendCommand', 'pSubscribe', 'withTypeMapping']) && 'isReady' in client
  );
}

/** Clusters and Sentinels of node-redis have the methods of a client, with other parameters. */
function refuseGroups(client: object): void {
  const address =
    'masters' in client
      ? 'redis+cluster://host1,host2'
      : 'acquire' in client
        ? 'redis+sentinel://host/name'
        : undefined;
  if (address === undefined) return;
  throw new StoreError(
    'ADDRESS',
    `of node-redis only clients of one server (createClient) can be given: open ${address} instead`,
  );
}

function hasMethods(client: object, names: readonly string[]): boolean {
  return names.every((name) => typeof (client as Record<string, unknown>)[name] === 'function');
}
