import { CommandError } from '../commands/errors.js';
import type { ResolvedAddress } from './address.js';
import type { Instance, Master, Replica } from './instance.js';
import { electedLeader, MAX_DESYNC } from './majority.js';
import type { Sentinel } from './sentinel.js';

export function startFailover(sentinel: Sentinel, master: Master): void {
  const { now } = sentinel;
  sentinel.epoch++;
  master.failoverEpoch = sentinel.epoch;
  master.enter('wait_start', now);
  sentinel.tell('warning', '+new-epoch', String(sentinel.epoch), master);
  sentinel.event('warning', '+try-failover', master);
  master.failoverStartedAt = now + sentinel.world.random.integer(MAX_DESYNC);
}

/** SENTINEL FAILOVER: without the agreement of others. Throws if no replica can be promoted. */
export function requestFailover(sentinel: Sentinel, master: Master): void {
  if (master.isFailingOver) throw IN_PROGRESS;
  if (selectReplica(sentinel, master) === undefined) throw NO_GOOD_REPLICA;
  sentinel.log('warning', `Executing user requested FAILOVER of '${master.name}'`);
  startFailover(sentinel, master);
  master.isForced = true;
  // No vote stores the epoch here, and after a crash it must not be used again.
  sentinel.flush();
}

const IN_PROGRESS = new CommandError('INPROG Failover already in progress');
const NO_GOOD_REPLICA = new CommandError('NOGOODSLAVE No suitable replica to promote');

/** Starts a failover if the master is objectively down, and the last one began long enough ago. */
export function startFailoverIfNeeded(sentinel: Sentinel, master: Master): boolean {
  if (!master.isObjectivelyDown || master.isFailingOver) return false;
  const earliest = master.failoverStartedAt + master.failoverTimeout * 2;
  if (sentinel.now < earliest) {
    if (master.delayLoggedFor !== master.failoverStartedAt) {
      master.delayLoggedFor = master.failoverStartedAt;
      const time = new Date(earliest).toString();
      sentinel.log('warning', `Next failover delay: I will not start a failover before ${time}`);
    }
    return false;
  }
  startFailover(sentinel, master);
  return true;
}

export function advanceFailover(sentinel: Sentinel, master: Master): void {
  switch (master.failoverState) {
    case 'wait_start':
      waitForElection(sentinel, master);
      break;
    case 'select_slave':
      select(sentinel, master);
      break;
    case 'send_slaveof_noone':
      promote(sentinel, master);
      break;
    case 'wait_promotion':
      if (hasTakenTooLong(sentinel, master)) abort(sentinel, master, '-failover-abort-slave-timeout');
      break;
    case 'reconf_slaves':
      reconfigureReplicas(sentinel, master);
      break;
    default:
  }
}

function hasTakenTooLong({ now }: Sentinel, master: Master): boolean {
  return now - master.failoverStateSince > master.failoverTimeout;
}

function abort(sentinel: Sentinel, master: Master, event: string): void {
  sentinel.event('warning', event, master);
  master.abortFailover(sentinel.now);
}

function waitForElection(sentinel: Sentinel, master: Master): void {
  const { now, periods } = sentinel;
  const leader = electedLeader(sentinel, master, master.failoverEpoch);
  if (leader?.toLowerCase() !== sentinel.id.toLowerCase() && !master.isForced) {
    const limit = Math.min(periods['election-timeout'], master.failoverTimeout);
    if (now - master.failoverStartedAt > limit) abort(sentinel, master, '-failover-abort-not-elected');
    return;
  }
  sentinel.event('warning', '+elected-leader', master);
  if (sentinel.crashesAfterElection) {
    sentinel.world.crash();
    return;
  }
  master.enter('select_slave', now);
  sentinel.event('warning', '+failover-state-select-slave', master);
}

