import { type Instance, Master, type OtherSentinel } from './instance.js';
import type { Sentinel } from './sentinel.js';

/** Decides whether a server is down from our own point of view, and closes connections that seem dead. */
export function checkSubjectivelyDown(sentinel: Sentinel, instance: Instance): void {
  const { now } = sentinel;
  closeDeadConnections(sentinel, instance);
  if (isDown(sentinel, instance)) {
    if (instance.isSubjectivelyDown) return;
    sentinel.event('warning', '+sdown', instance);
    instance.subjectivelyDownSince = now;
    instance.isSubjectivelyDown = true;
  } else if (instance.isSubjectivelyDown) {
    sentinel.event('warning', '-sdown', instance);
    instance.isSubjectivelyDown = false;
    instance.wasSentScriptKill = false;
  }
}

function isDown({ now, periods }: Sentinel, instance: Instance): boolean {
  const { link, downAfter } = instance;
  let silentFor = 0;
  if (link.pingSince !== 0) silentFor = now - link.pingSince;
  else if (link.isDisconnected) silentFor = now - link.lastAvailableAt;
  if (silentFor > downAfter) return true;
  if (!(instance instanceof Master)) return false;
  // A master that says it is a replica, for longer than two reports could be late.
  const roleFor = now - instance.reportedRoleSince;
  if (instance.reportedRole === 'slave' && roleFor > downAfter + periods['info-period'] * 2) return true;
  return instance.isRebooting && now - instance.rebootingSince > instance.rebootDownAfter;
}

function closeDeadConnections({ now, periods }: Sentinel, { link, downAfter }: Instance): void {
  const minAge = periods['min-link-reconnect-period'];
  const isUnanswered =
    link.pingSince !== 0 && now - link.pingSince > downAfter / 2 && now - link.lastPongAt > downAfter / 2;
  if (link.commands !== undefined && now - link.commandsSince > minAge && isUnanswered) link.closeCommands();
  // Our own hello messages alone arrive more often than that.
  const isSilent = now - link.lastMessageAt > periods['publish-period'] * 3;
  if (link.messages !== undefined && now - link.messagesSince > minAge && isSilent) link.closeMessages();
}

/** Decides whether enough Sentinels say that the master is down. */
export function checkObjectivelyDown(sentinel: Sentinel, master: Master): void {
  let agreeing = 0;
  if (master.isSubjectivelyDown) {
    const says = ({ reportsMasterDown }: OtherSentinel): boolean => reportsMasterDown;
    agreeing = 1 + [...master.sentinels.values()].filter(says).length;
  }
  if (master.isSubjectivelyDown && agreeing >= master.quorum) {
    if (master.isObjectivelyDown) return;
    sentinel.event('warning', '+odown', master, ` #quorum ${agreeing}/${master.quorum}`);
    master.isObjectivelyDown = true;
    master.objectivelyDownSince = sentinel.now;
  } else if (master.isObjectivelyDown) {
    sentinel.event('warning', '-odown', master);
    master.isObjectivelyDown = false;
  }
}
