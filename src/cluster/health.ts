import type { Cluster } from './cluster.js';
import { NodeFlag } from './node.js';
import { SLOTS } from './slot-set.js';

/**
 * Whether the cluster serves clients, as this node sees it: the majority of masters can be reached and, with
 * `cluster-require-full-coverage`, every slot has a working owner.
 */
export class Health {
  readonly #cluster: Cluster;
  #firstReviewAt = 0;
  /** When the majority was last out of reach; Unix ms. */
  #minorityAt = 0;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  review(): void {
    const cluster = this.#cluster;
    const { topology, now, settings } = cluster;
    const { myself } = topology;
    if (this.#firstReviewAt === 0) this.#firstReviewAt = now;
    // A master that was away may have been replaced: others get the time to say so before it accepts writes.
    const isNew = now - this.#firstReviewAt < settings.writableDelayMs;
    if (myself.isMaster && !topology.isUp && isNew) return;
    const isUp = this.#hasMajority() && (!settings.needsAllSlots || this.#hasAllSlots());
    if (isUp === topology.isUp) return;
    const rejoinDelay = Math.min(Math.max(settings.nodeTimeout, MIN_REJOIN_MS), MAX_REJOIN_MS);
    if (isUp && myself.isMaster && now - this.#minorityAt < rejoinDelay) return;
    cluster.log('warning', `Cluster state changed: ${isUp ? 'ok' : 'fail'}`);
    topology.isUp = isUp;
  }

  #hasMajority(): boolean {
    const cluster = this.#cluster;
    const { topology } = cluster;
    let size = 0;
    let reachable = 0;
    for (const node of topology.nodes) {
      if (!node.isMaster || node.slots.count === 0) continue;
      size++;
      if (!node.has(NodeFlag.failed | NodeFlag.suspected)) reachable++;
    }
    topology.size = size;
    if (reachable >= cluster.quorum) return true;
    this.#minorityAt = cluster.now;
    return false;
  }

  #hasAllSlots(): boolean {
    const { topology } = this.#cluster;
    for (let slot = 0; slot < SLOTS; slot++) {
      const owner = topology.owner(slot);
      if (owner === undefined || owner.isFailed) return false;
    }
    return true;
  }
}

const MIN_REJOIN_MS = 500;
const MAX_REJOIN_MS = 5000;
