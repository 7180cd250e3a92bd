import type { ConnectionOptions } from 'node:tls';
import type { Cluster, ClusterOptions, Redis, RedisOptions } from 'ioredis';
import type { ClientTls } from '../../commands/config/tls-options.js';
import type { Address } from '../address.js';
import type { RemoteOptions } from '../options.js';
import { StoreError } from '../store-error.js';
import { systemTime } from '../time.js';
import { ClusterDriver } from './cluster-driver.js';
import { IoredisSource } from './ioredis/ioredis-source.js';
import { type NodeRedisClient, NodeRedisSource } from './node-redis-source.js';
import type { RemoteDriver } from './remote-driver.js';
import { SingleDriver } from './single-driver.js';

type ServerAddress = Extract<Address, { kind: 'standalone' | 'sentinel' | 'cluster' }>;

const OPEN_MS = 10_000;
const COMMAND_MS = 5_000;

/** A connected driver, and how long calls of its stores may take. */
export interface OpenedDriver {
  readonly driver: RemoteDriver;
  readonly commandTimeout: number;
}

/** Connects to the servers that the address names. Options override the query part of the address. */
export async function openServer(address: ServerAddress, given: RemoteOptions): Promise<OpenedDriver> {
  const ioredis = await import('ioredis');
  const options = { ...queryOptions(address.query), ...given };
  const { connectTimeout: openMs = OPEN_MS, commandTimeout = COMMAND_MS, reads = 'master', signal } = options;
  if (address.kind === 'cluster') {
    const driver = await whenItAnswers(options, () => {
      const cluster = new ioredis.Cluster([...address.hosts], clusterOptions(address, options));
      return ClusterDriver.open(ioredis, cluster, { openMs, reads }, signal);
    });
    return { driver, commandTimeout };
  }
  const redis = { ...placeOf(address), ...redisOptions(address, options) };
  const source = new IoredisSource(ioredis, redis, openMs);
  return { driver: await whenItAnswers(options, () => SingleDriver.open(source, signal)), commandTimeout };
}

/** Tries again while no server answers, as long as `waitForServer` allows. */
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
      const pause = Math.min(attempt * 50, MAX_PAUSE_MS, left);
      await systemTime.sleep(pause, signal === undefined ? {} : { signal });
    }
  }
}

/** Error codes to expect while a server is starting. */
const STARTING: ReadonlySet<string> = new Set(['UNREACHABLE', 'LOADING', 'CLUSTERDOWN', 'MASTERDOWN']);
const MAX_PAUSE_MS = 1_000;

/** Connects to the same servers as the given client. The client itself is not used or closed. */
export async function openLike(client: object, options: RemoteOptions): Promise<OpenedDriver> {
  const { commandTimeout = COMMAND_MS } = options;
  return { driver: await whenItAnswers(options, await connectorLike(client, options)), commandTimeout };
}

async function connectorLike(client: object, options: RemoteOptions): Promise<() => Promise<RemoteDriver>> {
  const { connectTimeout: openMs = OPEN_MS, signal } = options;
  if (isNodeRedis(client)) {
    refuseGroups(client);
    const source = new NodeRedisSource(client, openMs);
    return () => SingleDriver.open(source, signal);
  }
  const ioredis = await import('ioredis');
  if (isIoredisCluster(client)) {
    const { scaleReads = 'master' } = client.options;
    const reads = scaleReads === 'master' ? 'master' : scaleReads === 'slave' ? 'replica' : 'any';
    return () =>
      ClusterDriver.open(ioredis, client.duplicate([], { lazyConnect: true }), { openMs, reads }, signal);
  }
  if (isIoredis(client)) {
    const source = new IoredisSource(ioredis, client.options, openMs);
    return () => SingleDriver.open(source, signal);
  }
  throw new StoreError(
    'ADDRESS',
    'this is neither an address nor a client: pass a string such as redis://host, an ioredis Redis or Cluster, or a ' +
      'node-redis client (createClient)',
  );
}

function placeOf(address: Exclude<ServerAddress, { kind: 'cluster' }>): RedisOptions {
  if (address.kind === 'standalone') return address.at;
  const { sentinelUsername, sentinelPassword } = address.query;
  return {
    sentinels: [...address.hosts],
    name: address.name,
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
  };
}

function redisOptions(address: ServerAddress, options: RemoteOptions): RedisOptions {
  const username = options.username ?? address.username;
  const password = options.password ?? address.password;
  const db = options.database ?? address.database;
  const { clientName, ioredis } = options;
  return {
    ...ioredis,
    connectTimeout: options.connectTimeout ?? OPEN_MS,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    // A user without a password must authenticate too. Any password is accepted.
    ...(username !== undefined && password === undefined ? { password: '' } : {}),
    ...(db === undefined ? {} : { db }),
    ...(clientName === undefined ? {} : { connectionName: clientName }),
    ...(address.tls ? tls(address, options) : {}),
  };
}

type TlsOptions = Pick<RedisOptions, 'tls' | 'enableTLSForSentinelMode' | 'sentinelTLS'>;

/** The options for Node's TLS, which takes no `Uint8Array`. */
export function nodeTls(given: ClientTls): ConnectionOptions {
  const { ca, cert, key, ...others } = given;
  return {
    ...others,
    ...(ca === undefined ? {} : { ca: Buffer.from(ca as string) }),
    ...(cert === undefined ? {} : { cert: Buffer.from(cert as string) }),
    ...(key === undefined ? {} : { key: Buffer.from(key as string) }),
  };
}

/** With Sentinels, ioredis needs separate options for the master and for the Sentinels. */
function tls({ kind }: ServerAddress, { ioredis = {}, tls: given = {} }: RemoteOptions): TlsOptions {
  const others = typeof ioredis.tls === 'object' && ioredis.tls !== null ? ioredis.tls : {};
  const own = { ...others, ...nodeTls(given) };
  if (kind !== 'sentinel') return { tls: own };
  const sentinelTLS = 'sentinelTLS' in ioredis ? {} : { sentinelTLS: own };
  return { tls: own, enableTLSForSentinelMode: true, ...sentinelTLS };
}

const LEGACY_REPLIES = { replyMapping: 'legacy' } as const;

function clusterOptions(
  address: ServerAddress,
  options: RemoteOptions,
): ClusterOptions & { redisOptions: typeof LEGACY_REPLIES } {
  const { ioredis, ...others } = options;
  const given: ClusterOptions = ioredis ?? {};
  return {
    ...given,
    lazyConnect: true,
    redisOptions: { ...given.redisOptions, ...redisOptions(address, others), ...LEGACY_REPLIES },
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
    throw new StoreError('ADDRESS', `'${name}' must be a number of milliseconds, not '${text}'`);
  return Number(text);
}

function readsOf(text: string): 'master' | 'replica' | 'any' {
  if (text === 'master' || text === 'replica' || text === 'any') return text;
  throw new StoreError('ADDRESS', `'reads' must be master, replica or any, not '${text}'`);
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

/** Cluster and Sentinel objects of node-redis have methods of the same names with other parameters. */
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
    `only node-redis clients of one server (createClient) are supported: open ${address} instead`,
  );
}

function hasMethods(client: object, names: readonly string[]): boolean {
  return names.every((name) => typeof (client as Record<string, unknown>)[name] === 'function');
}
