import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { SettingError } from '../commands/config/kinds.js';
import { configureAll, type ProgramSettings } from '../commands/config/program-settings.js';
import { type AbsentParts, Settings } from '../commands/config/settings.js';
import { clientAuthOf, type ServerTls } from '../commands/config/tls-options.js';
import { Engine } from '../engine/engine.js';
import { Persistence } from '../persistence/persistence.js';
import { ClusterService, type ClusterServiceOptions } from './cluster/cluster-service.js';
import { ConfigurationError, listensSomewhere } from './configuration/configuration.js';
import { loadUsers } from './configuration/users-at-start.js';
import { Server } from './server.js';
import { TlsError } from './tls/tls-negotiation.js';

export type { ServerTls } from '../commands/config/tls-options.js';

/** Settings by their names in redis.conf; `yes`/`no` may be given as booleans. */
export interface ServeOptions {
  /**
   * Certificate and key, instead of `tls-cert-file` and `tls-key-file`. Clients must then speak TLS on `port`; with `tls-port`, on that
   * port only.
   */
  readonly tls?: ServerTls;
  readonly [setting: string]: string | number | boolean | ServerTls | undefined;
}

/** A setting that `serve` rejects: its name is unknown, its value is invalid, or it would have no effect. */
export class ServeError extends TypeError {
  readonly code = 'SETTING';
  /** The name of the setting. */
  readonly setting: string;

  constructor(setting: string, message: string) {
    super(message);
    this.name = 'ServeError';
    this.setting = setting;
  }
}

export interface RunningServer {
  /** The port; if there are two, the one without TLS. */
  readonly port: number;
  /** The port of clients that speak TLS; 0 if there is none. */
  readonly tlsPort: number;
  readonly engine: Engine;
  /**
   * Stops listening, closes all connections, saves the data if configured, and ends all timers. Rejects, after all that, if the last
   * changes could not be written to the files.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves an engine on this machine's loopback address until it is closed. The data is in memory only; with `dir` it is
 * kept in that folder, as configured with `appendonly` and `save`. Throws a `ServeError` that names the setting if it is
 * unknown, invalid or not implemented, and an error if the port is in use.
 *
 * @example
 * import { serve } from 'sorrel/server';
 *
 * const server = await serve({ port: 6390, maxmemory: '100mb', 'maxmemory-policy': 'allkeys-lru' });
 * // any Redis client can use redis://127.0.0.1:6390 now
 * await server.close();
 */
export function serve(options: ServeOptions = {}): Promise<RunningServer> {
  return startServer(options);
}

/** What a node of a new cluster knows at its start. It serves at once: no other node can have taken its place. */
export type NewNode = Pick<ClusterServiceOptions, 'topology' | 'writableDelayMs'>;

/** `serve`, also for a node of a cluster that `serveCluster` starts. */
export async function startServer(options: ServeOptions, newNode: NewNode = {}): Promise<RunningServer> {
  const { tls, ...given } = options;
  const keepsFiles = options.dir !== undefined;
  const settings = new Settings(keepsFiles ? ABSENT : IN_MEMORY);
  const values = {
    ...DEFAULTS,
    ...(given as ProgramSettings),
    ...(tls === undefined ? {} : tlsSettings(given as ProgramSettings, tls)),
    ...(keepsFiles ? { dir: resolve(String(options.dir)) } : {}),
  };
  configureAll(settings, values, (name, message) => new ServeError(name, message));
  if (!listensSomewhere(settings)) {
    throw new ServeError(
      'port',
      "the server would listen nowhere: set 'port', 'tls-port' or 'unixsocket' (for any free port, use store.listen({ port: 0 }))",
    );
  }
  const server = new Server(new Engine({ settings, databases: settings.number('databases') }));
  for (const warning of settings.takeWarnings()) server.log('warning', warning);
  try {
    server.tls.start(tls);
    if (settings.isOn('cluster-enabled')) {
      joinCluster(server, keepsFiles ? settings.text('dir') : undefined, newNode);
    }
    defineUsers(server);
    if (keepsFiles) await load(server);
    server.ownReplication?.start({
      files: server.files,
      master: server.clusterService?.cluster.masterAddress,
    });
    await server.listen();
    server.clusterService?.start();
    if (newNode.topology !== undefined) await server.clusterService?.untilUp();
  } catch (error) {
    await server.close();
    if (error instanceof TlsError) throw new ServeError('tls', `TLS cannot be configured: ${error.message}`);
    throw error;
  }
  const close = async (): Promise<void> => {
    server.files?.beforeExit({ save: undefined, force: true });
    await server.close();
    const lost = server.files?.lost;
    if (lost === undefined) return;
    throw new Error(`the last changes could not be written to the files in ${settings.text('dir')}: ${lost}`);
  };
  const tlsPort = settings.number('tls-port');
  const port = settings.number('port') || tlsPort;
  return { port, tlsPort, engine: server.engine, close, [Symbol.asyncDispose]: close };
}

/** The settings for a certificate of the program: without `tls-port`, `port` is for TLS. */
function tlsSettings(given: ProgramSettings, tls: ServerTls): ProgramSettings {
  const ports =
    given['tls-port'] === undefined
      ? { port: 0, 'tls-port': given.port ?? DEFAULT_PORT }
      : { 'tls-port': given['tls-port'] };
  return { 'tls-auth-clients': clientAuthOf(tls), ...given, ...ports };
}

const DEFAULT_PORT = 6379;

/** The users of `aclfile`. */
function defineUsers({ engine }: Server): void {
  try {
    loadUsers(engine, []);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ServeError('aclfile', error.message);
  }
}

/** Makes the server a node of a cluster. If its file cannot be written, it is closed: it could forget a vote. */
function joinCluster(server: Server, folder: string | undefined, newNode: NewNode): void {
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
  server.clusterService = new ClusterService(server, { folder, ...newNode, die: () => void server.close() });
}

/** Loads the data of the folder. */
async function load(server: Server): Promise<void> {
  const { settings } = server.engine;
  const path = settings.text('dir');
  settings.onChange('dir', (changed) => {
    if (changed !== path) throw new SettingError('the folder cannot be changed while the server runs');
  });
  mkdirSync(path, { recursive: true });
  server.files = new Persistence(server.engine);
  await server.files.load();
}

const DEFAULTS: ProgramSettings = { bind: '127.0.0.1', save: '', loglevel: 'warning' };

/** Features that a server inside another program does not have. */
const ABSENT: AbsentParts = { process: 'the process belongs to the program that calls serve()' };
const IN_MEMORY: AbsentParts = {
  ...ABSENT,
  files: "the data is in memory only: name a folder with 'dir' to keep it there",
};
