import type { Reply } from '../../resp/reply.js';
import { type Instance, Master, OtherSentinel, Replica } from '../instance.js';
import type { Sentinel } from '../sentinel.js';

type Fields = readonly (readonly [name: string, value: string | number])[];

/** The fields of SENTINEL MASTER, REPLICAS and SENTINELS. */
export function writeInstance(sentinel: Sentinel, instance: Instance, reply: Reply): void {
  const fields = [...common(sentinel, instance), ...ofKind(sentinel, instance)];
  reply.map(fields.length);
  for (const [name, value] of fields) {
    reply.bulkText(name);
    reply.bulkText(String(value));
  }
}

export function writeInstances(sentinel: Sentinel, instances: Iterable<Instance>, reply: Reply): void {
  // A replica with `replica-announced no` does not want to be seen.
  const shown = [...instances].filter((each) => !(each instanceof Replica) || each.isAnnounced);
  reply.array(shown.length);
  for (const instance of shown) writeInstance(sentinel, instance, reply);
}

function common({ now, addresses }: Sentinel, instance: Instance): Fields {
  const { link, address } = instance;
  const fields: (readonly [string, string | number])[] = [
    ['name', instance.name],
    ['ip', addresses.announced(address)],
    ['port', address.port],
    ['runid', instance.runId ?? ''],
    ['flags', flags(instance)],
    ['link-pending-commands', link.pending],
    ['link-refcount', link.owners],
  ];
  if (instance instanceof Master && instance.isFailingOver) {
    fields.push(['failover-state', instance.failoverState]);
  }
  fields.push(
    ['last-ping-sent', link.pingSince === 0 ? 0 : now - link.pingSince],
    ['last-ok-ping-reply', now - link.lastAvailableAt],
    ['last-ping-reply', now - link.lastPongAt],
  );
  if (instance.isSubjectivelyDown) fields.push(['s-down-time', now - instance.subjectivelyDownSince]);
  if (instance instanceof Master && instance.isObjectivelyDown) {
    fields.push(['o-down-time', now - instance.objectivelyDownSince]);
  }
  fields.push(['down-after-milliseconds', instance.downAfter]);
  if (!(instance instanceof OtherSentinel)) {
    fields.push(
      ['info-refresh', instance.infoAt === 0 ? 0 : now - instance.infoAt],
      ['role-reported', instance.reportedRole],
      ['role-reported-time', now - instance.reportedRoleSince],
    );
  }
  return fields;
}

function ofKind({ now }: Sentinel, instance: Instance): Fields {
  if (instance instanceof Replica) {
    return [
      ['master-link-down-time', instance.masterLinkDownTime],
      ['master-link-status', instance.isMasterLinkUp ? 'ok' : 'err'],
      ['master-host', instance.masterHost ?? '?'],
      ['master-port', instance.masterPort],
      ['slave-priority', instance.priority],
      ['slave-repl-offset', instance.offset],
      ['replica-announced', instance.isAnnounced ? 1 : 0],
    ];
  }
  if (instance instanceof OtherSentinel) {
    return [
      ['last-hello-message', now - instance.lastHelloAt],
      ['voted-leader', instance.leader ?? '?'],
      ['voted-leader-epoch', instance.leaderEpoch],
    ];
  }
  return ofMaster(instance as Master);
}

function ofMaster(master: Master): Fields {
  const fields: (readonly [string, string | number])[] = [
    ['config-epoch', master.configEpoch],
    ['num-slaves', master.replicas.size],
    ['num-other-sentinels', master.sentinels.size],
    ['quorum', master.quorum],
    ['failover-timeout', master.failoverTimeout],
    ['parallel-syncs', master.parallelSyncs],
  ];
  if (master.notificationScript !== undefined)
    fields.push(['notification-script', master.notificationScript]);
  if (master.reconfigScript !== undefined) fields.push(['client-reconfig-script', master.reconfigScript]);
  return fields;
}

/** In the order in which Redis prints them. */
function flags(instance: Instance): string {
  const isMaster = instance instanceof Master;
  const isReplica = instance instanceof Replica;
  const states: readonly (readonly [string, boolean])[] = [
    ['s_down', instance.isSubjectivelyDown],
    ['o_down', isMaster && instance.isObjectivelyDown],
    [instance.kind, true],
    ['disconnected', instance.link.isDisconnected],
    ['master_down', instance instanceof OtherSentinel && instance.reportsMasterDown],
    ['failover_in_progress', isMaster && instance.isFailingOver],
    ['promoted', isReplica && instance.isPromoted],
    ['reconf_sent', isReplica && instance.reconfiguration === 'sent'],
    ['reconf_inprog', isReplica && instance.reconfiguration === 'inprog'],
    ['reconf_done', isReplica && instance.reconfiguration === 'done'],
    ['force_failover', isMaster && instance.isForced],
    ['script_kill_sent', instance.wasSentScriptKill],
    ['master_reboot', instance.isRebooting],
  ];
  return states
    .filter(([, holds]) => holds)
    .map(([name]) => name)
    .join(',');
}
