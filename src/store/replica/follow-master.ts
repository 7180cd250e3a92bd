import type { ClientTls } from '../../commands/config/tls-options.js';
import { CommandError } from '../../commands/errors.js';
import { Replication } from '../../replication/replication.js';
import { socketWorld } from '../../replication/socket-world.js';
import type { Address as ServerAddress } from '../../replication/world.js';
import { type Address, parseAddress } from '../address.js';
import { checkTls } from '../check-options.js';
import type { EmbeddedEngine } from '../embedded/embedded-engine.js';
import { EmbeddedTransport } from '../embedded/embedded-transport.js';
import type { EmbeddedOptions } from '../options.js';
import { nodeTls } from '../remote/open-remote.js';
import { openTransport } from '../remote/open-transport.js';
import { StoreError } from '../store-error.js';
import { throwIfAborted } from '../time.js';
import type { Reply } from '../transport.js';
import { ASK_PLACE, ForwardingTransport, placeIn } from './forwarding-transport.js';
import { masterFinder } from './master-finder.js';
import { type AskPlace, FollowedMaster } from './store-replication.js';

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
  const replication = attach(embedded, address, tls);
  replication.start({ files: embedded.files, master: await find() });
  const keepFollowing = setInterval(() => void refind(replication, find), REFIND_MS);
  keepFollowing.unref();
  embedded.onClose(() => clearInterval(keepFollowing));
  const askPlace: AskPlace = async (limits) =>
    placeIn((await remote.send(ASK_PLACE.command, ASK_PLACE.args, 0, undefined, limits)) as Reply);
  const probeMs = maxLag === undefined ? DEFAULT_PROBE_MS : Math.max(maxLag / 4, MIN_PROBE_MS);
  const followed = new FollowedMaster(replication, embedded.time, askPlace, probeMs);
  embedded.onClose(() => followed.close());
  if (maxLag !== undefined) refuseStale(embedded, followed, maxLag);
  await untilConnected(embedded, followed, connectTimeout, signal, replicaOf);
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
      ? 'a Cluster has several masters, and a store can follow one: name one of its masters with redis://'
      : 'name a server: redis://host:6379 or redis+sentinel://host1,host2,host3/name';
  throw new StoreError('OPTION', `option 'replicaOf' cannot be ${address.kind}: ${reason}`);
}

/** Gives the engine replication with the master's password. */
function attach(embedded: EmbeddedEngine, address: MasterAddress, tls: ClientTls = {}): Replication {
  const { engine } = embedded;
  engine.settings.configure('masterauth', address.password ?? '');
  engine.settings.configure('masteruser', address.username ?? '');
  const replication = new Replication(
    engine,
    socketWorld(engine, () => (address.tls ? nodeTls(tls) : undefined)),
    {
      mayFollow: false,
    },
  );
  embedded.onClose(() => replication.close());
  return replication;
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

/** `maxLag`: reads fail while the data may be older. */
function refuseStale(embedded: EmbeddedEngine, followed: FollowedMaster, maxLag: number): void {
  const stale = new CommandError(
    `STALE The data may be older than maxLag (${maxLag} ms): the master is away or too far ahead`,
  );
  const detach = embedded.engine.attach({
    checks: { stale: ({ kind }) => (kind !== 'master' && followed.lag > maxLag ? stale : undefined) },
  });
  embedded.onClose(detach);
}

function untilConnected(
  embedded: EmbeddedEngine,
  followed: FollowedMaster,
  timeout: number,
  signal: AbortSignal | undefined,
  replicaOf: string,
): Promise<void> {
  const release = embedded.stayAwake();
  return new Promise<void>((resolve, reject) => {
    throwIfAborted(signal);
    const stop = followed.on('change', () => {
      if (followed.state === 'connected') end();
    });
    const end = (error?: unknown): void => {
      stop();
      cancel();
      signal?.removeEventListener('abort', onAbort);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onAbort = (): void => {
      try {
        throwIfAborted(signal);
      } catch (error) {
        end(error);
      }
    };
    const cancel = embedded.time.after(timeout, () => {
      const address = replicaOf.replace(/\/\/[^@/]*@/, '//');
      end(
        new StoreError(
          'UNREACHABLE',
          `the data of ${address} did not arrive within ${timeout} ms: the replica is ${followed.state}`,
        ),
      );
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    if (followed.state === 'connected') end();
  }).finally(release);
}

const REFIND_MS = 1000;
const DEFAULT_PROBE_MS = 1000;
const MIN_PROBE_MS = 5;
