import { existsSync, readFileSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { basename, dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../../cluster/cluster.js';
import { busPortOf } from '../../cluster/cluster-settings.js';
import type { ClusterWorld } from '../../cluster/cluster-world.js';
import { parseNodesFile } from '../../cluster/node-lines.js';
import type { Topology } from '../../cluster/topology.js';
import { FolderLock, FolderLocked } from '../../persistence/folder-lock.js';
import { systemReason } from '../../persistence/system-error.js';
import type { Replication } from '../../replication/replication.js';
import { socketWorld } from '../../replication/socket-world.js';
import { ConfigurationError } from '../configuration/configuration.js';
import { replaceFile } from '../configuration/rewrite.js';
import { ListenError, Ports } from '../connections/listening.js';
import type { Server } from '../server.js';
import { type AcceptNode, acceptOver, connectToNode, createBusServer } from './cluster-bus.js';

export interface ClusterServiceOptions {
  /** The folder of the node's file; undefined keeps it in memory only. */
  readonly folder: string | undefined;
  readonly writableDelayMs?: number;
  /** What the node knows at the start, if it has no file. */
  readonly topology?: Topology;
  /** Changes the connections or the clock, for tests. */
  readonly adaptWorld?: (world: ClusterWorld) => ClusterWorld;
  /** Called when the node must not go on: its file cannot be written. */
  readonly die: (message: string) => void;
}

/** A server as a node of a cluster: its file, its port for other nodes, and the cluster itself. */
export class ClusterService {
  readonly cluster: Cluster;
  readonly #server: Server;
  readonly #ports: Ports;
  readonly #lock: FolderLock | undefined;
  #isStarted = false;

  /** Throws a ConfigurationError if the node's file is in use or damaged, or `replicaof` is set. */
  constructor(server: Server, options: ClusterServiceOptions) {
    this.#server = server;
    const { engine } = server;
    const { settings } = engine;
    if (settings.text('replicaof') !== '') {
      throw new ConfigurationError('replicaof directive not allowed in cluster mode');
    }
    const name = settings.text('cluster-config-file');
    const file = options.folder === undefined ? undefined : resolve(options.folder, name);
    this.#lock = file === undefined ? undefined : lock(file);
    const topology = (file === undefined ? undefined : this.#read(file)) ?? options.topology;
    const world = this.#world(file, options.die);
    const adapted = options.adaptWorld?.(world) ?? world;
    this.cluster = new Cluster(engine, adapted, server.ownReplication as Replication, {
      topology,
      ...(options.writableDelayMs === undefined ? {} : { writableDelayMs: options.writableDelayMs }),
    });
    this.#ports = new Ports(() =>
      createBusServer(() => server.tls.busOptions?.server, this.#acceptNode).on('error', (error) =>
        server.log('warning', `Cluster bus: ${error.message}`),
      ),
    );
  }

  #read(file: string): Topology | undefined {
    try {
      const topology = existsSync(file)
        ? parseNodesFile(readFileSync(file, 'latin1'), this.#server.engine.keyspace.clock.now())
        : undefined;
      if (topology !== undefined) {
        this.#server.log('notice', `Node configuration loaded, I'm ${topology.myself.id}`);
      }
      return topology;
    } catch (error) {
      this.#lock?.release();
      throw new ConfigurationError(
        `Unrecoverable error: corrupted cluster config file ${file}: ${(error as Error).message}`,
      );
    }
  }

  #world(file: string | undefined, die: (message: string) => void): ClusterWorld {
    const { engine, tls } = this.#server;
    return {
      ...socketWorld(engine, () => tls.masterOptions),
      connectBus: (address, events) =>
        connectToNode(address, tls.busOptions?.client, engine.settings.text('bind-source-addr'), events),
      saveNodes: (text, synced) => {
        if (file !== undefined) replaceFile(file, text, synced);
      },
      die,
    };
  }

  /** A packet could change data that is being loaded. */
  readonly #acceptNode: AcceptNode = (connection) =>
    this.#isStarted ? this.cluster.bus.accept(connection) : undefined;

  /** Takes a connection within the process from another node. */
  accept(socket: Socket): void {
    acceptOver(socket, this.#acceptNode);
  }

  /** Opens the port of the bus. Throws a ConfigurationError. */
  listen(): void {
    const { settings } = this.#server.engine;
    const port = busPortOf(settings);
    if (port > MAX_PORT) {
      throw new ConfigurationError(
        'Redis port number too high. Cluster communication port is 10,000 port numbers higher than your Redis port. ' +
          'Your Redis port number must be 55535 or less.',
      );
    }
    try {
      this.#ports.open(settings.text('bind'), port, settings.number('tcp-backlog'));
    } catch (error) {
      if (!(error instanceof ListenError)) throw error;
      this.#server.log('warning', `Failed listening on port ${port} (cluster), aborting.`);
      throw new ConfigurationError(
        `port ${port}, for other nodes of the cluster, is taken: stop the process that listens there, or choose another with --cluster-port`,
      );
    }
  }

  /** Called when the data is loaded. Throws a ConfigurationError if other databases than 0 have keys. */
  start(): void {
    if (this.#server.engine.keyspace.databases.some(({ index, size }) => index > 0 && size > 0)) {
      throw new ConfigurationError("You can't have keys in a DB different than DB 0 when in Cluster mode.");
    }
    this.#isStarted = true;
    this.cluster.start();
  }

  /** Returns when the node has reached the majority of the others, and so serves clients. */
  async untilUp(): Promise<void> {
    const end = performance.now() + MAX_START_MS;
    while (!this.cluster.topology.isUp) {
      if (performance.now() > end) {
        throw new Error(
          `the nodes of the cluster have not reached each other within ${MAX_START_MS / 1000} s`,
        );
      }
      await sleep(START_POLL_MS);
    }
  }

  async close(): Promise<void> {
    this.#isStarted = false;
    this.cluster.close();
    await Promise.all(this.#ports.take().map((server) => new Promise((closed) => server.close(closed))));
    this.#lock?.release();
  }
}

/** Two nodes must not share a file. A redis-server marks its own by a lock that the kernel shows. */
function lock(file: string): FolderLock {
  const inUse = new ConfigurationError(
    `Sorry, the cluster configuration file ${file} is already used by a different Redis Cluster node. Please make sure ` +
      'that different nodes use different cluster configuration files.',
  );
  if (isLockedByRedis(file)) throw inUse;
  try {
    return FolderLock.acquire(dirname(file), `${basename(file)}.lock`);
  } catch (error) {
    if (error instanceof FolderLocked) throw inUse;
    throw new ConfigurationError(`Can't open ${file} in order to acquire a lock: ${systemReason(error)}`);
  }
}

/** Node.js has no flock(2), but Linux lists the locks of all processes. */
function isLockedByRedis(file: string): boolean {
  try {
    const inode = `:${statSync(file).ino} `;
    return readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .some((line) => line.includes('FLOCK') && line.includes(inode));
  } catch {
    return false;
  }
}

const MAX_PORT = 65535;
const MAX_START_MS = 30_000;
const START_POLL_MS = 5;
