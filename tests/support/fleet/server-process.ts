import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { failure } from '../../oracle/support/failure.js';
import { RawClient } from '../../oracle/support/raw-client.js';
import { plain } from '../../oracle/support/reply.js';

export const PROJECT_ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const START_TIMEOUT_MS = 30_000;
const START_ATTEMPTS = 5;

export type ServerName = 'redis' | 'sorrel' | 'sentinel';

/** A running server process and its working directory. */
export interface Server {
  readonly name: ServerName;
  readonly port: number;
  readonly directory: string;
  readonly process: ChildProcess;
  /** The end of the server's output, to find out why it died. */
  log(): string;
  readonly running: boolean;
  /** Kills the process, if it still runs, and removes its directory. */
  stop(): Promise<void>;
}

/** The port and the directory of a server, used by no other. */
export interface Place {
  readonly port: number;
  readonly directory: string;
}

/** Returns the program and parameters of a server for this port and directory. It may write files into the directory. */
export type CommandLine = (place: Place) => readonly string[];

/** Starts a server on a free port in a new directory, and returns when it answers. Tries another port if one is in use. */
export async function startServer(name: ServerName, commandLine: CommandLine): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const server = launch(name, commandLine, await freePort());
    try {
      await untilReady(server);
      return server;
    } catch (error) {
      const log = server.log();
      await server.stop();
      const portTaken = /address already in use|EADDRINUSE|answers on the port/i.test(`${log}${error}`);
      if (!portTaken || attempt === START_ATTEMPTS) {
        throw failure(`${name} did not start: ${(error as Error).message}\n${log}`);
      }
    }
  }
}

function launch(name: ServerName, commandLine: CommandLine, port: number): Server {
  const directory = mkdtempSync(join(tmpdir(), `sorrel-test-${name}-`));
  const [program, ...parameters] = boundToThisProcess(commandLine({ port, directory }));
  const child = spawn(program!, parameters, { cwd: PROJECT_ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  started.set(child, directory);
  let printed = '';
  const keep = (chunk: Buffer) => {
    printed = (printed + chunk.toString()).slice(-2000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.on('error', (error) => keep(Buffer.from(error.message)));
  return {
    name,
    port,
    directory,
    process: child,
    log: () => printed,
    get running() {
      return isRunning(child);
    },
    stop: () => stop(child),
  };
}

/** Where the system supports it, the kernel kills the server when this process ends, even by SIGKILL. */
function boundToThisProcess(command: readonly string[]): string[] {
  const setpriv = '/usr/bin/setpriv';
  return existsSync(setpriv) ? [setpriv, '--pdeathsig', 'KILL', ...command] : [...command];
}

async function untilReady(server: Server): Promise<void> {
  const giveUpAt = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    if (!server.running) throw new Error('the process ended');
    if (Date.now() > giveUpAt) throw new Error(`no answer on port ${server.port}`);
    const answering = await processAnswering(server.port);
    if (answering === 'unknown' || answering === server.process.pid) return;
    if (answering !== undefined) throw new Error('another process answers on the port');
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

/** The process id that the server on this port reports in INFO; undefined while no server answers. */
async function processAnswering(port: number): Promise<number | 'unknown' | undefined> {
  let client: RawClient | undefined;
  try {
    client = await RawClient.connect(port);
    const info = plain(await client.call(['INFO', 'server']));
    const id = /^process_id:(\d+)/m.exec(String(info))?.[1];
    return id === undefined ? 'unknown' : Number(id);
  } catch {
    return undefined;
  } finally {
    client?.close();
  }
}

/**
 * A port on which no program listens. It is below the range of ephemeral ports, so that no outgoing connection of a test run
 * can occupy it before the server does. The port 10,000 above it, which a Cluster node uses for the bus, is free, too.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 10_000);
    if ((await isFree(port)) && (await isFree(port + 10_000))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

const started = new Map<ChildProcess, string>();

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

async function stop(child: ChildProcess): Promise<void> {
  if (isRunning(child)) {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }
  forget(child);
}

/** Ends all servers that are still running, also those of groups that did not start completely. */
export async function stopAllServers(): Promise<void> {
  await Promise.all([...started.keys()].map(stop));
}

function forget(child: ChildProcess): void {
  const directory = started.get(child);
  started.delete(child);
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
}

process.on('exit', () => {
  for (const child of started.keys()) {
    child.kill('SIGKILL');
    forget(child);
  }
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(1));
}
