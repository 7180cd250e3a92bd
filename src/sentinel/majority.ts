import type { Master, OtherSentinel } from './instance.js';
import type { Answer } from './resp-connection.js';
import type { Sentinel } from './sentinel.js';

/** Asks the other Sentinels whether they think, too, that the master is down; during a failover, also for their votes. */
export function askOtherSentinels(sentinel: Sentinel, master: Master, isForced: boolean): void {
  const { now, periods, addresses } = sentinel;
  const askPeriod = periods['ask-period'];
  for (const other of master.sentinels.values()) {
    if (now - other.reportedAt > askPeriod * 5) {
      other.reportsMasterDown = false;
      other.leader = undefined;
    }
    const { link } = other;
    if (!master.isSubjectivelyDown || link.isDisconnected) continue;
    if (!isForced && now - other.reportedAt < askPeriod) continue;
    link.pending++;
    link.commands?.send(
      [
        'SENTINEL',
        'is-master-down-by-addr',
        addresses.announced(master.address),
        String(master.address.port),
        String(sentinel.epoch),
        master.isFailingOver ? sentinel.id : '*',
      ],
      (answer) => {
        link.pending--;
        if (!other.isRemoved) received(sentinel, other, answer);
      },
    );
  }
}

function received(sentinel: Sentinel, other: OtherSentinel, answer: Answer): void {
  if (!Array.isArray(answer) || answer.length !== 3) return;
  const [isDown, leader, epoch] = answer as readonly Answer[];
  if (typeof isDown !== 'number' || typeof leader !== 'string' || typeof epoch !== 'number') return;
  other.reportedAt = sentinel.now;
  other.reportsMasterDown = isDown === 1;
  if (leader === '*') return;
  if (other.leaderEpoch !== epoch) {
    sentinel.log('warning', `${other.name} voted for ${leader} ${epoch}`);
  }
  other.leader = leader;
  other.leaderEpoch = epoch;
}

/** What this Sentinel has voted: `epoch` may be another one than the one asked for. */
export interface Vote {
  readonly leader: string | undefined;
  readonly epoch: number;
}

/** Votes for the Sentinel with this id to lead the failover, unless a vote of that epoch or a later one was given. */
export function vote(sentinel: Sentinel, master: Master, epoch: number, id: string): Vote {
  sentinel.adoptEpoch(epoch, master);
  if (master.leaderEpoch < epoch && sentinel.epoch <= epoch) {
    master.leader = id;
    master.leaderEpoch = sentinel.epoch;
    // A vote that a restart would forget could be given twice.
    sentinel.flush();
    sentinel.tell('warning', '+vote-for-leader', `${id} ${master.leaderEpoch}`, master);
    // Leave the other one time for its failover before we start one.
    if (id.toLowerCase() !== sentinel.id.toLowerCase()) {
      master.failoverStartedAt = sentinel.now + sentinel.world.random.integer(MAX_DESYNC);
    }
  }
  return { leader: master.leader, epoch: master.leaderEpoch };
}

/** The Sentinel with the majority of all votes in this epoch, and with at least the master's quorum of them. */
export function electedLeader(sentinel: Sentinel, master: Master, epoch: number): string | undefined {
  const votes = new Map<string, number>();
  const count = (id: string): number => {
    const counted = (votes.get(id) ?? 0) + 1;
    votes.set(id, counted);
    return counted;
  };
  for (const other of master.sentinels.values()) {
    if (other.leader !== undefined && other.leaderEpoch === sentinel.epoch) count(other.leader);
  }
  let winner: string | undefined;
  let most = 0;
  for (const [id, counted] of votes) if (counted > most) [winner, most] = [id, counted];
  // Our own vote goes to the Sentinel with the most votes, or to ourselves.
  const own = vote(sentinel, master, epoch, winner ?? sentinel.id);
  if (own.leader !== undefined && own.epoch === epoch) {
    const counted = count(own.leader);
    if (counted > most) [winner, most] = [own.leader, counted];
  }
  const voters = master.sentinels.size + 1;
  return most >= Math.floor(voters / 2) + 1 && most >= master.quorum ? winner : undefined;
}

export const MAX_DESYNC = 1000;
