import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The path of an installed redis-server; undefined if there is none. */
export async function findRedisServer(path = process.env['PATH'] ?? ''): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    if (folder === '') continue;
    const file = join(folder, 'redis-server');
    try {
      await access(file, constants.X_OK);
      return file;
    } catch {
      // The next folder may have it.
    }
  }
  return undefined;
}

export interface StartedServer extends AsyncDisposable {
  readonly address: string;
}

/** Starts a redis-server on a socket of its own, in a temporary folder. Disposing it ends the process and removes the folder. */
export async function startRedisServer(program: string): Promise<StartedServer> {
  const folder = await mkdtemp(join(tmpdir(), 'sorrel-lab-'));
  const socket = join(folder, 'redis.sock');
  const settings = [
    '--port',
    '0',
    '--unixsocket',
    socket,
    '--dir',
    folder,
    '--save',
    '',
    '--daemonize',
    'no',
  ];
  const child = spawn(program, settings, { stdio: ['ignore', 'pipe', 'ignore'] });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await ready(child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address: `unix:${socket}`, [Symbol.asyncDispose]: stop };
}

/** Resolves when the server says that it takes connections. */
function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout?.on('data', (text: Buffer) => {
      said += text.toString();
      if (/ready to accept connections/i.test(said)) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`redis-server ended at its start: ${said.slice(-500)}`)));
  });
}
