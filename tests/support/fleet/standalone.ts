import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { isBuildCurrent } from '../../../scripts/build-state.mjs';
import { type Place, PROJECT_ROOT, type Server, startServer } from './server-process.js';

export const REDIS_SERVER = process.env['SORREL_REDIS_SERVER'] ?? 'redis-server';

/** Why no test with a real Redis can run here, or undefined when they can. */
export const noRedisReason: string | undefined = findNoRedisReason();

function findNoRedisReason(): string | undefined {
  try {
    const version = execFileSync(REDIS_SERVER, ['--version'], { encoding: 'utf8' });
    if (/v=7\.0\./.test(version)) return undefined;
    return `redis-server 7.0 is the judge, but this machine has ${version.trim()}`;
  } catch {
    return 'redis-server is not installed';
  }
}

const redisIsRequired = process.env['CI'] === 'true' || process.env['SORREL_REQUIRE_REDIS'] === '1';

/** Options for node:test: skips with the reason, unless a skipped test counts as a failure. */
export const whenRedisIsInstalled: { readonly skip: string | false } = {
  skip: redisIsRequired ? false : (noRedisReason ?? false),
};

/** A real redis-server, empty, with DEBUG allowed, persisting nothing. */
export function startRedis(options: readonly string[] = []): Promise<Server> {
  return startServer('redis', (place) => [REDIS_SERVER, ...settings(place), ...options]);
}

/**
 * Our server, the way a user starts it: the built one if the build is up to date, else straight from the sources.
 * With SORREL_ORACLE_SELF=1 a second redis-server takes its place, which tests the tests.
 */
export function startSorrel(options: readonly string[] = []): Promise<Server> {
  const program = process.env['SORREL_ORACLE_SELF'] === '1' ? [REDIS_SERVER] : sorrelCommand();
  return startServer('sorrel', (place) => [...program, ...settings(place), ...options]);
}

function sorrelCommand(): string[] {
  if (isBuildCurrent()) return [join(PROJECT_ROOT, 'bin/sorrel'), 'server'];
  return [process.execPath, '--import', 'tsx', join(PROJECT_ROOT, 'src/cli/main.ts'), 'server'];
}

function settings({ port, directory }: Place): string[] {
  return ['--port', `${port}`, '--save', '', '--enable-debug-command', 'yes', '--dir', directory];
}

/** A server that listens on a socket in the file system too. */
export interface SocketServer extends Server {
  readonly socketPath: string;
}

/** Our server on a port and on a Unix socket in its directory. */
export async function startSorrelWithSocket(options: readonly string[] = []): Promise<SocketServer> {
  const server = await startSorrel(['--unixsocket', SOCKET, ...options]);
  return Object.assign(server, { socketPath: join(server.directory, SOCKET) });
}

const SOCKET = 'socket';
