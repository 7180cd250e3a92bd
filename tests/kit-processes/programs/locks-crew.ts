import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { SOURCE_OPTIONS, sourceProgram } from '../../../scripts/transpiled.mjs';
import { open, type Store } from '../../../src/store/index.js';
import { type Server, startRedis } from '../../support/fleet/index.js';
import { seededDraw } from '../../support/seeded-draw.js';

/** The lease of locks and permits: short, so that those of dead processes are free again soon. */
export const LEASE_MS = 500;
const PATIENCE_MS = 90_000;

/** How many faults of each kind a test causes: each takes seconds, so `npm test` causes few. */
export function faultsOfEachKind(inTests: number): number {
  const rounds = process.env['SORREL_TORTURE_ROUNDS'];
  return rounds === undefined ? inTests : Math.ceil(Number(rounds) / 10);
}

/** The keys in which the workers record their work. */
export const KEYS = {
  /** Exists when the workers must stop. */
  stop: 'crew:stop',
  /**
   * A set of `first last which`: two moments, counted by the server, between which the lock was certainly held. (A set, because a
   * command whose connection is cut is sent again.)
   */
  spans: 'crew:spans',
  /** The counter of these moments. */
  moment: 'crew:moment',
  /** Violations that workers noticed. */
  violations: 'crew:violations',
} as const;

interface Worker {
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;
  complaints: string;
}

/** Worker processes on one real Redis, and the faults. All random choices are derived from the seed. */
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
    const crew = new Crew(server, store, sourceProgram(script), seed);
    for (let i = 0; i < size; i++) crew.#workers.push(crew.#spawn());
    return crew;
  }

  #spawn(): Worker {
    const number = this.#started++;
    const parameters = [this.#server.port, this.#seed + number].map(String);
    const child = spawn(process.execPath, [...SOURCE_OPTIONS, this.#script, ...parameters], {
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const worker: Worker = { process: child, ended, complaints: '' };
    child.stderr?.on('data', (chunk: Buffer) => {
      worker.complaints += chunk.toString();
    });
    return worker;
  }

  /** The number of complete holds. */
  async done(): Promise<number> {
    return this.store.send<number>('SCARD', KEYS.spans);
  }

  /** Returns after `more` further holds. */
  async progress(more: number): Promise<void> {
    const goal = (await this.done()) + more;
    await this.#until(`${goal} are done`, async () => (await this.done()) >= goal);
  }

  /** Stops a worker for longer than its lease while the others continue. */
  async pause(): Promise<void> {
    const worker = this.#any();
    worker.process.kill('SIGSTOP');
    const since = await this.#now();
    await this.#until('the lease is over', async () => (await this.#now()) - since > 2 * LEASE_MS);
    await this.progress(3);
    worker.process.kill('SIGCONT');
  }

  /** Kills a worker and starts another. */
  async kill(): Promise<void> {
    const index = Math.floor(this.#draw() * this.#workers.length);
    const worker = this.#workers[index] as Worker;
    worker.process.kill('SIGKILL');
    await worker.ended;
    this.#workers[index] = this.#spawn();
  }

  /** Cuts all connections except this one, including subscribers. */
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

  /** Lets all workers finish and returns the spans that they reported. Fails if one of them noticed a violation. */
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

/** The maximum number of spans that overlap. */
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
