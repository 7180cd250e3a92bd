import { setTimeout as sleep } from 'node:timers/promises';
import { SLOTS } from '../../bytes/crc16.js';
import { type RandomSource, systemRandom } from '../../bytes/random.js';
import { BUS_PORT_DISTANCE } from '../../cluster/cluster-settings.js';
import type { ServerOptions } from '../shell/server-options.js';
import { textOf } from '../wire/reply.js';
import { ManagedNode, type NodeAddress, parseAddress, parseNodeLines } from './managed-node.js';
import type { ManagerOptions } from './manager-options.js';
import { GivenUp, type ManagerReport } from './manager-report.js';

/** Answers of the user, line by line. */
export interface UserInput {
  /** Undefined at the end of the input. */
  line(): Promise<string | undefined>;
}

/** A cluster, and what a subcommand of the manager works with. */
export class Manager {
  readonly options: ManagerOptions;
  readonly server: ServerOptions;
  readonly report: ManagerReport;
  readonly random: RandomSource = systemRandom();
  readonly #input: UserInput;
  /** The first is the one that the user has named. */
  nodes: ManagedNode[] = [];
  /** All that may have a connection, which would keep the program running: also nodes that are not in the cluster yet. */
  readonly #known = new Set<ManagedNode>();
  /** Masters that other nodes know and that cannot be asked. */
  unreachableMasters = 0;
  /** `fix`: problems are not only reported. */
  isFixing = false;

  constructor(options: ManagerOptions, server: ServerOptions, report: ManagerReport, input: UserInput) {
    this.options = options;
    this.server = server;
    this.report = report;
    this.#input = input;
  }

  get masters(): ManagedNode[] {
    return this.nodes.filter((node) => !node.isReplica);
  }

  node(id: string): ManagedNode | undefined {
    return this.nodes.find((node) => node.id.toLowerCase() === id.toLowerCase());
  }

  newNode(address: NodeAddress): ManagedNode {
    const node = new ManagedNode(address, this.server, this.report);
    this.#known.add(node);
    return node;
  }

  close(): void {
    for (const node of this.#known) node.close();
  }

  /** An address in one word or two: `host:port`, or `host port`. */
  addressIn([first = '', second]: readonly string[]): NodeAddress {
    const address = parseAddress(second === undefined ? first : `${first}:${second}`);
    if (address !== undefined) return address;
    this.report.complain(
      '[ERR] Invalid arguments: you need to pass either a valid address (ie. 120.0.0.1:7000) or space separated IP and port (ie. 120.0.0.1 7000)',
    );
    throw new GivenUp();
  }

  /** Connects to all nodes that this one knows, and reads what each says of itself. */
  async load(address: NodeAddress): Promise<void> {
    const node = await this.connected(address);
    await this.#loadFrom(node);
  }

  /** A node in cluster mode, with a connection. */
  async connected(address: NodeAddress): Promise<ManagedNode> {
    const node = this.newNode(address);
    if (!(await node.connect())) throw new GivenUp();
    if (await node.isInClusterMode()) return node;
    node.close();
    throw this.report.giveUp(`[ERR] Node ${node.place} is not configured as a cluster node.\n`);
  }

  async #loadFrom(first: ManagedNode): Promise<void> {
    const others = await first.load();
    this.nodes = [first];
    this.unreachableMasters = 0;
    for (const { address, flags } of others) {
      const found = parseAddress(address);
      const node = found === undefined ? undefined : await this.#reached(found);
      if (node !== undefined) this.nodes.push(node);
      else if (!flags.includes('slave')) this.unreachableMasters++;
    }
    this.countReplicas();
  }

