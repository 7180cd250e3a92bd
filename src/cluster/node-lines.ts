import { parseWholeNumber } from '../bytes/numbers/whole-number.js';
import { BUS_PORT_DISTANCE } from './cluster-settings.js';
import { ClusterNode, NodeFlag } from './node.js';
import { isNodeId } from './packet.js';
import { SLOTS } from './slot-set.js';
import { Topology } from './topology.js';

/** The order is that of CLUSTER NODES. */
const FLAG_NAMES: readonly (readonly [flag: number, name: string])[] = [
  [NodeFlag.myself, 'myself'],
  [NodeFlag.master, 'master'],
  [NodeFlag.replica, 'slave'],
  [NodeFlag.suspected, 'fail?'],
  [NodeFlag.failed, 'fail'],
  [NodeFlag.handshake, 'handshake'],
  [NodeFlag.noAddress, 'noaddr'],
  [NodeFlag.noFailover, 'nofailover'],
];

// ---- writing ----

/** A line of CLUSTER NODES, without its end. */
export function nodeLine(topology: Topology, node: ClusterNode, usesPlainPorts: boolean): string {
  const port = usesPlainPorts && node.plainPort !== 0 ? node.plainPort : node.port;
  const hostname = node.hostname === '' ? '' : `,${node.hostname}`;
  const epoch = node.shardMaster.configEpoch;
  const isLinked = node.isMyself || node.link !== undefined;
  const words = [
    node.id,
    `${node.ip}:${port}@${node.busPort}${hostname}`,
    flagNames(node.flags),
    node.master?.id ?? '-',
    node.pingSentAt,
    node.pongReceivedAt,
    epoch,
    isLinked ? 'connected' : 'disconnected',
  ];
  for (const { start, end } of node.slots.ranges()) words.push(start === end ? start : `${start}-${end}`);
  if (node.isMyself) words.push(...movingSlots(topology));
  return words.join(' ');
}

export function flagNames(flags: number): string {
  const names = FLAG_NAMES.filter(([flag]) => (flags & flag) !== 0).map(([, name]) => name);
  return names.length === 0 ? 'noflags' : names.join(',');
}

function movingSlots({ migratingTo, importingFrom }: Topology): string[] {
  const slots = [...new Set([...migratingTo.keys(), ...importingFrom.keys()])].sort((a, b) => a - b);
  return slots.map((slot) => {
    const target = migratingTo.get(slot);
    return target === undefined ? `[${slot}-<-${importingFrom.get(slot)?.id}]` : `[${slot}->-${target.id}]`;
  });
}

/** The reply of CLUSTER NODES. */
export function nodeLines(topology: Topology, usesPlainPorts = false, withHandshakes = true): string {
  let text = '';
  for (const node of topology.nodes) {
    if (!withHandshakes && node.isInHandshake) continue;
    text += `${nodeLine(topology, node, usesPlainPorts)}\n`;
  }
  return text;
}

/** The content of the file with the nodes (`cluster-config-file`). */
export function nodesFile(topology: Topology): string {
  const { currentEpoch, lastVoteEpoch } = topology;
  return `${nodeLines(topology, false, false)}vars currentEpoch ${currentEpoch} lastVoteEpoch ${lastVoteEpoch}\n`;
}

// ---- reading ----

/** The file with the nodes is damaged; the message names the line. */
export class NodesFileError extends Error {}

/** What the file says; undefined if it is empty. Throws a NodesFileError. */
export function parseNodesFile(text: string, now: number): Topology | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return undefined;
  const words = lines.map((line) => line.trim().split(/\s+/));
  const own = words.find(([, , flags]) => flags?.split(',').includes('myself') === true);
  if (own === undefined) throw new NodesFileError('no line is about this node itself (flag myself)');
  const topology = new Topology(new ClusterNode(checkedId(own[0] as string), 0, now));
  words.forEach((line, index) => {
    try {
      if (line[0]?.toLowerCase() === 'vars') parseVariables(topology, line);
      else parseNode(topology, line, now);
    } catch (error) {
      throw new NodesFileError(`line ${index + 1}: ${(error as Error).message}`);
    }
  });
  topology.currentEpoch = topology.maxEpoch;
  return topology;
}

