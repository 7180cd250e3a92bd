import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { SOURCE_OPTIONS, sourceProgram } from '../../../scripts/transpiled.mjs';
import { open, type Store } from '../../../src/store/index.js';
import { type Server, startRedis } from '../../support/fleet/index.js';
import { QUEUE_LEASE_MS } from './queue-task.js';

const PATIENCE_MS = 90_000;

/** A process of queue-worker.ts. */
export interface QueueWorker {
  readonly self: string;
  readonly child: ChildProcess;
}

/** Worker processes on one real Redis, and what is done to them. */
export class QueueCrew {
  readonly store: Store;
  readonly #server: Server;
  readonly #children = new Set<ChildProcess>();
  #spawned = 0;

  private constructor(server: Server, store: Store) {
    this.#server = server;
    this.store = store;
  }

  static async start(): Promise<QueueCrew> {
    const server = await startRedis();
    return new QueueCrew(server, await open(`redis://127.0.0.1:${server.port}`));
  }

  /** One more process for a queue; its clock is wrong by up to half a minute. */
  hire(queueName: string, { concurrency = 3, isSandboxed = false } = {}): QueueWorker {
    const number = ++this.#spawned;
    const self = `worker-${number}`;
    const skew = [0, 30_000, -30_000][number % 3] ?? 0;
    const program = sourceProgram(new URL('queue-worker.ts', import.meta.url));
    const place = isSandboxed ? 'sandbox' : 'here';
    const words = [`redis://127.0.0.1:${this.#server.port}`, queueName, concurrency, skew, self, place];
    const child = spawn(process.execPath, [...SOURCE_OPTIONS, program, ...words.map(String)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return { self, child };
  }

  /** What the workers of a queue have written down. */
  async log(queueName: string): Promise<string[]> {
    return (await this.store.send('LRANGE', `${queueName}:log`, 0, -1)) as string[];
  }

  async ready(queueName: string, { self }: QueueWorker): Promise<void> {
    await until(`${self} is ready`, async () => {
      return (await this.store.send('SISMEMBER', `${queueName}:ready`, self)) === 1;
    });
  }

  async kill({ child }: QueueWorker): Promise<void> {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Lets a worker end by itself. */
  async dismiss(queueName: string, worker: QueueWorker): Promise<void> {
    await this.ready(queueName, worker);
    const exited = once(worker.child, 'exit');
    worker.child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null], 'a worker that is stopped ends by itself');
  }

  async serverTime(): Promise<number> {
    const [seconds, micros] = (await this.store.send('TIME')) as [string, string];
    return Number(seconds) * 1_000 + Number(micros) / 1_000;
  }

  /** When every lease that was given before now has ended, unless it was renewed. */
  async leaseEnd(): Promise<number> {
    return (await this.serverTime()) + QUEUE_LEASE_MS + 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    await this.store.close();
    await this.#server.stop();
  }
}

export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (!(await isSo())) {
    assert.ok(Date.now() < giveUpAt, `did not happen in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
