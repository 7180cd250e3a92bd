import type { Replication } from '../../replication/replication.js';
import type { Address as ServerAddress } from '../../replication/world.js';
import { type Address, parseAddress } from '../address.js';
import { checkTls } from '../check-options.js';
import type { EmbeddedEngine } from '../embedded/embedded-engine.js';
import { EmbeddedTransport } from '../embedded/embedded-transport.js';
import type { EmbeddedOptions } from '../options.js';
import { openTransport } from '../remote/open-transport.js';
import { StoreError } from '../store-error.js';
import type { Reply } from '../transport.js';
import { attachReplication, probePeriod, refuseStale } from './attach-replication.js';
import { ForwardingTransport } from './forwarding-transport.js';
import { masterFinder } from './master-finder.js';
import { ASK_PLACE, placeIn } from './master-place.js';
import { type AskPlace, FollowedMaster } from './store-replication.js';
import { untilConnected } from './until-connected.js';

/** An embedded store that follows a server. */
export interface ReplicaStore {
  readonly transport: EmbeddedTransport;
  readonly replication: FollowedMaster;
}

/**
 * Makes the engine a replica of the server at `replicaOf`, and returns when it has all data. Rejects with `UNREACHABLE` if that
 * takes longer than `connectTimeout`.
 */
export async function followMaster(
  embedded: EmbeddedEngine,
  options: EmbeddedOptions,
): Promise<ReplicaStore> {
  const {
    replicaOf = '',
    database = 0,
    writes = 'refuse',
    maxLag,
    connectTimeout = 10_000,
    signal,
  } = options;
  const address = masterAddress(replicaOf);
  const { tls } = options;
  checkTls(address.tls, options);
  const remote = await openTransport(address, {
    database,
    connectTimeout,
    ...(tls && { tls }),
    ...(signal && { signal }),
  });
  embedded.onClose(() => remote.close());
  const find = masterFinder(address, tls);
  const replication = attachReplication(embedded, address, tls);
  replication.start({ files: embedded.files, master: await find() });
  const keepFollowing = setInterval(() => void refind(replication, find), REFIND_MS);
  keepFollowing.unref();
  embedded.onClose(() => clearInterval(keepFollowing));
  const askPlace: AskPlace = async (limits) =>
    placeIn((await remote.send(ASK_PLACE.command, ASK_PLACE.args, 0, undefined, limits)) as Reply);
  const followed = new FollowedMaster(replication, embedded.time, askPlace, probePeriod(maxLag));
  embedded.onClose(() => followed.close());
  if (maxLag !== undefined) refuseStale(embedded, followed, maxLag);
  const release = embedded.stayAwake();
  const limits = { timeout: connectTimeout, signal };
  await untilConnected(followed, embedded.time, replicaOf, limits).finally(release);
  // Until the lag has been measured once, reads would fail.
  if (maxLag !== undefined) await followed.catchUp({ timeout: connectTimeout, ...(signal && { signal }) });
  const transport =
    writes === 'forward'
      ? new ForwardingTransport(embedded, database, remote, followed)
      : new EmbeddedTransport(embedded, database);
  return { transport, replication: followed };
}

type MasterAddress = Extract<Address, { kind: 'standalone' | 'sentinel' }>;

function masterAddress(replicaOf: string): MasterAddress {
  const address = parseAddress(replicaOf);
  if (address.kind === 'standalone' || address.kind === 'sentinel') return address;
  const reason =
    address.kind === 'cluster'
      ? 'the data of a Cluster is kept in memory only: open memory:'
      : 'name a server: redis://host:6379, redis+sentinel://host1,host2,host3/name or redis+cluster://host1,host2,host3';
  throw new StoreError('OPTION', `option 'replicaOf' cannot be ${address.kind}: ${reason}`);
}

/** Asks who is master now: Sentinels may have chosen another one, and made the former one a replica that can still be followed. */
async function refind(replication: Replication, find: () => Promise<ServerAddress>): Promise<void> {
  const { link } = replication;
  if (link === undefined) return;
  try {
    const { host, port } = await find();
    if (replication.link !== link) return;
    if (host !== link.address.host || port !== link.address.port) replication.followAddress({ host, port });
  } catch {
    // No Sentinel knows it yet: the next attempt follows.
  }
}

const REFIND_MS = 1000;
