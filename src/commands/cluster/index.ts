import type { Call } from '../call.js';
import type { ClusterPort } from '../cluster-port.js';
import { CommandError } from '../errors.js';
import { helpHandler } from '../help.js';
import { SessionGate } from '../session.js';
import { family, type Handler } from '../table.js';
import { clusterHelp } from './help.js';
import { countKeysInSlot, getKeysInSlot, keySlotCommand } from './keys.js';
import * as nodes from './nodes.js';
import { rows } from './rows.js';
import * as slots from './slots.js';

const DISABLED = new CommandError('ERR This instance has cluster support disabled');

/** Clients use these commands to ask whether the server is part of a cluster; this error means no. */
function inCluster(handler: (call: Call, cluster: ClusterPort) => void): Handler {
  return (call) => {
    const { cluster } = call.engine;
    if (cluster === undefined) throw DISABLED;
    handler(call, cluster);
  };
}

/** The next command may use keys of a slot that this node imports. */
function asking({ session, reply }: Call): void {
  session.gates |= SessionGate.asking;
  reply.ok();
}

/** The client accepts reading from a replica. */
function readonly({ session, reply }: Call): void {
  session.readsReplicas = true;
  reply.ok();
}

function readwrite({ session, reply }: Call): void {
  session.readsReplicas = false;
  reply.ok();
}

export const cluster = family(rows, {
  asking: inCluster(asking),
  cluster: {
    addslots: inCluster(slots.addSlots),
    addslotsrange: inCluster(slots.addSlotRanges),
    bumpepoch: inCluster(nodes.bumpEpoch),
    'count-failure-reports': inCluster(nodes.countFailureReports),
    countkeysinslot: inCluster(countKeysInSlot),
    delslots: inCluster(slots.deleteSlots),
    delslotsrange: inCluster(slots.deleteSlotRanges),
    failover: inCluster(nodes.failover),
    flushslots: inCluster(slots.flushSlots),
    forget: inCluster(nodes.forget),
    getkeysinslot: inCluster(getKeysInSlot),
    help: inCluster(helpHandler(clusterHelp)),
    info: inCluster(nodes.info),
    keyslot: inCluster(keySlotCommand),
    links: inCluster(({ reply }, port) => port.replyLinks(reply)),
    meet: inCluster(nodes.meet),
    myid: inCluster(({ reply }, { myself }) => reply.bulkText(myself.id)),
    nodes: inCluster(nodes.nodes),
    replicas: inCluster(nodes.replicas),
    replicate: inCluster(nodes.replicate),
    reset: inCluster(nodes.reset),
    saveconfig: inCluster(nodes.saveConfig),
    'set-config-epoch': inCluster(nodes.setConfigEpoch),
    setslot: inCluster(slots.setSlot),
    shards: inCluster(({ session, reply }, port) => port.replyShards(session, reply)),
    slaves: inCluster(nodes.replicas),
    slots: inCluster(({ session, reply }, port) => port.replySlots(session, reply)),
  },
  readonly: inCluster(readonly),
  readwrite: inCluster(readwrite),
});
