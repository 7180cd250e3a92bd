import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { open, type Store } from '../../src/store/index.js';
import { type Server, startRedis } from '../support/fleet/index.js';
import { seededDraw } from '../support/seeded-draw.js';

/** Of locks and permits here: short, so that those of the dead come back soon. */
export const LEASE_MS = 1_000;
const PATIENCE_MS = 90_000;

/** Where a crew writes what it did. */
export const KEYS = {
  /** Set when it is time to stop. */
  stop: 'crew:stop',
  /**
   * Set of `first last which`: two moments, in the server's own counting, between which something was held for certain. (A
   * set, since what is under way when a connection is cut is sent again.)
   */
  spans: 'crew:spans',
  /** Counts those moments. */
  moment: 'crew:moment',
  /** What must not happen. */
  violations: 'crew:violations',
} as const;

interface Worker {
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;
  complaints: string;
}

/** Worker processes on one real Redis, and what is done to them. Everything drawn follows from the seed. */
export class Crew {
  readonly store: Store;
  readonly #server: Server;
  readonly #script: string;
  readonly #seed: number;
  readonly #workers: Worker[] = [];
  readonly #draw: () => number;
  #started = 0;

  private constructor(server: Server, store: Store, script: string, seed: number) {
    this.#server = server;
    this.store = store;
    this.#script = script;
    this.#seed = seed;
    this.#draw = seededDraw(seed);
  }

  static async start(script: URL, { size, seed }: { size: number; seed: number }): Promise<Crew> {
    const server = await startRedis();
    const store = await open(`redis://127.0.0.1:${server.port}`);
    const crew = new Crew(server, store, fileURLToPath(script), seed);
    for (let i = 0; i < size; i++) crew.#workers.push(crew.#spawn());
    return crew;
  }

  #spawn(): Worker {
    const number = this.#started++;
    const parameters = [this.#server.port, this.#seed + number].map(String);
    const child = spawn(process.execPath, ['--import', 'tsx', this.#script, ...parameters], {
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const worker: Worker = { process: child, ended, complaints: '' };
    child.stderr?.on('data', (chunk: Buffer) => {
      worker.complaints += chunk.toString();
    });
    return worker;
  }

  /** How many times something was held from beginning to end. */
  async done(): Promise<number> {
    return this.store.send<number>('SCARD', KEYS.spans);
  }

  /** Returns when `more` more are done. */
  async progress(more: number): Promise<void> {
    const goal = (await this.done()) + more;
    await this.#until(`${goal} are done`, async () => (await this.done()) >= goal);
  }

  /** Stops a worker for longer than its lease while the others go on. */
  async pause(): Promise<void> {
    const worker = this.#any();
    worker.process.kill('SIGSTOP');
    const since = await this.#now();
    await this.#until('the lease is over', async () => (await this.#now()) - since > 2 * LEASE_MS);
    await this.progress(3);
    worker.process.kill('SIGCONT');
  }

  /** Kills a worker and puts another in its place. */
  async kill(): Promise<void> {
    const index = Math.floor(this.#draw() * this.#workers.length);
    const worker = this.#workers[index] as Worker;
    worker.process.kill('SIGKILL');
    await worker.ended;
    this.#workers[index] = this.#spawn();
  }

  /** Cuts all connections but this one, those that listen included. */
  async cut(): Promise<void> {
    await this.store.send('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await this.store.send('CLIENT', 'KILL', 'TYPE', 'pubsub');
  }

  #any(): Worker {
    return this.#workers[Math.floor(this.#draw() * this.#workers.length)] as Worker;
  }

  async #now(): Promise<number> {
    const [seconds, micros] = (await this.store.send('TIME')) as [string, string];
    return Number(seconds) * 1000 + Number(micros) / 1000;
  }

  async #until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const giveUpAt = Date.now() + PATIENCE_MS;
    while (!(await isSo())) {
      const failed = this.#workers.find(({ process: { exitCode } }) => exitCode !== null);
      assert.equal(failed, undefined, `a worker ended: ${failed?.complaints}`);
      assert.ok(Date.now() < giveUpAt, `did not happen in time: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Lets all workers finish, and gives the spans they reported. Fails if one of them saw what must not be. */
  async finish(): Promise<Span[]> {
    await this.store.send('SET', KEYS.stop, '1');
    for (const { ended, process: child } of this.#workers) {
      const limit = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      await ended;
      clearTimeout(limit);
    }
    for (const worker of this.#workers) assert.equal(worker.process.exitCode, 0, worker.complaints);
    assert.deepEqual(await this.store.send('LRANGE', KEYS.violations, 0, -1), []);
    const spans = (await this.store.send('SMEMBERS', KEYS.spans)) as string[];
    return spans.map((span) => {
      const [first = 0, last = 0] = span.split(' ').map(Number);
      return { first, last };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process: child } of this.#workers) child.kill('SIGKILL');
    await this.store.close();
    await this.#server.stop();
  }
}

export interface Span {
  readonly first: number;
  readonly last: number;
}

/** How many of the spans lie over each other at most. */
export function maxAtOnce(spans: readonly Span[]): number {
  const steps = spans.flatMap(({ first, last }) => [
    { at: first, change: 1 },
    { at: last, change: -1 },
  ]);
  let now = 0;
  let most = 0;
  for (const { change } of steps.sort((a, b) => a.at - b.at)) {
    now += change;
    most = Math.max(most, now);
  }
  return most;
}
