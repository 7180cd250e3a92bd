import { promoted, sendReplicaOf } from './failover.js';
import { type Instance, Master, Replica } from './instance.js';
import { type InstanceInfo, parseInfo } from './instance-info.js';
import { InstanceRefused } from './instance-refused.js';
import { looksSane } from './requests.js';
import type { Sentinel } from './sentinel.js';

/** Takes over what a server's INFO says, and puts right a server that has another role or master than it should. */
export function learn(sentinel: Sentinel, instance: Instance, text: string): void {
  const { now } = sentinel;
  const info = parseInfo(text, instance.reportedRole);
  instance.info = text;
  noteRunId(sentinel, instance, info);
  if (instance instanceof Master) findReplicas(sentinel, instance, info);
  if (instance instanceof Replica) noteReplica(instance, info, now);
  instance.infoAt = now;
  if (info.role !== instance.reportedRole) {
    instance.reportedRole = info.role;
    instance.reportedRoleSince = now;
    if (info.role === 'slave' && instance instanceof Replica) instance.configuredAt = now;
    const isExpected = instance.kind === info.role;
    const event = isExpected ? '+role-change' : '-role-change';
    sentinel.event('verbose', event, instance, ` new reported role is ${info.role}`);
  }
  if (sentinel.tiltSince === undefined && instance instanceof Replica) correct(sentinel, instance);
}

function noteRunId(sentinel: Sentinel, instance: Instance, { runId }: InstanceInfo): void {
  if (runId === undefined || runId === instance.runId) return;
  if (instance.runId !== undefined) {
    sentinel.event('notice', '+reboot', instance);
    if (instance.master.rebootDownAfter !== 0) {
      instance.isRebooting = true;
      instance.rebootingSince = sentinel.now;
    }
  }
  instance.runId = runId;
}

function findReplicas(sentinel: Sentinel, master: Master, { replicas }: InstanceInfo): void {
  for (const { host, port } of replicas) {
    if (sentinel.replicaAt(master, host, port) !== undefined) continue;
    try {
      sentinel.event('notice', '+slave', sentinel.addReplica(master, host, port));
      sentinel.flush();
    } catch (error) {
      if (!(error instanceof InstanceRefused)) throw error;
    }
  }
}

function noteReplica(replica: Replica, info: InstanceInfo, now: number): void {
  const { masterHost, masterPort } = info;
  replica.masterLinkDownTime = info.masterLinkDownTime;
  const isOtherHost =
    masterHost !== undefined && masterHost.toLowerCase() !== replica.masterHost?.toLowerCase();
  if (isOtherHost || (masterPort !== undefined && masterPort !== replica.masterPort))
    replica.configuredAt = now;
  replica.masterHost = masterHost ?? replica.masterHost;
  replica.masterPort = masterPort ?? replica.masterPort;
  replica.isMasterLinkUp = info.isMasterLinkUp ?? replica.isMasterLinkUp;
  replica.priority = info.priority ?? replica.priority;
  replica.offset = info.offset ?? replica.offset;
  replica.isAnnounced = info.isAnnounced ?? replica.isAnnounced;
}

function correct(sentinel: Sentinel, replica: Replica): void {
  if (replica.reportedRole === 'master') {
    if (replica.isPromoted && replica.master.failoverState === 'wait_promotion') promoted(sentinel, replica);
    else demote(sentinel, replica);
    return;
  }
  redirect(sentinel, replica);
  followReconfiguration(sentinel, replica);
}

/** It was the master before a failover, and has come back. A newer configuration may be on its way: wait for it. */
function demote(sentinel: Sentinel, replica: Replica): void {
  const { now, periods } = sentinel;
  const wait = periods['publish-period'] * 4;
  if (replica.isPromoted || !looksSane(sentinel, replica.master) || !replica.noDownFor(wait, now)) return;
  if (now - replica.reportedRoleSince <= wait || replica.link.isDisconnected) return;
  sendReplicaOf(sentinel, replica, replica.master.address);
  sentinel.event('notice', '+convert-to-slave', replica);
}

/** It follows another master. */
function redirect(sentinel: Sentinel, replica: Replica): void {
  const { now, addresses } = sentinel;
  const { master, masterHost, masterPort } = replica;
  const isRight = masterPort === master.address.port && addresses.isAt(master.address, masterHost ?? '');
  const wait = master.failoverTimeout;
  if (isRight || !looksSane(sentinel, master) || !replica.noDownFor(wait, now)) return;
  if (now - replica.configuredAt <= wait || replica.link.isDisconnected) return;
  sendReplicaOf(sentinel, replica, master.address);
  sentinel.event('notice', '+fix-slave-config', replica);
}

/** During a failover: it has been told to follow the new master. */
function followReconfiguration(sentinel: Sentinel, replica: Replica): void {
  const target = replica.master.promoted?.address;
  if (replica.reconfiguration === 'sent' && target !== undefined && replica.masterPort === target.port) {
    if (sentinel.addresses.isAt(target, replica.masterHost ?? '')) {
      replica.reconfiguration = 'inprog';
      sentinel.event('notice', '+slave-reconf-inprog', replica);
    }
  }
  if (replica.reconfiguration === 'inprog' && replica.isMasterLinkUp) {
    replica.reconfiguration = 'done';
    sentinel.event('notice', '+slave-reconf-done', replica);
  }
}
