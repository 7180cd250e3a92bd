import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../replication/support.js';
import { ask, type MemberKind, type Server } from '../support/fleet/index.js';
import { startServer } from '../support/fleet/server-process.js';
import { REDIS_SERVER, sorrelCommand } from '../support/fleet/standalone.js';

const SETTINGS: Readonly<Record<string, string>> = {
  'cluster-enabled': 'yes',
  'cluster-announce-ip': '127.0.0.1',
  'repl-diskless-sync-delay': '0',
  save: '',
  appendonly: 'no',
};

/** A node in its own process. */
export class NodeProcess {
  readonly kind: MemberKind;
  readonly #settings: Readonly<Record<string, string>>;
  #server!: Server;
  isRunning = false;

  private constructor(kind: MemberKind, settings: Readonly<Record<string, string>>) {
    this.kind = kind;
    this.#settings = { ...SETTINGS, ...settings };
  }

  static async start(kind: MemberKind, settings: Readonly<Record<string, string>>): Promise<NodeProcess> {
    const node = new NodeProcess(kind, settings);
    await node.#launch('');
    return node;
  }

  async #launch(nodesFile: string): Promise<void> {
    const command = this.kind === 'redis' ? [REDIS_SERVER] : sorrelCommand();
    this.#server = await startServer(this.kind, ({ port, directory }) => {
      if (nodesFile !== '') writeFileSync(join(directory, 'nodes.conf'), nodesFile);
      const settings = { port: String(port), dir: directory, ...this.#settings };
      return [...command, ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])];
    });
    this.isRunning = true;
  }

  get port(): number {
    return this.#server.port;
  }

  /** The port by which other nodes and clients know it. */
  get announcedPort(): number {
    return Number(this.#settings['cluster-announce-port'] ?? this.port);
  }

  get nodesFile(): string {
    const path = join(this.#server.directory, 'nodes.conf');
    return existsSync(path) ? readFileSync(path, 'latin1') : '';
  }

  kill(): void {
    this.isRunning = false;
    this.#server.process.kill('SIGKILL');
  }

  /** Starts it again with its file, without data, at another port. */
  async restart(): Promise<void> {
    const file = this.nodesFile;
    await this.#server.stop();
    await this.#launch(file);
  }

  stopForAWhile(): () => void {
    this.#server.process.kill('SIGSTOP');
    return () => this.#server.process.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    this.isRunning = false;
    await this.#server.stop();
  }

  ask(...words: string[]): ReturnType<typeof ask> {
    return ask(this.port, ...words);
  }

  async id(): Promise<string> {
    return String(await this.ask('CLUSTER', 'MYID'));
  }

  /** Whether it is a master with slots. */
  async isMaster(): Promise<boolean> {
    const own = String(await this.ask('CLUSTER', 'NODES'))
      .split('\n')
      .find((line) => line.includes('myself'));
    return own?.includes('master') === true && own.split(' ').length > 8;
  }
}

/** Servers of ours and redis-servers in one cluster. */
export class MixedCluster {
  readonly nodes: readonly NodeProcess[];

  constructor(nodes: readonly NodeProcess[]) {
    this.nodes = nodes;
  }

  /** Made by the real redis-cli: the first third of the nodes (or half, without a second replica) are masters. */
  static async create(
    kinds: readonly MemberKind[],
    replicas: number,
    nodeTimeout: number,
  ): Promise<MixedCluster> {
    const settings = { 'cluster-node-timeout': String(nodeTimeout) };
    const nodes = await Promise.all(kinds.map((kind) => NodeProcess.start(kind, settings)));
    const cluster = new MixedCluster(nodes);
    const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
    await manage('create', ...addresses, '--cluster-replicas', String(replicas), '--cluster-yes');
    await cluster.untilAgreed();
    return cluster;
  }

  get running(): readonly NodeProcess[] {
    return this.nodes.filter(({ isRunning }) => isRunning);
  }

  /** Waits until all running nodes have the same view, without failed links, and serve. */
  async untilAgreed(): Promise<void> {
    await until(
      'all nodes agree',
      async () => {
        const views = await Promise.all(this.running.map(viewOf));
        return { views, states: await Promise.all(this.running.map((node) => node.ask('CLUSTER', 'INFO'))) };
      },
      ({ views, states }) =>
        new Set(views).size === 1 && states.every((info) => String(info).includes('cluster_state:ok')),
    );
    // Replicas have everything.
    for (const node of this.running) {
      await until(
        `${node.port}, ${node.kind}, follows`,
        async () => {
          if (node.kind === 'redis') await followAgain(node);
          return node.ask('INFO', 'replication');
        },
        (info) => !String(info).includes('role:slave') || String(info).includes('master_link_status:up'),
      );
    }
  }

  async masters(): Promise<NodeProcess[]> {
    const found: NodeProcess[] = [];
    for (const node of this.running) if (await node.isMaster()) found.push(node);
    return found;
  }

  /** The running replicas of a master. */
  async replicasOf(master: NodeProcess): Promise<NodeProcess[]> {
    const lines = (await master.ask('CLUSTER', 'REPLICAS', await master.id())) as string[];
    return this.running.filter(({ announcedPort }) =>
      lines.some((line) => line.includes(`:${announcedPort}@`)),
    );
  }

  /** Waits until the replicas have everything that their masters have by now. */
  async untilReplicated(): Promise<void> {
    for (const master of await this.masters()) {
      const offset = await offsetOf(master);
      for (const replica of await this.replicasOf(master)) {
        await until(
          `${replica.port} has what ${master.port} has`,
          () => offsetOf(replica),
          (own) => own >= offset,
        );
      }
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }
}

/** A redis-server that has learned its master's new address from other nodes still calls the old one, until it is told again. */
async function followAgain(node: NodeProcess): Promise<void> {
  const lines = String(await node.ask('CLUSTER', 'NODES')).split('\n');
  const id = lines.find((line) => line.includes('myself,slave'))?.split(' ')[3];
  if (id === undefined) return;
  const known = /:(\d+)@/.exec(lines.find((line) => line.startsWith(id)) ?? '')?.[1];
  const info = String(await node.ask('INFO', 'replication'));
  const isCalled = info.includes(`master_port:${known}\r`) || info.includes('master_link_status:up');
  if (!isCalled) await node.ask('CLUSTER', 'REPLICATE', id);
}

async function offsetOf(node: NodeProcess): Promise<number> {
  return Number(/^master_repl_offset:(\d+)/m.exec(String(await node.ask('INFO', 'replication')))?.[1]);
}

/** Members with their roles, epochs and slots, without times. Nodes that do not answer are left out. */
async function viewOf(node: NodeProcess): Promise<string> {
  const lines = String(await node.ask('CLUSTER', 'NODES'))
    .trim()
    .split('\n');
  return lines
    .map((line) => line.split(' '))
    .filter(([, , flags]) => !/fail/.test(flags ?? ''))
    .map(([id, address, flags, master, , , epoch, , ...slots]) =>
      [id, address, flags?.replace('myself,', ''), master, epoch, ...slots].join(' '),
    )
    .sort()
    .join('\n');
}

/** redis-cli --cluster */
export async function manage(...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('redis-cli', ['--cluster', ...words], { maxBuffer: 1 << 26 });
  return stdout;
}
