import { type Address, parseAddress } from './address.js';
import { checkOptions, checkTls } from './check-options.js';
import { EmbeddedEngine } from './embedded/embedded-engine.js';
import { EmbeddedStoreClient } from './embedded/embedded-store.js';
import { EmbeddedTransport } from './embedded/embedded-transport.js';
import type { EmbeddedStore } from './embedded-store.js';
import type { ClientLike, ClientOptions, EmbeddedOptions, OpenOptions, RemoteOptions } from './options.js';
import type { RemoteHome } from './remote/remote-transport.js';
import type { Store } from './store.js';
import { StoreClient } from './store-client.js';
import { StoreError } from './store-error.js';
import { throwIfAborted } from './time.js';

/**
 * Opens a store: an engine in this process, or a connection to a server. All stores have the same methods.
 *
 * | address | where the data is |
 * |---|---|
 * | none, `memory:` | in this process, gone when it ends |
 * | `file:./folder` | in this process, kept in files in that folder (created if it does not exist, locked against other processes) |
 * | `redis://user:password@host:6379/0` | on a server; `rediss://` with TLS |
 * | `unix:/path/to/socket` | on a server on this machine |
 * | `redis+sentinel://host1,host2,host3/name` | on the master of that name that these Sentinels watch |
 * | `redis+cluster://host1,host2,host3` | in a Redis Cluster |
 * | an ioredis `Redis` or `Cluster`, a node-redis client | on the servers of that client, with its options; the store makes its own connections and does not use or close the client |
 *
 * Rejects with `ADDRESS` if the address is malformed, `OPTION` if an option is invalid, `UNREACHABLE` if no server answers,
 * `LOCKED` if the folder is in use.
 *
 * @example
 * import { open } from 'sorrel';
 *
 * await using store = await open();
 * await store.set('greeting', 'hello');
 * await store.get('greeting'); // 'hello'
 */
export function open(
  address?: 'memory:' | `file:${string}`,
  options?: EmbeddedOptions,
): Promise<EmbeddedStore>;
export function open(address: ClientLike, options?: ClientOptions): Promise<Store>;
export function open(address: string, options?: OpenOptions): Promise<Store>;
export async function open(
  address: string | ClientLike = 'memory:',
  options: OpenOptions = {},
): Promise<Store> {
  if (typeof address !== 'string') return openClient(address ?? {}, options);
  const parsed = parseAddress(address);
  checkOptions(parsed.kind, options);
  throwIfAborted(options.signal);
  switch (parsed.kind) {
    case 'memory':
      return options.replicaOf === undefined ? openMemory(options) : openReplica(options.replicaOf, options);
    case 'file':
      return openFile(parsed.folder, options);
    default:
      checkTls(parsed.tls, options);
      return openServer(parsed, options);
  }
}

/** Opens a store in memory, which needs no waiting. */
export function openMemory(options: EmbeddedOptions): EmbeddedStore {
  checkOptions('memory', options);
  if (options.replicaOf !== undefined) {
    throw new StoreError('OPTION', "option 'replicaOf' needs open(), which waits for the data");
  }
  const embedded = new EmbeddedEngine(options);
  try {
    return storeOn(embedded, options);
  } catch (error) {
    void embedded.close();
    throw error;
  }
}

async function openFile(folder: string, options: EmbeddedOptions): Promise<EmbeddedStore> {
  const { openFolder } = await import('./embedded/open-file.js');
  throwIfAborted(options.signal);
  const embedded = await openFolder(folder, options);
  try {
    throwIfAborted(options.signal);
    if (options.replicaOf !== undefined) return replicaStore(embedded, options);
    return storeOn(embedded, options);
  } catch (error) {
    await embedded.close();
    throw error;
  }
}

function storeOn(embedded: EmbeddedEngine, { database = 0 }: EmbeddedOptions): EmbeddedStore {
  checkDatabase(embedded, database);
  return asStore(new EmbeddedStoreClient(new EmbeddedTransport(embedded, database))) as EmbeddedStore;
}

function checkDatabase({ engine }: EmbeddedEngine, database: number): void {
  const { databases } = engine.keyspace;
  if (database < databases.length) return;
  throw new StoreError(
    'OPTION',
    `there is no database ${database}: they are numbered 0 to ${databases.length - 1}`,
  );
}

async function openReplica(replicaOf: string, options: EmbeddedOptions): Promise<EmbeddedStore> {
  if (parseAddress(replicaOf).kind !== 'cluster') return replicaStore(new EmbeddedEngine(options), options);
  const { followCluster } = await import('./replica/follow-cluster.js');
  return asStore(await followCluster(options)) as EmbeddedStore;
}

/** The replication code is loaded only here. */
async function replicaStore(embedded: EmbeddedEngine, options: EmbeddedOptions): Promise<EmbeddedStore> {
  const { followMaster } = await import('./replica/follow-master.js');
  try {
    checkDatabase(embedded, options.database ?? 0);
    const { transport, replication } = await followMaster(embedded, options);
    return asStore(new EmbeddedStoreClient(transport, 0, undefined, replication)) as EmbeddedStore;
  } catch (error) {
    await embedded.close();
    throw error;
  }
}

async function openServer(
  address: Exclude<Address, { kind: 'memory' | 'file' }>,
  options: RemoteOptions,
): Promise<Store> {
  const { openTransport } = await import('./remote/open-transport.js');
  return asStore(new StoreClient(await openTransport(address, options)));
}

/** Opens a store on the same servers as the client. */
export async function openClient(
  client: ClientLike,
  options: RemoteOptions,
  home: Omit<RemoteHome, 'commandTimeout'> = {},
): Promise<Store> {
  checkOptions('client', options);
  const remote = await import('./remote/open-remote.js');
  const { RemoteTransport } = await import('./remote/remote-transport.js');
  const { driver, commandTimeout } = await remote.openLike(client, options);
  return asStore(new StoreClient(new RemoteTransport(driver, { ...home, commandTimeout })));
}

/** The class is the same for all shapes; the interface types have the exact reply types. */
function asStore(client: object): Store {
  return client as Store;
}