function select(sentinel: Sentinel, master: Master): void {
  const replica = selectReplica(sentinel, master);
  if (replica === undefined) {
    abort(sentinel, master, '-failover-abort-no-good-slave');
    return;
  }
  sentinel.event('warning', '+selected-slave', replica);
  replica.isPromoted = true;
  master.promoted = replica;
  master.enter('send_slaveof_noone', sentinel.now);
  sentinel.event('notice', '+failover-state-send-slaveof-noone', replica);
}

/** The best replica to promote: it answers, was not without its master for long, and has the most data. */
export function selectReplica(sentinel: Sentinel, master: Master): Replica | undefined {
  const { now, periods } = sentinel;
  const maxLinkDown = timeDown(sentinel, master) + master.downAfter * 10;
  const infoLimit = master.isSubjectivelyDown ? periods['ping-period'] * 5 : periods['info-period'] * 3;
  const isFit = (replica: Replica): boolean =>
    !replica.isSubjectivelyDown &&
    !replica.link.isDisconnected &&
    now - replica.link.lastAvailableAt <= periods['ping-period'] * 5 &&
    replica.priority !== 0 &&
    now - replica.infoAt <= infoLimit &&
    replica.masterLinkDownTime <= maxLinkDown;
  return [...master.replicas.values()].filter(isFit).sort(byFitness)[0];
}

/** How long the master has been down; 0 if it is not. */
function timeDown({ now }: Sentinel, master: Master): number {
  if (!master.isSubjectivelyDown) return 0;
  // From its last reply on: we may have noticed later that it is down, because of a wrong clock (TILT).
  const known = now - Math.min(master.subjectivelyDownSince, master.link.lastAvailableAt);
  if (master.link.wasAvailable && master.reportedRole === 'master') return known;
  // It was down when we were started, or follows another server itself: only its replicas know since when there is no master.
  const links = [...master.replicas.values()].map(({ masterLinkDownTime }) => masterLinkDownTime);
  return Math.max(known, Math.min(...links));
}

/** Lower priority first, then more data, then the lower run id. */
function byFitness(a: Replica, b: Replica): number {
  if (a.priority !== b.priority) return a.priority - b.priority;
  if (a.offset !== b.offset) return b.offset - a.offset;
  if (a.runId === b.runId) return 0;
  if (a.runId === undefined || b.runId === undefined) return a.runId === undefined ? 1 : -1;
  return a.runId.toLowerCase() < b.runId.toLowerCase() ? -1 : 1;
}

function promote(sentinel: Sentinel, master: Master): void {
  const replica = master.promoted as Replica;
  if (replica.link.isDisconnected) {
    if (hasTakenTooLong(sentinel, master)) abort(sentinel, master, '-failover-abort-slave-timeout');
    return;
  }
  sendReplicaOf(sentinel, replica, undefined);
  sentinel.event('notice', '+failover-state-wait-promotion', replica);
  master.enter('wait_promotion', sentinel.now);
}

/** INFO of the promoted replica says that it is a master. */
export function promoted(sentinel: Sentinel, replica: Replica): void {
  const { master } = replica;
  // Other Sentinels adopt the configuration with the latest epoch.
  master.configEpoch = master.failoverEpoch;
  master.enter('reconf_slaves', sentinel.now);
  sentinel.flush();
  sentinel.event('warning', '+promoted-slave', replica);
  if (sentinel.crashesAfterPromotion) {
    sentinel.world.crash();
    return;
  }
  sentinel.event('warning', '+failover-state-reconf-slaves', master);
  sentinel.runReconfigScript(master, 'leader', master.address, replica.address);
  announceSoon(sentinel, master);
}

/** Lets the next tick send hello messages about the master, without waiting for their turn. */
export function announceSoon({ periods }: Sentinel, master: Master): void {
  for (const instance of [master, ...master.replicas.values(), ...master.sentinels.values()] as Instance[]) {
    if (instance.lastPublishedAt > periods['publish-period']) {
      instance.lastPublishedAt -= periods['publish-period'] + 1;
    }
  }
}

