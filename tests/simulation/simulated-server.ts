import { Bytes } from '../../src/bytes/bytes.js';
import { seededRandom } from '../../src/bytes/random.js';
import type { BusConnection } from '../../src/cluster/bus-link.js';
import { Cluster } from '../../src/cluster/cluster.js';
import { BUS_PORT_DISTANCE } from '../../src/cluster/cluster-settings.js';
import type { ClusterWorld } from '../../src/cluster/cluster-world.js';
import { parseNodesFile } from '../../src/cluster/node-lines.js';
import { Settings } from '../../src/commands/config/settings.js';
import type { OutputSink, Session } from '../../src/commands/session.js';
import { Engine } from '../../src/engine/engine.js';
import { keyspaceDigest } from '../../src/keyspace/digest.js';
import { rdbFormat } from '../../src/persistence/rdb-options.js';
import { writeKeyspace } from '../../src/persistence/snapshot/write-snapshot.js';
import { RdbLoader } from '../../src/rdb/rdb-loader.js';
import { Replication } from '../../src/replication/replication.js';
import { randomId, type World } from '../../src/replication/world.js';
import { Parsed, RequestParser } from '../../src/resp/request-parser.js';
import { RespWriter } from '../../src/resp/resp-writer.js';
import { MemoryFile } from '../durability/support/engine.js';
import type { Accepted } from './network.js';
import type { Simulation } from './simulation.js';

/** One server of a simulation: an engine with replication, reachable by its port. What `save` stored survives a crash. */
export class SimulatedServer {
  readonly port: number;
  readonly log: string[] = [];
  engine!: Engine;
  replication!: Replication;
  /** With the setting `cluster-enabled`. */
  cluster: Cluster | undefined;
  /** Called with each line of the log. */
  onLog: (message: string) => void = () => {};
  isRunning = false;
  /** How far its clock is off, in ms. */
  clockError = 0;
  /** Counts restarts: connections of an earlier life are ignored. */
  life = 0;
  readonly #simulation: Simulation;
  readonly #settings: Readonly<Record<string, string>>;
  #client!: Session;
  readonly #writer = new RespWriter();
  #stopListening: () => void = () => {};
  /** The node's file of a cluster: as it is, and as it was when it was last synchronised with the disk. */
  #nodes = '';
  #stopBus: () => void = () => {};
  #syncedNodes = '';
  #disk: Buffer | undefined;
  #master = '';

  constructor(simulation: Simulation, port: number, settings: Readonly<Record<string, string>> = {}) {
    this.#simulation = simulation;
    this.port = port;
    this.#settings = settings;
    this.start();
  }