function parseVariables(topology: Topology, [, ...words]: readonly string[]): void {
  if (words.length % 2 !== 0) throw new NodesFileError('a variable has no value');
  for (let i = 0; i < words.length; i += 2) {
    const value = wholeNumber(words[i + 1] as string, Number.MAX_SAFE_INTEGER);
    if (words[i]?.toLowerCase() === 'currentepoch') topology.currentEpoch = value;
    if (words[i]?.toLowerCase() === 'lastvoteepoch') topology.lastVoteEpoch = value;
  }
}

function parseNode(topology: Topology, words: readonly string[], now: number): void {
  if (words.length < 8) throw new NodesFileError('a line about a node has at least 8 words');
  const [id, address, flags, masterId, pingSent, pongReceived, epoch] = words as readonly [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const node = nodeOf(topology, id, now);
  parseAddress(node, address);
  node.set(parseFlags(flags));
  if (node.isFailed) node.failedAt = now;
  if (masterId !== '-') {
    const master = nodeOf(topology, masterId, now);
    node.master = master;
    master.addReplica(node);
  }
  if (Number(pingSent) > 0) node.pingSentAt = now;
  if (Number(pongReceived) > 0) node.pongReceivedAt = now;
  // The epoch in a replica's line is its master's.
  const hasOwnEpoch = !node.isReplica || node.master === undefined;
  node.configEpoch = hasOwnEpoch ? wholeNumber(epoch, Number.MAX_SAFE_INTEGER) : 0;
  for (const word of words.slice(8)) parseSlots(topology, node, word, now);
}

function nodeOf(topology: Topology, id: string, now: number): ClusterNode {
  const known = topology.node(checkedId(id));
  if (known !== undefined) return known;
  const node = new ClusterNode(id, 0, now);
  topology.add(node);
  return node;
}

function checkedId(id: string): string {
  if (!isNodeId(id)) throw new NodesFileError(`${id} is not the id of a node`);
  return id;
}

/** ip:port@busPort,hostname; older files have no bus port. */
function parseAddress(node: ClusterNode, text: string): void {
  const [place, hostname = ''] = text.split(',') as [string, string?];
  const match = /^(.*):(\d+)(?:@(\d+))?$/.exec(place);
  if (match === null) throw new NodesFileError(`${text} is not an address`);
  node.ip = match[1] as string;
  node.port = Number(match[2]);
  node.busPort = match[3] === undefined ? node.port + BUS_PORT_DISTANCE : Number(match[3]);
  node.hostname = hostname;
}

function parseFlags(text: string): number {
  let flags = 0;
  for (const name of text.toLowerCase().split(',')) {
    const known = FLAG_NAMES.find(([, each]) => each === name);
    if (known === undefined && name !== 'noflags') throw new NodesFileError(`unknown flag ${name}`);
    flags |= known?.[0] ?? 0;
  }
  return flags;
}

/** `start-end`, `slot`, or for this node `[slot->-id]` and `[slot-<-id]`. */
function parseSlots(topology: Topology, node: ClusterNode, word: string, now: number): void {
  const moving = /^\[(\d+)-([<>])-([0-9a-z]{40})\]$/.exec(word);
  if (moving !== null) {
    const slots = moving[2] === '>' ? topology.migratingTo : topology.importingFrom;
    slots.set(slotNumber(moving[1] as string), nodeOf(topology, moving[3] as string, now));
    return;
  }
  const [start, end = start] = word.split('-') as [string, string?];
  const last = slotNumber(end as string);
  for (let slot = slotNumber(start); slot <= last; slot++) topology.move(slot, node);
}

function slotNumber(text: string): number {
  return wholeNumber(text, SLOTS - 1);
}

function wholeNumber(text: string, max: number): number {
  const value = parseWholeNumber(text, max);
  if (value === undefined) throw new NodesFileError(`${text} is not a number up to ${max}`);
  return value;
}
