import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { BUS_PORT_DISTANCE } from '../../cluster/cluster-settings.js';
import { nodesFile } from '../../cluster/node-lines.js';
import { freePorts } from '../free-ports.js';
import { ServeError } from '../serve.js';
import type { NodeAnswer, NodeStart } from './cluster-thread.js';
import { HOST, knownAtStart, type NewMember, newMembers } from './new-cluster.js';

/** The number of nodes, and settings of all of them by their names in redis.conf; `yes`/`no` may be given as booleans. */
export interface ServeClusterOptions {
  /** How many masters, each in a thread of its own; by default as many as there are processors. */
  readonly nodes?: number;
  /** The port of the first node; the others have the following ones. By default each has any free one. */
  readonly port?: number;
  /** Each node keeps its data in a folder of its own within this one. */
  readonly dir?: string;
  readonly [setting: string]: string | number | boolean | undefined;
}

/** A cluster that runs in threads of this process. */
export interface RunningCluster {
  /** For `open`: `redis+cluster://127.0.0.1:…,127.0.0.1:…` */
  readonly address: string;
  readonly ports: readonly number[];
  /** Ends all nodes; with `dir`, their data is saved as configured. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves a cluster on this machine's loopback address that uses several processors: each node is a server in a thread of its own and has
 * its share of the slots. Any client of Redis Cluster can use it. Throws a `ServeError` that names a setting which is unknown or invalid, and an
 * error if a port is in use.
 *
 * @example
 * import { open } from 'sorrel';
 * import { serveCluster } from 'sorrel/server';
 *
 * const cluster = await serveCluster({ nodes: 2, maxmemory: '100mb' });
 * const store = await open(cluster.address);
 * await store.set('greeting', 'hello');
 * console.log(await store.get('greeting')); // hello
 * await store.close();
 * await cluster.close();
 */
export async function serveCluster(options: ServeClusterOptions = {}): Promise<RunningCluster> {
  const { nodes = availableParallelism(), port, dir, ...settings } = options;
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > MAX_NODES) {
    throw new ServeError(
      'nodes',
      `serveCluster: 'nodes' must be an integer from 1 to ${MAX_NODES}, not ${String(nodes)}`,
    );
  }
  const own = OWN_SETTINGS.find((name) => Object.hasOwn(settings, name));
  if (own !== undefined) throw new ServeError(own, `serveCluster sets '${own}' itself`);
  const members = newMembers(await placesFor(nodes, port));
  const { startNodeThread } = await import('./start-node-thread.js');
  const threads: NodeThread[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(threads.map((thread) => thread.close()));
  };
  try {
    for (const [index, member] of members.entries()) {
      const start: NodeStart = {
        nodesFile: nodesFile(knownAtStart(members, index, nodes)),
        settings: {
          ...settings,
          ...settingsOf(member),
          ...(dir === undefined ? {} : { dir: folderOf(dir, member) }),
        },
      };
      threads.push(new NodeThread(startNodeThread({ workerData: start, execArgv: [] })));
    }
    await Promise.all(threads.map((thread) => thread.started));
  } catch (error) {
    await close();
    throw error;
  }
  const ports = members.map((member) => member.port);
  const address = `redis+cluster://${ports.map((each) => `${HOST}:${each}`).join(',')}`;
  return { address, ports, close, [Symbol.asyncDispose]: close };
}

async function placesFor(nodes: number, first: number | undefined): Promise<Omit<NewMember, 'id'>[]> {
  if (first !== undefined) {
    const max = MAX_PORT - BUS_PORT_DISTANCE - nodes + 1;
    if (!Number.isInteger(first) || first < 1 || first > max) {
      throw new ServeError(
        'port',
        `serveCluster: 'port' must be an integer from 1 to ${max}, not ${String(first)}: nodes talk to each other on their port plus ${BUS_PORT_DISTANCE}`,
      );
    }
    return Array.from({ length: nodes }, (_, i) => ({
      port: first + i,
      busPort: first + i + BUS_PORT_DISTANCE,
    }));
  }
  const free = await freePorts(nodes * 2);
  return Array.from({ length: nodes }, (_, i) => ({
    port: free[i] as number,
    busPort: free[nodes + i] as number,
  }));
}

function settingsOf({ port, busPort }: NewMember): NodeStart['settings'] {
  return { port, 'cluster-port': busPort, 'cluster-enabled': true, 'cluster-announce-ip': HOST };
}

/** Named after the port, so that a cluster that is started again on the same ports finds its data. */
function folderOf(dir: string, { port }: NewMember): string {
  return join(dir, `node-${port}`);
}

/** A node in its thread. */
class NodeThread {
  readonly started: Promise<void>;
  readonly #worker: Worker;
  readonly #exited: Promise<void>;

  constructor(worker: Worker) {
    this.#worker = worker;
    this.#exited = new Promise((resolve) => worker.once('exit', () => resolve()));
    this.started = new Promise((resolve, reject) => {
      worker.once('message', (answer: NodeAnswer) => {
        if (answer === 'ready') resolve();
        else if (answer.setting === undefined) reject(new Error(answer.message));
        else reject(new ServeError(answer.setting, answer.message));
      });
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('serveCluster: a node has ended while it started')));
    });
    this.started.catch(() => {});
    // A node whose thread dies later is like a server that crashes: the others see it as failed.
    worker.on('error', () => {});
  }

  async close(): Promise<void> {
    this.#worker.postMessage('close');
    await this.#exited;
  }
}

/** Settings that differ from node to node, or that a cluster needs. */
const OWN_SETTINGS = [
  'cluster-enabled',
  'cluster-port',
  'cluster-config-file',
  'cluster-announce-ip',
  'tls-port',
  'unixsocket',
];
/** More threads than this are not faster on any machine, and each has its own memory. */
const MAX_NODES = 128;
const MAX_PORT = 65_535;