function reconfigureReplicas(sentinel: Sentinel, master: Master): void {
  const { now, periods } = sentinel;
  const replicas = [...master.replicas.values()];
  const isOnTheWay = ({ reconfiguration }: Replica): boolean =>
    reconfiguration === 'sent' || reconfiguration === 'inprog';
  let onTheWay = replicas.filter(isOnTheWay).length;
  for (const replica of replicas) {
    if (onTheWay >= master.parallelSyncs) break;
    if (replica.isPromoted || replica.reconfiguration === 'done') continue;
    const isLate = now - replica.reconfigurationSentAt > periods['slave-reconf-timeout'];
    if (replica.reconfiguration === 'sent' && isLate) {
      sentinel.event('notice', '-slave-reconf-sent-timeout', replica);
      replica.reconfiguration = 'done';
    }
    if (isOnTheWay(replica) || replica.reconfiguration === 'done' || replica.link.isDisconnected) continue;
    sendReplicaOf(sentinel, replica, (master.promoted as Replica).address);
    replica.reconfiguration = 'sent';
    replica.reconfigurationSentAt = now;
    sentinel.event('notice', '+slave-reconf-sent', replica);
    onTheWay++;
  }
  endIfDone(sentinel, master);
}

function endIfDone(sentinel: Sentinel, master: Master): void {
  const { promoted: chosen } = master;
  if (chosen === undefined || chosen.isSubjectivelyDown) return;
  const isOpen = (replica: Replica): boolean => !replica.isPromoted && replica.reconfiguration !== 'done';
  const open = [...master.replicas.values()].filter(isOpen);
  const isLate = hasTakenTooLong(sentinel, master);
  if (isLate) sentinel.event('warning', '+failover-end-for-timeout', master);
  if (isLate || open.every(({ isSubjectivelyDown }) => isSubjectivelyDown)) {
    sentinel.event('warning', '+failover-end', master);
    master.enter('update_config', sentinel.now);
  }
  if (!isLate) return;
  for (const replica of open) {
    if (replica.reconfiguration === 'sent' || replica.link.isDisconnected) continue;
    sendReplicaOf(sentinel, replica, chosen.address);
    sentinel.event('notice', '+slave-reconf-sent-be', replica);
    replica.reconfiguration = 'sent';
  }
}

/** The end of a failover: the promoted replica is the master. */
export function switchToPromoted(sentinel: Sentinel, master: Master): void {
  const { address } = master.promoted ?? master;
  tellSwitch(sentinel, master, address);
  sentinel.changeAddress(master, address.host, address.port);
}

export function tellSwitch(
  sentinel: Sentinel,
  master: Master,
  to: { host: string; port: number } & Partial<ResolvedAddress>,
  before: ResolvedAddress = master.address,
): void {
  const { addresses } = sentinel;
  const shown =
    to.ip === undefined ? to.host : addresses.announced({ host: to.host, ip: to.ip, port: to.port });
  const from = `${addresses.announced(before)} ${before.port}`;
  sentinel.tell('warning', '+switch-master', `${master.name} ${from} ${shown} ${to.port}`, master);
}

/**
 * Makes the server a replica of the address, or a master. In one transaction: its configuration is stored, and its clients
 * are disconnected, so that they ask for the master again.
 */
export function sendReplicaOf(
  sentinel: Sentinel,
  instance: Instance,
  address: ResolvedAddress | undefined,
): void {
  const { link, master } = instance;
  const target =
    address === undefined ? ['NO', 'ONE'] : [sentinel.addresses.announced(address), String(address.port)];
  const renamed = (name: string): string => master.renamedCommands.get(name.toLowerCase()) ?? name;
  for (const words of [
    [renamed('MULTI')],
    [renamed('SLAVEOF'), ...target],
    [renamed('CONFIG'), 'REWRITE'],
    [renamed('CLIENT'), 'KILL', 'TYPE', 'normal'],
    [renamed('CLIENT'), 'KILL', 'TYPE', 'pubsub'],
    [renamed('EXEC')],
  ]) {
    link.pending++;
    link.commands?.send(words, () => {
      link.pending--;
    });
  }
}
