import type { BusLink } from './bus-link.js';
import type { Cluster } from './cluster.js';
import type { ClusterNode } from './node.js';
import { PacketType } from './packet.js';

/**
 * CLUSTER FAILOVER. The replica asks its master to pause its clients. The master then announces its offset; when the replica has everything up to
 * it, it asks for votes, which masters give although the old master works. Nothing is lost. After five seconds both give up.
 */
export class ManualFailover {
  readonly #cluster: Cluster;
  /** When it is given up, in Unix ms; 0 if there is none. */
  #endsAt = 0;
  /** On the master: the replica that takes over. */
  #replica: ClusterNode | undefined;
  /** On the replica: the offset of the paused master. */
  #masterOffset: number | undefined;
  #canStart = false;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  get isActive(): boolean {
    return this.#endsAt !== 0;
  }

  /** Whether the replica may ask for votes. */
  get canStart(): boolean {
    return this.isActive && this.#canStart;
  }

  /** Whether we are the master that the node replaces. */
  isReplicaOfOurs(node: ClusterNode): boolean {
    return this.isActive && this.#replica === node;
  }

  // ---- on the replica ----

  begin(mode: 'agreed' | 'forced'): void {
    const cluster = this.#cluster;
    this.reset();
    this.#endsAt = cluster.now + TIMEOUT_MS;
    if (mode === 'forced') {
      cluster.log('warning', 'Forced failover user request accepted.');
      this.#canStart = true;
      return;
    }
    cluster.log('warning', 'Manual failover user request accepted.');
    cluster.bus.requestManualFailover(cluster.topology.myself.master as ClusterNode);
  }

  masterHasPaused(sender: ClusterNode): void {
    const { myself } = this.#cluster.topology;
    if (!this.isActive || myself.master !== sender || this.#masterOffset !== undefined) return;
    this.#masterOffset = sender.offset;
    this.#cluster.log(
      'warning',
      `Received replication offset for paused master manual failover: ${sender.offset}`,
    );
    this.#cluster.changed({ failover: true });
  }

  /** Called ten times a second, and when something was applied. */
  advance(): void {
    if (!this.isActive || this.#canStart || this.#masterOffset === undefined) return;
    if (this.#masterOffset !== this.#cluster.replication.dataOffset) return;
    this.#canStart = true;
    this.#cluster.log('warning', 'All master replication stream processed, manual failover can start.');
    this.#cluster.changed({ failover: true });
  }

  // ---- on the master ----

  requestedBy(replica: ClusterNode, link: BusLink): void {
    const cluster = this.#cluster;
    this.reset();
    this.#endsAt = cluster.now + TIMEOUT_MS;
    this.#replica = replica;
    cluster.engine.pause.pause('write', cluster.now + TIMEOUT_MS * PAUSE_TIMEOUTS, 'failover');
    cluster.log('warning', `Manual failover requested by replica ${replica.id}.`);
    cluster.bus.ping(link, PacketType.ping);
  }

  // ---- on both ----

  endIfDue(): void {
    if (!this.isActive || this.#endsAt >= this.#cluster.now) return;
    this.#cluster.log('warning', 'Manual failover timed out.');
    this.reset();
  }

  reset(): void {
    if (this.#replica !== undefined) this.#cluster.engine.pause.unpause('failover');
    this.#endsAt = 0;
    this.#canStart = false;
    this.#replica = undefined;
    this.#masterOffset = undefined;
  }
}

const TIMEOUT_MS = 5000;
/** The pause lasts longer than the attempt, so that no write comes between. */
const PAUSE_TIMEOUTS = 2;
