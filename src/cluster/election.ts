import type { Cluster } from './cluster.js';
import { type ClusterNode, NodeFlag } from './node.js';

const OBSTACLES = {
  dataAge:
    "Disconnected from master for longer than allowed. Please check the 'cluster-replica-validity-factor' configuration option.",
  delay: 'Waiting the delay before I can start a new failover.',
  expired: 'Failover attempt expired.',
  votes: 'Waiting for votes, but majority still not reached.',
} as const;

/**
 * A replica whose master has failed asks the masters for their votes. It waits first: half a second so that all know of the failure,
 * up to half a second by chance, and a second for each replica that has more of the data. With the votes of the majority it takes its master's slots
 * under the epoch of the election.
 */
export class Election {
  readonly #cluster: Cluster;
  /** When votes are, or were, asked for; Unix ms. */
  #startsAt = 0;
  #rank = 0;
  #hasAsked = false;
  #epoch = 0;
  readonly #voters = new Set<ClusterNode>();
  #obstacle: keyof typeof OBSTACLES | undefined;
  #loggedAt = 0;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Called ten times a second, and when something has changed. */
  advance(): void {
    const cluster = this.#cluster;
    const { now, settings } = cluster;
    if (!this.#mayStand()) {
      this.#obstacle = undefined;
      return;
    }
    const isManual = cluster.manualFailover.canStart;
    if (!isManual && this.#isDataTooOld()) {
      this.#report('dataAge');
      return;
    }
    const timeout = Math.max(settings.nodeTimeout * 2, MIN_TIMEOUT_MS);
    if (now - this.#startsAt > timeout * 2) {
      this.#schedule();
      return;
    }
    this.#reviewRank();
    if (now < this.#startsAt) this.#report('delay');
    else if (now - this.#startsAt > timeout) this.#report('expired');
    else if (!this.#hasAsked) this.#ask();
    else if (this.#voters.size >= cluster.quorum) this.#win();
    else this.#report('votes');
  }

  #mayStand(): boolean {
    const { topology, manualFailover, settings } = this.#cluster;
    const { myself } = topology;
    const { master } = myself;
    if (!myself.isReplica || master === undefined || master.slots.count === 0) return false;
    return manualFailover.canStart || (master.isFailed && !settings.neverFailsOver);
  }

  /** Whether we were without our master for so long before it failed that too much may be missing. */
  #isDataTooOld(): boolean {
    const { settings, dataAge } = this.#cluster;
    if (settings.validityFactor === 0) return false;
    const age = dataAge > settings.nodeTimeout ? dataAge - settings.nodeTimeout : dataAge;
    return age > settings.replicaPingMs + settings.nodeTimeout * settings.validityFactor;
  }

  #schedule(): void {
    const cluster = this.#cluster;
    const { now, world } = cluster;
    this.#voters.clear();
    this.#hasAsked = false;
    if (cluster.manualFailover.isActive) {
      this.#rank = 0;
      this.#startsAt = now;
    } else {
      this.#rank = this.#currentRank();
      this.#startsAt = now + MIN_DELAY_MS + world.random.integer(MIN_DELAY_MS) + this.#rank * RANK_DELAY_MS;
    }
    cluster.log(
      'warning',
      `Start of election delayed for ${this.#startsAt - now} milliseconds (rank #${this.#rank}, offset ${cluster.replication.dataOffset}).`,
    );
    // The other replicas compute their rank from our offset.
    cluster.bus.broadcastPong('shard');
    if (this.#startsAt === now) cluster.changed({ failover: true });
  }

  /** The number of replicas of our master that have more of the data. */
  #currentRank(): number {
    const { topology, replication } = this.#cluster;
    const { myself } = topology;
    const others = myself.master?.replicas ?? [];
    return others.filter(
      (node) => node !== myself && !node.has(NodeFlag.noFailover) && node.offset > replication.dataOffset,
    ).length;
  }

  #reviewRank(): void {
    if (this.#hasAsked || this.#cluster.manualFailover.isActive) return;
    const rank = this.#currentRank();
    if (rank <= this.#rank) return;
    const delay = (rank - this.#rank) * RANK_DELAY_MS;
    this.#startsAt += delay;
    this.#rank = rank;
    this.#cluster.log('warning', `Replica rank updated to #${rank}, added ${delay} milliseconds of delay.`);
  }

  #ask(): void {
    const cluster = this.#cluster;
    const { topology } = cluster;
    topology.currentEpoch++;
    this.#epoch = topology.currentEpoch;
    this.#hasAsked = true;
    cluster.log('warning', `Starting a failover election for epoch ${this.#epoch}.`);
    // On disk before it is sent: an epoch is used once.
    cluster.save(true);
    cluster.bus.requestVotes(cluster.manualFailover.isActive);
    cluster.changed({ state: true });
  }

  /** A master with slots has voted for us. */
  receiveVote(voter: ClusterNode, epoch: number): void {
    if (!voter.isMaster || voter.slots.count === 0 || epoch < this.#epoch) return;
    this.#voters.add(voter);
    this.#cluster.changed({ failover: true });
  }

  #win(): void {
    const cluster = this.#cluster;
    const { topology } = cluster;
    const { myself } = topology;
    // As a master we may vote, but not in the epoch that is ours.
    topology.lastVoteEpoch = Math.max(topology.lastVoteEpoch, this.#epoch);
    cluster.log('warning', "Failover election won: I'm the new master.");
    if (myself.configEpoch < this.#epoch) {
      myself.configEpoch = this.#epoch;
      cluster.log('warning', `configEpoch set to ${this.#epoch} after successful failover`);
    }
    cluster.replaceMaster();
  }

  /** Logs why there is no failover, if it takes long: once for each reason, and again after some minutes. */
  #report(obstacle: keyof typeof OBSTACLES): void {
    const { now, topology, settings } = this.#cluster;
    if (obstacle === this.#obstacle && now - this.#loggedAt < REPEAT_LOG_MS) return;
    this.#obstacle = obstacle;
    const { master } = topology.myself;
    if (master?.isFailed === true && now - master.failedAt < settings.nodeTimeout + QUIET_MS) return;
    this.#loggedAt = now;
    this.#cluster.log('warning', `Currently unable to failover: ${OBSTACLES[obstacle]}`);
  }
}

const MIN_TIMEOUT_MS = 2000;
const MIN_DELAY_MS = 500;
const RANK_DELAY_MS = 1000;
const REPEAT_LOG_MS = 300_000;
const QUIET_MS = 5000;
