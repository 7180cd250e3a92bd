import { setTimeout as sleep } from 'node:timers/promises';
import { Settings } from '../commands/config/settings.js';
import { Engine } from '../engine/engine.js';
import { socketWorld } from '../replication/socket-world.js';
import {
  applyDirectives,
  type Master,
  requestFailover,
  Sentinel,
  type SentinelWorld,
  sentinelTable,
  serveSentinel,
} from '../sentinel/index.js';
import { freePorts } from './free-ports.js';
import { type RunningServer, ServeError, serve } from './serve.js';
import { Server } from './server.js';

export interface SentinelsOptions {
  /** How many Sentinels; 3 by default. A majority of them must agree to replace the master. */
  readonly sentinels?: number;
  /** How many replicas the master has; 1 by default. */
  readonly replicas?: number;
  /** After how many ms without an answer a Sentinel takes a server for dead; 300 by default. */
  readonly downAfter?: number;
  /** The master's name for the Sentinels; `primary` by default. */
  readonly name?: string;
}

/** A master, its replicas and Sentinels in this process, for tests. */
export interface SentinelsForTests {
  /** For `open`: `redis+sentinel://127.0.0.1:…,127.0.0.1:…/primary` */
  readonly address: string;
  /** For other clients: where the Sentinels listen, and the master's name. */
  readonly sentinels: readonly { readonly host: string; readonly port: number }[];
  readonly name: string;
  /** The ports of the master and its replicas. */
  readonly ports: readonly number[];
  /** The port of the master, according to the first Sentinel. */
  readonly masterPort: number;
  /** Ends a server as a crash would, by default the master. A replica takes its place; the method does not wait for that. */
  crash(port?: number): Promise<void>;
  /** Starts a server again that has crashed, empty. If it was the master, it becomes a replica of the present one. */
  restart(port: number): Promise<void>;
  /** Lets the Sentinels replace the running master by a replica. Returns when they have. */
  failover(): Promise<void>;
  /** Returns when all Sentinels have switched to another master than the one on this port. */
  switchedFrom(port: number): Promise<number>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a master with replicas and Sentinels inside this process, each on its own port of the loopback address, for tests of
 * programs that use Sentinels. Returns when they know each other.
 *
 * @example
 * import { open } from 'sorrel';
 * import { openSentinels } from 'sorrel/server';
 *
 * const group = await openSentinels({ sentinels: 3, replicas: 1 });
 * const store = await open(group.address);
 * await store.set('greeting', 'hello');
 * const former = group.masterPort;
 * await group.crash();
 * await group.switchedFrom(former);
 * await store.set('greeting', 'hello again');
 * await store.close();
 * await group.close();
 */
export async function openSentinels(options: SentinelsOptions = {}): Promise<SentinelsForTests> {
  const group = new Group(checked(options));
  try {
    await group.start();
  } catch (error) {
    await group.close();
    throw error;
  }
  return group;
}

const DEFAULTS: Required<SentinelsOptions> = { sentinels: 3, replicas: 1, downAfter: 300, name: 'primary' };

function checked(options: SentinelsOptions): Required<SentinelsOptions> {
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(DEFAULTS, name)) throw new ServeError(name, `openSentinels has no option '${name}'`);
    if (name === 'name' ? typeof value !== 'string' || !/^[\w.-]+$/.test(value) : !isPositive(value)) {
      throw new ServeError(
        name,
        `openSentinels: '${name}' must be ${name === 'name' ? 'a name without spaces' : 'a positive integer'}, not ${String(value)}`,
      );
    }
  }
  return { ...DEFAULTS, ...options };
}

function isPositive(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) > 0;
}

interface Watcher {
  readonly port: number;
  readonly server: Server;
  readonly sentinel: Sentinel;
}

class Group implements SentinelsForTests {
  readonly name: string;
  readonly ports: number[] = [];
  readonly #options: Required<SentinelsOptions>;
  readonly #servers = new Map<number, RunningServer>();
  readonly #watchers: Watcher[] = [];

  constructor(options: Required<SentinelsOptions>) {
    this.#options = options;
    this.name = options.name;
  }

  async start(): Promise<void> {
    const { replicas, sentinels } = this.#options;
    this.ports.push(...(await freePorts(replicas + 1)));
    const [master, ...others] = this.ports as [number, ...number[]];
    await this.#serve(master);
    for (const port of others) await this.#serve(port, master);
    for (const port of await freePorts(sentinels)) this.#watchers.push(await this.#watch(port, master));
    await this.#until('the Sentinels know each other', () => this.#isAcquainted());
  }

  get sentinels(): readonly { host: string; port: number }[] {
    return this.#watchers.map(({ port }) => ({ host: HOST, port }));
  }

  get address(): string {
    return `redis+sentinel://${this.#watchers.map(({ port }) => `${HOST}:${port}`).join(',')}/${this.name}`;
  }