  /** Undefined if the node does not answer, or is not in order. */
  async #reached(address: NodeAddress): Promise<ManagedNode | undefined> {
    const node = this.newNode(address);
    try {
      if (!(await node.connect())) return undefined;
      await node.load();
    } catch (error) {
      if (!(error instanceof GivenUp)) throw error;
      this.report.bad(`[ERR] Unable to load info for node ${node.place}\n`);
      node.close();
      return undefined;
    }
    if (!node.flags.some((flag) => flag === 'noaddr' || flag === 'disconnected' || flag === 'fail'))
      return node;
    node.close();
    return undefined;
  }

  countReplicas(): void {
    for (const node of this.nodes) node.replicaCount = 0;
    for (const { place, masterId } of this.nodes) {
      if (masterId === undefined) continue;
      const master = this.node(masterId);
      if (master !== undefined) master.replicaCount++;
      else this.report.warn(`*** WARNING: ${place} claims to be slave of unknown node ID ${masterId}.\n`);
    }
  }

  /** Reads everything again, from the first node on. */
  async reload(): Promise<void> {
    const [first, ...others] = this.nodes as [ManagedNode, ...ManagedNode[]];
    for (const node of others) node.close();
    await this.#loadFrom(first);
  }

  showNodes(): void {
    for (const node of this.nodes) this.report.print(`${node.description()}\n`);
  }

  /** How many keys, slots and replicas each master has. */
  async showSummary(): Promise<void> {
    let keys = 0;
    for (const master of this.masters) {
      const { place, id, slots } = master;
      const count = Number(textOf(await master.call('DBSIZE')));
      const replicas = this.nodes.filter(({ masterId }) => masterId === id).length;
      keys += count;
      this.report.print(
        `${place} (${id.slice(0, 8)}...) -> ${count} keys | ${slots.count} slots | ${replicas} slaves.\n`,
      );
    }
    this.report.good(`[OK] ${keys} keys in ${this.masters.length} masters.\n`);
    this.report.print(`${(keys / SLOTS).toFixed(2)} keys per slot on average.\n`);
  }

  /** Whether all nodes say the same about who has which slot. */
  async agree(): Promise<boolean> {
    if (this.nodes.length <= 1) return true;
    const views = await Promise.all(this.nodes.map((node) => viewOf(node)));
    return views.every((view) => view !== undefined && view === views[0]);
  }

  /** Waits until all nodes know each other and agree. Says after a while that ports may be closed. */
  async joined(): Promise<void> {
    const { report } = this;
    report.print('Waiting for the cluster to join\n');
    for (let waited = 0; !((await this.#knowEachOther()) && (await this.agree())); waited += JOIN_POLL_MS) {
      if (waited > 0 && waited % 1000 === 0) report.print('.');
      if (waited === JOIN_WARNING_MS) await this.#tellMissingLinks();
      await sleep(JOIN_POLL_MS);
    }
    report.print('\n');
  }

  async #knowEachOther(): Promise<boolean> {
    return (await this.#missingLinks()).length === 0;
  }

  /** Which nodes do not know which others yet. */
  async #missingLinks(): Promise<{ readonly node: ManagedNode; readonly unknown: ManagedNode }[]> {
    const missing: { node: ManagedNode; unknown: ManagedNode }[] = [];
    for (const node of this.nodes) {
      const known = parseNodeLines(textOf(await node.try('CLUSTER', 'NODES')));
      const ids = new Set(known.filter(({ flags }) => !flags.includes('handshake')).map(({ id }) => id));
      for (const unknown of this.nodes) if (!ids.has(unknown.id)) missing.push({ node, unknown });
    }
    return missing;
  }

  async #tellMissingLinks(): Promise<void> {
    const { report } = this;
    const missing = await this.#missingLinks();
    const unknown = [...new Set(missing.map((link) => link.unknown))];
    if (unknown.length === 0) return;
    report.print('\n');
    report.warn(`Warning: ${unknown.length} node(s) may be unreachable\n`);
    for (const each of unknown) {
      const port = each.busPort ?? each.port + BUS_PORT_DISTANCE;
      report.warn(` - The port ${port} of node ${each.host} may be unreachable from:\n`);
      for (const link of missing) if (link.unknown === each) report.warn(`   ${link.node.host}\n`);
    }
    report.warn(
      'Cluster bus ports must be reachable by every node.\nRemember that cluster bus ports are different from standard instance ports.\n',
    );
  }

  /** Asks, unless `--cluster-yes` was given. */
  async confirm(question: string): Promise<boolean> {
    if (this.options.isYes) return true;
    return this.confirmByHand(`${question} (type 'yes' to accept): `);
  }

  /** Asks in any case. */
  async confirmByHand(prompt: string): Promise<boolean> {
    this.report.print(prompt);
    return (await this.#input.line()) === 'yes';
  }

  /** The user's answer. Gives up at the end of the input. */
  async ask(prompt: string): Promise<string> {
    this.report.print(prompt);
    const answer = await this.#input.line();
    if (answer !== undefined) return answer;
    this.report.print('\n');
    throw new GivenUp();
  }

  /** A master with the fewest replicas. Gives up if there is no other than `except`. */
  masterForReplica(except?: ManagedNode): ManagedNode {
    const masters = this.masters.filter((node) => node !== except);
    const fewest = Math.min(...masters.map(({ replicaCount }) => replicaCount));
    const master = masters.find(({ replicaCount }) => replicaCount === fewest);
    if (master === undefined) throw this.report.giveUp('[ERR] There is no other master for its replicas\n');
    return master;
  }
}

/** Who has which slot, as the node sees it; undefined if it does not answer. */
async function viewOf(node: ManagedNode): Promise<string | undefined> {
  const reply = await node.try('CLUSTER', 'NODES');
  if (reply.kind === 'error') return undefined;
  const owners = parseNodeLines(textOf(reply)).map(({ id, slots }) => {
    return { id, slots: slots.filter((word) => !word.startsWith('[')) };
  });
  const lines = owners
    .filter(({ slots }) => slots.length > 0)
    .map(({ id, slots }) => `${id}:${slots.join()}`);
  return lines.sort().join('|');
}

const JOIN_POLL_MS = 100;
const JOIN_WARNING_MS = 20_000;
