import { until } from '../replication/support.js';
import type { MemberKind } from '../support/fleet/index.js';
import { addressOf, PeerProxy } from '../support/peer-proxy.js';
import { MixedCluster, NodeProcess } from './mixed-cluster.js';

const MASTERS = 3;
const SLOTS = 16_384;

/** Nodes that reach each other only through proxies, on the bus and for replication, so that their network can be separated. */
export class SeparableCluster extends MixedCluster {
  readonly #proxies: readonly PeerProxy[];
  readonly #network: Network;

  private constructor(nodes: readonly NodeProcess[], proxies: readonly PeerProxy[], network: Network) {
    super(nodes);
    this.#proxies = proxies;
    this.#network = network;
  }

  /** The first three are masters; the others follow them in turn. */
  static async start(kinds: readonly MemberKind[], nodeTimeout: number): Promise<SeparableCluster> {
    const network = new Network();
    const proxies: PeerProxy[] = [];
    const nodes = await Promise.all(
      kinds.map(async (kind, index) => {
        const [clients, bus] = [network.proxyOf(index), network.proxyOf(index)];
        proxies.push(clients, bus);
        await Promise.all([clients.listen(), bus.listen()]);
        const node = await NodeProcess.start(kind, {
          'cluster-node-timeout': String(nodeTimeout),
          'cluster-announce-port': String(clients.port),
          'cluster-announce-bus-port': String(bus.port),
          'bind-source-addr': addressOf(index),
        });
        clients.target = node.port;
        bus.target = node.port + 10_000;
        return { node, clients, bus };
      }),
    );
    const cluster = new SeparableCluster(
      nodes.map(({ node }) => node),
      proxies,
      network,
    );
    const [first, ...others] = nodes as [(typeof nodes)[number], ...typeof nodes];
    for (const { clients, bus } of others) {
      await first.node.ask('CLUSTER', 'MEET', '127.0.0.1', String(clients.port), String(bus.port));
    }
    await cluster.#distribute();
    return cluster;
  }

  async #distribute(): Promise<void> {
    const masters = this.nodes.slice(0, MASTERS);
    for (const [index, node] of masters.entries()) {
      const [from, to] = [index, index + 1].map((i) => Math.floor((SLOTS * i) / MASTERS)) as [number, number];
      await node.ask('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to - 1));
    }
    for (const [index, node] of this.nodes.entries()) {
      await until(
        'every node knows all others',
        () => node.ask('CLUSTER', 'NODES'),
        (view) => {
          const lines = String(view).trim().split('\n');
          return lines.length === this.nodes.length && !/handshake|fail|disconnected/.test(String(view));
        },
      );
      if (index < MASTERS) continue;
      const master = masters[index % MASTERS] as NodeProcess;
      await node.ask('CLUSTER', 'REPLICATE', await master.id());
    }
    await this.untilAgreed();
  }

  /** Nothing passes between these nodes and the others any more. Clients reach all of them. */
  separate(side: readonly NodeProcess[]): void {
    const isHere = this.nodes.map((node) => side.includes(node));
    this.#network.isCut = (from, to) => isHere[from] !== isHere[to];
  }

  /** No node reaches another one. */
  isolate(): void {
    this.#network.isCut = (from, to) => from !== to;
  }

  /** Everything that this node exchanges with others takes this many ms longer; without a node, what all exchange. */
  slow(ms: number, node?: NodeProcess): void {
    const index = node === undefined ? undefined : this.nodes.indexOf(node);
    this.#network.delay = (from, to) => (index === undefined || from === index || to === index ? ms : 0);
  }

  heal(): void {
    this.#network.heal();
    for (const proxy of this.#proxies) proxy.heal();
  }

  override async stop(): Promise<void> {
    await super.stop();
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
  }
}

/** What happens between nodes, which are known by their indexes. */
class Network {
  isCut: (from: number, to: number) => boolean = () => false;
  delay: (from: number, to: number) => number = () => 0;

  heal(): void {
    this.isCut = () => false;
    this.delay = () => 0;
  }

  proxyOf(index: number): PeerProxy {
    return new PeerProxy({
      isCut: (from) => this.isCut(from, index),
      delayMs: (from) => this.delay(from, index),
    });
  }
}
