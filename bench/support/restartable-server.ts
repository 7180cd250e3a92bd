import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Loader } from './load.js';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export type Program = 'redis-server' | 'sorrel';
export const PROGRAMS: readonly Program[] = ['redis-server', 'sorrel'];

const servers = new Set<RestartableServer>();
let isWatching = false;

function removeAll(): void {
  for (const server of [...servers]) server.remove();
}

/** A server in a folder of its own, which can be started again and then finds its files. */
export class RestartableServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'sorrel-bench-'));
  readonly port = 20_000 + Math.floor(Math.random() * 5_000);
  readonly #command: readonly string[];
  #process: ChildProcess | undefined;

  constructor(program: Program, settings: readonly string[] = []) {
    const command =
      program === 'sorrel'
        ? [process.execPath, '--max-semi-space-size=16', main, 'server']
        : ['redis-server'];
    this.#command = [
      ...command,
      '--port',
      String(this.port),
      '--save',
      '',
      '--dir',
      this.folder,
      ...settings,
    ];
    if (!isWatching) process.once('exit', removeAll);
    isWatching = true;
    servers.add(this);
  }

  /** Starts it and returns how many ms it took until it had its data. */
  async start(...settings: string[]): Promise<number> {
    const [program, ...parameters] = this.#command;
    const begin = performance.now();
    this.#process = spawn(program as string, [...parameters, ...settings], { stdio: 'ignore' });
    for (;;) {
      if (await this.#hasData()) return performance.now() - begin;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async #hasData(): Promise<boolean> {
    try {
      const client = await Loader.connect(this.port);
      const answer = await client.ask('DBSIZE');
      client.close();
      return answer.startsWith(':');
    } catch {
      // Not listening yet.
      return false;
    }
  }

  async kill(): Promise<void> {
    const child = this.#process as ChildProcess;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  get pid(): number {
    return this.#process?.pid as number;
  }

  get fileBytes(): number {
    return statSync(join(this.folder, 'dump.rdb')).size;
  }

  remove(): void {
    servers.delete(this);
    this.#process?.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
