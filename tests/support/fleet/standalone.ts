import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isBuildCurrent } from '../../../scripts/build-state.mjs';
import { SOURCE_OPTIONS, sourceProgram } from '../../../scripts/transpiled.mjs';
import { type Place, PROJECT_ROOT, type Server, startServer } from './server-process.js';

export const REDIS_SERVER = process.env['SORREL_REDIS_SERVER'] ?? 'redis-server';

/** Why tests with a real Redis cannot run here; undefined if they can. */
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

/** Options for node:test: skips the test with the reason, unless skipped tests count as failures. */
export const whenRedisIsInstalled: { readonly skip: string | false } = {
  skip: redisIsRequired ? false : (noRedisReason ?? false),
};

/** A real redis-server, empty, with DEBUG allowed, persisting nothing. */
export function startRedis(options: readonly string[] = []): Promise<Server> {
  return startServer('redis', (place) => [REDIS_SERVER, ...settings(place), ...options]);
}

/**
 * Our server as a user starts it: the built one if the build is up to date, otherwise directly from the sources. With
 * SORREL_ORACLE_SELF=1 it is a second redis-server instead, to test the tests.
 */
export function startSorrel(options: readonly string[] = []): Promise<Server> {
  const program = process.env['SORREL_ORACLE_SELF'] === '1' ? [REDIS_SERVER] : sorrelCommand();
  return startServer('sorrel', (place) => [...program, ...settings(place), ...options]);
}

/** A server with a configuration file, `redis.conf` in its directory, that has these lines. */
export function startWithFile(name: 'redis' | 'sorrel', lines: readonly string[]): Promise<Server> {
  const isRedis = name === 'redis' || process.env['SORREL_ORACLE_SELF'] === '1';
  return startServer(name, ({ port, directory }) => {
    const path = join(directory, 'redis.conf');
    writeFileSync(path, [`port ${port}`, `dir ${directory}`, 'save ""', ...lines, ''].join('\n'));
    return [...(isRedis ? [REDIS_SERVER] : sorrelCommand()), path];
  });
}

/** How our server is started. */
export function sorrelCommand(): string[] {
  if (isBuildCurrent()) return [join(PROJECT_ROOT, 'bin/sorrel'), 'server'];
  const main = sourceProgram(new URL('../../../src/cli/main.ts', import.meta.url));
  return [process.execPath, ...SOURCE_OPTIONS, main, 'server'];
}

function settings({ port, directory }: Place): string[] {
  return ['--port', `${port}`, '--save', '', '--enable-debug-command', 'yes', '--dir', directory];
}

/** A server that also listens on a Unix socket. */
export interface SocketServer extends Server {
  readonly socketPath: string;
}

/** Our server on a port and on a Unix socket in its directory. */
export async function startSorrelWithSocket(options: readonly string[] = []): Promise<SocketServer> {
  const server = await startSorrel(['--unixsocket', SOCKET, ...options]);
  return Object.assign(server, { socketPath: join(server.directory, SOCKET) });
}

const SOCKET = 'socket';
