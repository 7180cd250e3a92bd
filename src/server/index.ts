/** `sorrel/server`: the engine served over RESP from within a Node program. */
import { SettingError } from '../commands/config/kinds.js';
import { Settings } from '../commands/config/settings.js';
import { Engine } from '../engine/engine.js';
import { Server } from './server.js';

/** Settings by their names in redis.conf; `yes`/`no` may be given as booleans. */
export type ServeOptions = Readonly<Record<string, string | number | boolean>>;

export interface RunningServer {
  readonly port: number;
  readonly engine: Engine;
  /** Stops listening, closes every connection and ends all timers. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves an engine on this machine's loopback address, in memory only, until it is closed. An unknown setting, a value
 * that does not fit, or a port that is taken is an error that names it.
 *
 * @example
 * import { serve } from 'sorrel/server';
 *
 * const server = await serve({ port: 6390, maxmemory: '100mb', 'maxmemory-policy': 'allkeys-lru' });
 * // any Redis client can use redis://127.0.0.1:6390 now
 * await server.close();
 */
export async function serve(options: ServeOptions = {}): Promise<RunningServer> {
  const settings = new Settings();
  for (const [name, value] of Object.entries({ ...DEFAULTS, ...options })) configure(settings, name, value);
  const server = new Server(new Engine({ settings, databases: settings.number('databases') }));
  await server.listen();
  const close = (): Promise<void> => server.close();
  return { port: settings.number('port'), engine: server.engine, close, [Symbol.asyncDispose]: close };
}

const DEFAULTS: ServeOptions = { bind: '127.0.0.1', save: '', loglevel: 'warning' };

function configure(settings: Settings, name: string, value: string | number | boolean): void {
  const text = typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
  try {
    settings.configure(name, text);
  } catch (error) {
    const reason = settings.row(name) === undefined ? 'there is no such setting' : reasonOf(error);
    throw new TypeError(`setting '${name}' cannot be '${text}': ${reason}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof SettingError ? error.reason : String(error);
}