  start(): void {
    const { time, random, network } = this.#simulation;
    const settings = new Settings();
    const all = { port: String(this.port), 'repl-diskless-sync-delay': '0', ...this.#settings };
    for (const [name, text] of Object.entries(all)) settings.configure(name, text);
    if (this.#master !== '') settings.configure('replicaof', this.#master);
    const life = ++this.life;
    const seed = random.integer(0x7fffffff);
    const clock = {
      now: () => time.now() + this.clockError,
      micros: () => time.micros() + this.clockError * 1000,
    };
    const engine = new Engine({
      settings,
      clock,
      timers: time,
      random: seededRandom(seed),
      runId: randomId(seededRandom(seed + 2)),
    });
    this.engine = engine;
    engine.attach({
      host: {
        log: (_level, message) => {
          this.log.push(`${time.now()} ${message}`);
          this.onLog(message);
        },
      },
    });
    const world: World = {
      clock,
      timers: time,
      random: seededRandom(seed + 1),
      sliceEnd: () => {
        const isSmall = this.#simulation.hasSmallSlices || random.integer(3) === 0;
        return isSmall ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
      },
      connect: (address, events) =>
        network.connect(this.port, address, {
          connected: () => life === this.life && this.isRunning && events.connected(),
          received: (chunk) => life === this.life && this.isRunning && events.received(chunk),
          closed: (reason) => life === this.life && this.isRunning && events.closed(reason),
        }),
    };
    this.replication = new Replication(engine, world);
    this.cluster = settings.isOn('cluster-enabled') ? this.#joinCluster(engine, world, life) : undefined;
    this.#client = engine.openSession(NO_OUTPUT);
    this.isRunning = true;
    this.#stopListening = network.listen(this.port, (peer) => new SimulatedConnection(engine, peer));
    engine.background.start();
    this.replication.start({ fields: this.#load(engine), master: this.cluster?.masterAddress });
    this.cluster?.start();
  }

  #joinCluster(engine: Engine, world: World, life: number): Cluster {
    const { network, time } = this.#simulation;
    const isAlive = (): boolean => life === this.life && this.isRunning;
    const clusterWorld: ClusterWorld = {
      ...world,
      connectBus: (address, events) => {
        const link = network.connect(this.port, address, {
          connected: () => isAlive() && events.connected(),
          received: (chunk) => isAlive() && events.received(chunk),
          closed: (reason) => isAlive() && events.closed(reason),
        });
        return busConnection(
          (bytes) => link.send(bytes),
          () => link.close(),
        );
      },
      saveNodes: (text, synced) => {
        this.#nodes = text;
        if (synced) this.#syncedNodes = text;
      },
      die: () => this.crash(),
    };
    const topology = parseNodesFile(this.#nodes, time.now() + this.clockError);
    const cluster = new Cluster(engine, clusterWorld, this.replication, { topology });
    const stop = network.listen(this.port + BUS_PORT_DISTANCE, (peer) => {
      const events = cluster.bus.accept(
        busConnection(
          (bytes) => peer.send(bytes),
          () => peer.close(),
        ),
      );
      return {
        received: (chunk) => isAlive() && events.received(chunk),
        closed: () => isAlive() && events.closed(''),
      };
    });
    this.#stopBus = stop;
    return cluster;
  }

  /** Runs a command of a client of this server, and returns the reply as it would go over the wire. */
  run(...words: readonly (string | number)[]): string {
    const args = words.map((word) => Bytes.of(String(word)));
    this.engine.beginTurn();
    this.engine.execute(this.#client, args, args.length, this.#writer);
    this.engine.endTurn();
    const reply = this.#writer.copyFrom(0).toString('latin1');
    this.#writer.reset();
    return reply;
  }

  get digest(): string {
    return keyspaceDigest(this.engine.keyspace);
  }

  get offset(): number {
    return this.replication.stream.history.offset;
  }

  get historyId(): string {
    return this.replication.stream.history.id;
  }

  /** Stores a snapshot, as SHUTDOWN SAVE does. */
  save(): void {
    const chunks: Buffer[] = [];
    const format = rdbFormat(this.engine, { replication: this.replication.snapshotFields() });
    writeKeyspace(this.engine.keyspace, format, true, (chunk) => chunks.push(Buffer.from(chunk)));
    this.#disk = Buffer.concat(chunks);
  }

  /** What `save` stored. */
  get disk(): Buffer {
    return this.#disk ?? Buffer.alloc(0);
  }

  /** Ends at once. Its setting `replicaof` stays, as in a configuration file. */
  crash(): void {
    if (!this.isRunning) return;
    this.#master = this.engine.settings.text('replicaof');
    this.isRunning = false;
    this.#stopListening();
    this.#stopBus();
    const written = this.#nodes;
    this.cluster?.close();
    // What was not written is lost, and what was not synchronised may be.
    this.#nodes = this.#simulation.random.integer(2) === 0 ? this.#syncedNodes : written;
    this.replication.close();
    this.engine.close();
  }

  #load(engine: Engine): ReadonlyMap<string, string> | undefined {
    if (this.#disk === undefined) return undefined;
    const loader = new RdbLoader(new MemoryFile(this.#disk), engine.keyspace, {
      skipsExpired: this.#master === '',
      replaces: false,
      isThorough: true,
      hasChecksum: true,
    });
    engine.keyspace.effects.silently(() => loader.step(Number.POSITIVE_INFINITY));
    return loader.auxiliary;
  }
}

/** All simulated servers are on one machine. */
function busConnection(send: (bytes: Buffer) => void, close: () => void): BusConnection {
  return { localHost: '127.0.0.1', remoteHost: '127.0.0.1', unsent: 0, send, close };
}

/** A connection that another server has opened to this one. */
export class SimulatedConnection implements Accepted, OutputSink {
  readonly pending = 0;
  readonly #engine: Engine;
  readonly #session: Session;
  readonly #peer: { send(bytes: Buffer): void; close(): void };
  readonly #parser = new RequestParser();
  readonly #writer = new RespWriter();
  #isClosed = false;

  constructor(engine: Engine, peer: { send(bytes: Buffer): void; close(): void }) {
    this.#engine = engine;
    this.#peer = peer;
    this.#session = engine.openSession(this);
    this.#session.address = '127.0.0.1:1';
  }

  received(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#parser.feed(chunk, chunk.length);
    this.#engine.beginTurn();
    while (!this.#isClosed && this.#parser.next(LIMITS) === Parsed.command) {
      this.#engine.execute(this.#session, this.#parser.args, this.#parser.argc, this.#writer);
    }
    this.#engine.endTurn();
    this.#parser.finish();
    if (this.#writer.length > 0) this.#peer.send(this.#writer.copyFrom(0));
    this.#writer.reset();
  }

  send(bytes: Buffer): void {
    if (!this.#isClosed) this.#peer.send(bytes);
  }

  close(): void {
    this.#peer.close();
    this.closed();
  }

  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#session.closing = true;
    this.#engine.closeSession(this.#session);
  }

  resume(): void {}
}

const LIMITS = { maxBulkLength: 1 << 20 };
export const NO_OUTPUT: OutputSink = { send() {}, close() {}, pending: 0, resume() {} };
