import { SLOTS } from '../../bytes/crc16.js';
import type { Address } from '../../replication/world.js';
import { StoreError } from '../store-error.js';

/** A master of a Cluster. */
export interface ClusterMaster {
  readonly id: string;
  readonly address: Address;
}

/** A Cluster as its nodes describe it. */
export interface ClusterView {
  /** All masters by their ids, also those without slots unless they have failed. */
  readonly masters: ReadonlyMap<string, ClusterMaster>;
  /** All nodes that can be asked. */
  readonly nodes: readonly Address[];
  /** The id of the master that owns each slot; undefined if none does. */
  readonly owners: readonly (string | undefined)[];
  /** The epoch under which each slot is owned. */
  readonly epochs: readonly number[];
  /** Slots whose keys are being moved from one master to another. */
  readonly moving: ReadonlySet<number>;
}

/** What one node says: the lines of its CLUSTER NODES. */
export interface NodeAnswer {
  readonly lines: readonly NodeLine[];
  readonly moving: readonly number[];
}

interface NodeLine {
  readonly id: string;
  /** Undefined if the node cannot be reached, or has not introduced itself yet. */
  readonly address: Address | undefined;
  readonly isMaster: boolean;
  readonly hasFailed: boolean;
  readonly epoch: number;
  readonly slots: readonly (readonly [first: number, last: number])[];
}

/** Reads a reply to CLUSTER NODES. A node that does not know its own address is at the one where it was asked. */
export function parseNodes(text: string, askedAt: Address): NodeAnswer {
  const moving: number[] = [];
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseLine(line, askedAt, moving));
  return { lines, moving };
}

function parseLine(line: string, askedAt: Address, moving: number[]): NodeLine {
  const [id, place, flagText, , , , epoch, , ...ranges] = line.trim().split(' ');
  const flags = new Set(flagText?.split(','));
  const [, host = '', port] = /^(.*):(\d+)(?:@|$)/.exec(place ?? '') ?? [];
  if (id === undefined || port === undefined || !/^\d+$/.test(epoch ?? '')) {
    throw new StoreError('ERR', `a line of CLUSTER NODES cannot be read: ${line}`);
  }
  const slots: (readonly [number, number])[] = [];
  for (const range of ranges) {
    const [, moved] = /^\[(\d+)-[<>]-/.exec(range) ?? [];
    if (moved !== undefined) moving.push(Number(moved));
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
    if (first !== undefined && Number(last) < SLOTS) slots.push([Number(first), Number(last)]);
  }
  const isKnown = !flags.has('noaddr') && !flags.has('handshake') && port !== '0';
  return {
    id,
    address: isKnown ? { host: host === '' ? askedAt.host : host, port: Number(port) } : undefined,
    isMaster: flags.has('master'),
    hasFailed: flags.has('fail'),
    epoch: Number(epoch),
    slots,
  };
}

/**
 * Combines the answers of several nodes, some of which may be behind. Of two claims to a slot, that of the higher epoch counts, as
 * among the nodes themselves. A claim of a lower epoch than the one known before comes from a node that is cut off from the others, unless
 * most masters were asked and agree.
 */
export function combineAnswers(answers: readonly NodeAnswer[], before?: ClusterView): ClusterView {
  const claims = answers.map(claimsOf);
  const known = newestLines(answers);
  const masterCount = [...known.values()].filter(({ isMaster }) => isMaster).length;
  const areMost = answers.length * 2 > masterCount;
  const owners: (string | undefined)[] = [];
  const epochs: number[] = [];
  for (let slot = 0; slot < SLOTS; slot++) {
    let best: NodeLine | undefined;
    for (const claimed of claims) {
      const line = claimed[slot];
      if (line !== undefined && line.epoch > (best?.epoch ?? -1)) best = line;
    }
    const formerOwner = before?.owners[slot];
    const formerEpoch = before?.epochs[slot] ?? -1;
    const isBehind = formerOwner !== undefined && known.has(formerOwner) && (best?.epoch ?? -1) < formerEpoch;
    const agree = areMost && claims.every((claimed) => claimed[slot]?.id === best?.id);
    owners[slot] = isBehind && !agree ? formerOwner : best?.id;
    epochs[slot] = isBehind && !agree ? formerEpoch : (best?.epoch ?? -1);
  }
  const owning = new Set(owners);
  const masters = new Map<string, ClusterMaster>();
  for (const { id, address, isMaster, hasFailed } of known.values()) {
    const counts = owning.has(id) || (isMaster && !hasFailed);
    if (address !== undefined && counts) masters.set(id, { id, address });
  }
  const nodes = [...known.values()].flatMap(({ address }) => (address === undefined ? [] : [address]));
  return { masters, nodes, owners, epochs, moving: new Set(answers.flatMap(({ moving }) => moving)) };
}

/** The line of the master that owns each slot, according to one node. */
function claimsOf({ lines }: NodeAnswer): readonly (NodeLine | undefined)[] {
  const claimed: (NodeLine | undefined)[] = new Array(SLOTS).fill(undefined);
  for (const line of lines) {
    if (!line.isMaster) continue;
    for (const [first, last] of line.slots) claimed.fill(line, first, last + 1);
  }
  return claimed;
}

/** Of the lines about each node, the one of the highest epoch, and of those one that knows its address. */
function newestLines(answers: readonly NodeAnswer[]): Map<string, NodeLine> {
  const newest = new Map<string, NodeLine>();
  for (const line of answers.flatMap(({ lines }) => lines)) {
    const other = newest.get(line.id);
    const isNewer =
      other === undefined ||
      line.epoch > other.epoch ||
      (line.epoch === other.epoch && other.address === undefined);
    if (isNewer) newest.set(line.id, line);
  }
  return newest;
}
