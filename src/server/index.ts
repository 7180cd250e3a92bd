/** `sorrel/server`: serves an engine over RESP from within a Node program. */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { SettingError } from '../commands/config/kinds.js';
import { configureAll, type ProgramSettings } from '../commands/config/program-settings.js';
import { type AbsentParts, Settings } from '../commands/config/settings.js';
import { Engine } from '../engine/engine.js';
import { Persistence } from '../persistence/persistence.js';
import { Server } from './server.js';

/** Settings by their names in redis.conf; `yes`/`no` may be given as booleans. */
export type ServeOptions = ProgramSettings;

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
  readonly port: number;
  readonly engine: Engine;
  /** Stops listening, closes all connections, saves the data if configured, and ends all timers. */
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
export async function serve(options: ServeOptions = {}): Promise<RunningServer> {
  const keepsFiles = options.dir !== undefined;
  const settings = new Settings(keepsFiles ? ABSENT : IN_MEMORY);
  const values = { ...DEFAULTS, ...options, ...(keepsFiles ? { dir: resolve(String(options.dir)) } : {}) };
  configureAll(settings, values, (name, message) => new ServeError(name, message));
  const server = new Server(new Engine({ settings, databases: settings.number('databases') }));
  for (const warning of settings.takeWarnings()) server.log('warning', warning);
  try {
    if (keepsFiles) await load(server);
    server.ownReplication?.start({ files: server.files });
    await server.listen();
  } catch (error) {
    await server.close();
    throw error;
  }
  const close = (): Promise<void> => {
    server.files?.beforeExit({ save: undefined, force: true });
    return server.close();
  };
  return { port: settings.number('port'), engine: server.engine, close, [Symbol.asyncDispose]: close };
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

const DEFAULTS: ServeOptions = { bind: '127.0.0.1', save: '', loglevel: 'warning' };

/** Features that a server inside another program does not have. */
const ABSENT: AbsentParts = { process: 'the process belongs to the program that calls serve()' };
const IN_MEMORY: AbsentParts = {
  ...ABSENT,
  files: "the data is in memory only: name a folder with 'dir' to keep it there",
};
