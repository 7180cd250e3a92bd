import { parseAddress } from '../address.js';
import { checkTls } from '../check-options.js';
import type { EmbeddedOptions } from '../options.js';
import { openTransport } from '../remote/open-transport.js';
import { StoreError } from '../store-error.js';
import { systemTime } from '../time.js';
import { type ClusterAddress, ClusterReplica } from './cluster-replica.js';
import { ClusterReplicaStore } from './cluster-replica-store.js';
import { ClusterReplicaTransport } from './cluster-replica-transport.js';
import { untilConnected } from './until-connected.js';

/**
 * Opens a replica of the Cluster at `replicaOf`, and returns when it has the data of all its masters. Rejects with `UNREACHABLE` if that
 * takes longer than `connectTimeout`.
 */
export async function followCluster(options: EmbeddedOptions): Promise<ClusterReplicaStore> {
  const { replicaOf = '', writes = 'refuse', maxLag, connectTimeout = 10_000, signal, tls } = options;
  const address = parseAddress(replicaOf) as ClusterAddress;
  checkTls(address.tls, options);
  if ((options.database ?? 0) !== 0) throw new StoreError('OPTION', 'a Cluster has only database 0');
  const cluster = await openTransport(address, {
    connectTimeout,
    ...(tls && { tls }),
    ...(signal && { signal }),
  });
  const replica = new ClusterReplica(address, options, () => cluster.close());
  try {
    await replica.start();
    await untilConnected(replica, systemTime, replicaOf, { timeout: connectTimeout, signal });
    // Until the lag has been measured once, reads would fail.
    if (maxLag !== undefined) await replica.catchUp({ timeout: connectTimeout, signal });
    return new ClusterReplicaStore(new ClusterReplicaTransport(replica, cluster, writes));
  } catch (error) {
    await replica.close();
    throw error;
  }
}