  get masterPort(): number {
    return this.#portFor(this.#watchers[0] as Watcher);
  }

  #portFor({ sentinel }: Watcher): number {
    return sentinel.masters.get(this.name)?.currentAddress.port ?? 0;
  }

  async crash(port = this.masterPort): Promise<void> {
    const server = this.#running(port);
    this.#servers.delete(port);
    await server.close();
  }

  async restart(port: number): Promise<void> {
    if (!this.ports.includes(port)) throw new RangeError(`no server of this group has the port ${port}`);
    if (this.#servers.has(port)) throw new RangeError(`the server on port ${port} is running`);
    const { masterPort } = this;
    await this.#serve(port, masterPort === port ? undefined : masterPort);
  }

  async failover(): Promise<void> {
    const former = this.masterPort;
    const [{ sentinel }] = this.#watchers as [Watcher];
    await this.#until('a replica is ready', () => this.#isAcquainted());
    requestFailover(sentinel, sentinel.masters.get(this.name) as Master);
    await this.switchedFrom(former);
  }

  async switchedFrom(former: number): Promise<number> {
    await this.#until(`the Sentinels have replaced the master on port ${former}`, () => {
      const ports = new Set(this.#watchers.map((watcher) => this.#portFor(watcher)));
      const isOver = this.#watchers.every(({ sentinel }) => !sentinel.masters.get(this.name)?.isFailingOver);
      return ports.size === 1 && !ports.has(former) && isOver;
    });
    return this.masterPort;
  }

  #running(port: number): RunningServer {
    const server = this.#servers.get(port);
    if (server === undefined) throw new RangeError(`no server of this group is running on port ${port}`);
    return server;
  }

  async #serve(port: number, master?: number): Promise<void> {
    const follow = master === undefined ? {} : { replicaof: `${HOST} ${master}` };
    const server = await serve({ port, 'repl-diskless-sync-delay': 0, loglevel: 'nothing', ...follow });
    this.#servers.set(port, server);
  }

  async #watch(port: number, master: number): Promise<Watcher> {
    const settings = new Settings();
    settings.configure('port', String(port));
    settings.configure('bind', HOST);
    settings.configure('loglevel', 'nothing');
    const engine = new Engine({ settings, table: sentinelTable, databases: 1 });
    const server = new Server(engine);
    engine.attach({ facts: { redis_mode: () => 'sentinel' } });
    const sentinel = new Sentinel(engine, memoryWorld(engine));
    serveSentinel(sentinel);
    const { name, downAfter, sentinels } = this.#options;
    const quorum = Math.floor(sentinels / 2) + 1;
    Object.assign(sentinel.periods, QUICK_PERIODS, {
      'ping-period': Math.max(20, Math.floor(downAfter / 4)),
    });
    const lines = [
      ['monitor', name, HOST, String(master), String(quorum)],
      ['down-after-milliseconds', name, String(downAfter)],
      ['failover-timeout', name, String(Math.max(1000, downAfter * 10))],
    ];
    applyDirectives(
      sentinel,
      lines.map((words) => ({ words, refused: (reason) => new Error(reason) })),
    );
    await server.listen();
    sentinel.start();
    return { port, server, sentinel };
  }

  /** Whether each Sentinel knows all other Sentinels and all running replicas. */
  #isAcquainted(): boolean {
    return this.#watchers.every(({ sentinel }) => {
      const master = sentinel.masters.get(this.name);
      if (master === undefined || master.sentinels.size < this.#watchers.length - 1) return false;
      const replicas = [...master.replicas.values()].filter(({ isMasterLinkUp }) => isMasterLinkUp);
      return replicas.length >= this.#servers.size - 1 && !master.isFailingOver;
    });
  }

  async #until(what: string, holds: () => boolean): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (!holds()) {
      if (performance.now() > end)
        throw new Error(`openSentinels: not within ${PATIENCE_MS / 1000} s: ${what}`);
      await sleep(5);
    }
  }

  async close(): Promise<void> {
    for (const { sentinel, server } of this.#watchers.splice(0)) {
      sentinel.close();
      await server.close();
    }
    const servers = [...this.#servers.values()];
    this.#servers.clear();
    await Promise.all(servers.map((server) => server.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** A Sentinel's state is kept in memory only. */
function memoryWorld(engine: Engine): SentinelWorld {
  return {
    ...socketWorld(engine),
    resolve: () => undefined,
    save: () => {},
    runScript: () => undefined,
    isExecutable: () => false,
    crash: () => {},
  };
}

const HOST = '127.0.0.1';
const PATIENCE_MS = 30_000;
/** `tilt-trigger`: a program under test may be paused for seconds, for example in a debugger; its clock is still right. */
const QUICK_PERIODS = {
  'info-period': 100,
  'publish-period': 50,
  'ask-period': 50,
  'tilt-trigger': 60_000,
  'election-timeout': 1000,
};
