import type { Call } from '../call.js';
import type { ClusterMember, ClusterPort } from '../cluster-port.js';
import { CommandError, shownText, wrongArity } from '../errors.js';
import { slotArgument } from './slot-argument.js';

/** CLUSTER ADDSLOTS slot [slot …] */
export function addSlots(call: Call, cluster: ClusterPort): void {
  cluster.addSlots(listedSlots(call, (slot) => requireUnassigned(cluster, slot)));
  call.reply.ok();
}

/** CLUSTER DELSLOTS slot [slot …] */
export function deleteSlots(call: Call, cluster: ClusterPort): void {
  cluster.deleteSlots(listedSlots(call, (slot) => requireAssigned(cluster, slot)));
  call.reply.ok();
}

/** CLUSTER ADDSLOTSRANGE start end [start end …] */
export function addSlotRanges(call: Call, cluster: ClusterPort): void {
  cluster.addSlots(slotsOfRanges(call, (slot) => requireUnassigned(cluster, slot)));
  call.reply.ok();
}

/** CLUSTER DELSLOTSRANGE start end [start end …] */
export function deleteSlotRanges(call: Call, cluster: ClusterPort): void {
  cluster.deleteSlots(slotsOfRanges(call, (slot) => requireAssigned(cluster, slot)));
  call.reply.ok();
}

export function flushSlots(call: Call, cluster: ClusterPort): void {
  if (call.db.size !== 0) throw NOT_EMPTY;
  cluster.flushSlots();
  call.reply.ok();
}

/** CLUSTER SETSLOT slot MIGRATING node | IMPORTING node | NODE node | STABLE */
export function setSlot(call: Call, cluster: ClusterPort): void {
  if (cluster.myself.isReplica) throw ONLY_MASTERS;
  const slot = slotArgument(call, 2);
  const action = call.arg(3);
  const isMine = cluster.owner(slot)?.isMyself === true;
  if (action.is('migrating') && call.argc === 5) {
    if (!isMine) throw new CommandError(`ERR I'm not the owner of hash slot ${slot}`);
    cluster.setSlot(slot, { kind: 'migrating', node: otherMaster(call, cluster) });
  } else if (action.is('importing') && call.argc === 5) {
    if (isMine) throw new CommandError(`ERR I'm already the owner of hash slot ${slot}`);
    cluster.setSlot(slot, { kind: 'importing', node: otherMaster(call, cluster) });
  } else if (action.is('stable') && call.argc === 4) {
    cluster.setSlot(slot, { kind: 'stable' });
  } else if (action.is('node') && call.argc === 5) {
    const node = newOwner(call, cluster);
    if (isMine && !node.isMyself && call.keyspace.slotKeys.count(slot) !== 0) throw holdsKeys(slot);
    cluster.setSlot(slot, { kind: 'owner', node });
  } else {
    throw INVALID_ACTION;
  }
  call.reply.ok();
}

function otherMaster(call: Call, cluster: ClusterPort): ClusterMember {
  const id = call.text(4);
  const node = cluster.node(id);
  if (node === undefined) throw new CommandError(`ERR I don't know about node ${shownText(id)}`);
  return requireMaster(node);
}

function newOwner(call: Call, cluster: ClusterPort): ClusterMember {
  const id = call.text(4);
  const node = cluster.node(id);
  if (node === undefined) throw unknownNode(id);
  return requireMaster(node);
}

function requireMaster(node: ClusterMember): ClusterMember {
  if (node.isReplica) throw NOT_A_MASTER;
  return node;
}

/** All arguments are parsed before the first slot is checked. */
function listedSlots(call: Call, check: (slot: number) => void): number[] {
  const slots = new Set<number>();
  for (let i = 2; i < call.argc; i++) slotArgument(call, i);
  for (let i = 2; i < call.argc; i++) collect(slots, slotArgument(call, i), check);
  return [...slots];
}

/** Each range is checked before the next one is parsed. */
function slotsOfRanges(call: Call, check: (slot: number) => void): number[] {
  if (call.argc % 2 === 1) throw wrongArity(call.command.fullName);
  const slots = new Set<number>();
  for (let i = 2; i < call.argc; i += 2) {
    const start = slotArgument(call, i);
    const end = slotArgument(call, i + 1);
    if (start > end) {
      throw new CommandError(`ERR start slot number ${start} is greater than end slot number ${end}`);
    }
    for (let slot = start; slot <= end; slot++) collect(slots, slot, check);
  }
  return [...slots];
}

function collect(slots: Set<number>, slot: number, check: (slot: number) => void): void {
  check(slot);
  if (slots.has(slot)) throw new CommandError(`ERR Slot ${slot} specified multiple times`);
  slots.add(slot);
}

function requireUnassigned(cluster: ClusterPort, slot: number): void {
  if (cluster.owner(slot) !== undefined) throw new CommandError(`ERR Slot ${slot} is already busy`);
}

function requireAssigned(cluster: ClusterPort, slot: number): void {
  if (cluster.owner(slot) === undefined) throw new CommandError(`ERR Slot ${slot} is already unassigned`);
}

export function unknownNode(id: string): CommandError {
  return new CommandError(`ERR Unknown node ${shownText(id)}`);
}

function holdsKeys(slot: number): CommandError {
  return new CommandError(
    `ERR Can't assign hashslot ${slot} to a different node while I still hold keys for this hash slot.`,
  );
}

const NOT_EMPTY = new CommandError('ERR DB must be empty to perform CLUSTER FLUSHSLOTS.');
const ONLY_MASTERS = new CommandError('ERR Please use SETSLOT only with masters.');
const NOT_A_MASTER = new CommandError('ERR Target node is not a master');
const INVALID_ACTION = new CommandError(
  'ERR Invalid CLUSTER SETSLOT action or number of arguments. Try CLUSTER HELP',
);
