import { Bytes } from '../../bytes/bytes.js';
import { type Clock, systemClock } from '../../bytes/clock.js';
import type { Cluster } from '../../cluster/cluster.js';
import type { BusEvents } from '../../cluster/cluster-world.js';
import { parseNodesFile } from '../../cluster/node-lines.js';
import { Settings } from '../../commands/config/settings.js';
import { silentSink } from '../../commands/session.js';
import { Engine } from '../../engine/engine.js';
import { SocketLink } from '../../replication/socket-link.js';
import type { Address, LinkEvents, World } from '../../replication/world.js';
import { RespWriter } from '../../resp/resp-writer.js';
import { Server } from '../server.js';
import { connectOver } from './cluster-bus.js';
import { ClusterService } from './cluster-service.js';
import { LocalPeer } from './local-peer.js';
import type { LocalPorts } from './local-ports.js';
import { HOST } from './new-cluster.js';
import type { SeparableNetwork } from './separable-world.js';

/** A clock that can be moved ahead of the system's. */
export class MovableClock implements Clock {
  #aheadMs = 0;

  now(): number {
    return systemClock.now() + this.#aheadMs;
  }

  micros(): number {
    return systemClock.micros() + this.#aheadMs * 1000;
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
  }
}

/** What the nodes of one cluster share. */
export interface Surroundings {
  readonly network: SeparableNetwork;
  /** Where the nodes accept connections from within the process. */
  readonly localPorts: LocalPorts;
  /** The nodes also listen on real ports, and use them among themselves. */
  readonly hasPorts: boolean;
  /** The time of keys. Nodes and replication use that of the network. */
  readonly clock: MovableClock;
  readonly nodeTimeout: number;
  /** The running engine on this port, if it is one of this cluster. */
  engineOn(port: number): Engine | undefined;
}

interface RunningNode {
  readonly server: Server;
  readonly service: ClusterService;
  /** Ends listening on the ports within the process. */
  stopListening(): void;
}

/** A node of a cluster inside this process, with its data in memory. It can crash and be started again. */
export class LocalNode {
  readonly port: number;
  readonly busPort: number;
  readonly #surroundings: Surroundings;
  /** What the node's file would have. */
  #savedNodes = '';
  #running: RunningNode | undefined;
  #lastId = '';
  /** One connection to each engine. */
  readonly #peers = new WeakMap<Engine, LocalPeer>();

  constructor(port: number, busPort: number, surroundings: Surroundings) {
    this.port = port;
    this.busPort = busPort;
    this.#surroundings = surroundings;
  }

  /** Starts the node, empty, with this knowledge of the cluster; by default with what it knew when it ended. */
  async start(topology = parseNodesFile(this.#savedNodes, systemClock.now())): Promise<void> {
    const { network, clock, nodeTimeout, hasPorts } = this.#surroundings;
    const settings = new Settings();
    for (const [name, text] of Object.entries({
      port: this.port,
      'cluster-port': this.busPort,
      'cluster-enabled': 'yes',
      'cluster-announce-ip': HOST,
      'cluster-node-timeout': nodeTimeout,
      'repl-diskless-sync-delay': 0,
      bind: HOST,
      save: '',
      loglevel: 'nothing',
    })) {
      settings.configure(name, String(text));
    }
    const engine = new Engine({ settings, clock });
    const server = new Server(engine, 'owner', (world) =>
      network.world(this.port, hasPorts ? world : this.#withoutSockets(world)),
    );
    const service = new ClusterService(server, {
      folder: undefined,
      ...(topology === undefined ? {} : { topology }),
      writableDelayMs: 0,
      adaptWorld: (world) => ({
        ...network.clusterWorld(this.port, hasPorts ? world : this.#withoutSockets(world)),
        saveNodes: (text) => {
          this.#savedNodes = text;
        },
      }),
      die: () => {},
    });
    server.clusterService = service;
    engine.attach({ host: { peer: (host, port) => this.#peer(host, port) } });
    server.ownReplication?.start({});
    const stopListening = this.#listenLocally(server, service);
    this.#running = { server, service, stopListening };
    if (hasPorts) await server.listen();
    service.start();
  }

  #listenLocally(server: Server, service: ClusterService): () => void {
    const { localPorts } = this.#surroundings;
    const ends = [
      localPorts.listen(this.port, (socket) => server.accept(socket)),
      localPorts.listen(this.busPort, (socket) => service.accept(socket)),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  /** Connections to other servers stay within the process. */
  #withoutSockets<W extends World>(world: W): W {
    const { localPorts } = this.#surroundings;
    return {
      ...world,
      connect: (address: Address, events: LinkEvents) =>
        new SocketLink(localPorts.connect(address.port), events),
      connectBus: (address: Address, events: BusEvents) =>
        connectOver(localPorts.connect(address.port), 'connect', events),
    };
  }

  /** MIGRATE to a node of this process. */
  #peer(_host: string, port: number): LocalPeer | undefined {
    const target = this.#surroundings.engineOn(port);
    if (target === undefined) return undefined;
    const kept = this.#peers.get(target) ?? new LocalPeer(target);
    this.#peers.set(target, kept);
    return kept;
  }

  /** Closes all connections and forgets the data. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#lastId = this.id;
    this.#running = undefined;
    running?.stopListening();
    await running?.server.close();
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Its id in the cluster; that of its last run if it has crashed. */
  get id(): string {
    return this.#running?.service.cluster.topology.myself.id ?? this.#lastId;
  }

  get engine(): Engine | undefined {
    return this.#running?.server.engine;
  }

  /** Only while it runs. */
  get cluster(): Cluster {
    return (this.#running as RunningNode).service.cluster;
  }

  /** Runs a command on this node and returns the lines of its reply. An error reply is thrown. */
  command(...words: readonly (string | number | Buffer)[]): string {
    const engine = this.engine;
    if (engine === undefined) throw new Error(`the node on port ${this.port} is not running`);
    return runCommand(engine, words);
  }
}

function runCommand(engine: Engine, words: readonly (string | number | Buffer)[]): string {
  const args = words.map((word) => Bytes.of(Buffer.isBuffer(word) ? word.latin1Slice() : String(word)));
  const writer = new RespWriter();
  const session = engine.openSession(silentSink);
  engine.beginTurn();
  try {
    engine.execute(session, args, args.length, writer);
  } finally {
    engine.endTurn();
    engine.closeSession(session);
  }
  const reply = writer.copyFrom(0).latin1Slice();
  if (reply.startsWith('-')) throw new Error(`${words.join(' ')}: ${reply.slice(1).trimEnd()}`);
  return reply;
}
