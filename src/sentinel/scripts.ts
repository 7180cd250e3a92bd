import type { Periods } from './periods.js';
import type { RunningScript, SentinelWorld } from './sentinel-world.js';

interface Job {
  readonly words: readonly string[];
  /** How often it was started. */
  tries: number;
  /** When it was started or, if it does not run, will be. */
  startAt: number;
  running: RunningScript | undefined;
}

/** A script as SENTINEL PENDING-SCRIPTS shows it. */
export interface ScriptDescription {
  readonly words: readonly string[];
  readonly pid: number;
  readonly isRunning: boolean;
  /** For how long it has run, or in how many ms it will be started; 0 if as soon as possible. */
  readonly ms: number;
  readonly tries: number;
}

/**
 * The scripts of administrators, run one after another in the order in which they were scheduled. A script that ends with 1
 * or by a signal is started again, later each time; other codes are final. One that runs for too long is killed.
 */
export class Scripts {
  /** Reports what went wrong. */
  onEvent: (level: 'debug' | 'warning', type: string, text: string) => void = () => {};
  readonly #world: SentinelWorld;
  readonly #periods: Periods;
  readonly #jobs: Job[] = [];

  constructor(world: SentinelWorld, periods: Periods) {
    this.#world = world;
    this.#periods = periods;
  }

  get runningCount(): number {
    return this.#jobs.filter(({ running }) => running !== undefined).length;
  }

  get count(): number {
    return this.#jobs.length;
  }

  describe(): readonly ScriptDescription[] {
    const now = this.#world.clock.now();
    return this.#jobs.map(({ words, running, startAt, tries }) => ({
      words,
      tries,
      pid: running?.pid ?? 0,
      isRunning: running !== undefined,
      ms: running !== undefined ? now - startAt : Math.max(0, startAt - now),
    }));
  }

  /** With too many scripts, the oldest that does not run is dropped. */
  schedule(words: readonly string[]): void {
    if (this.#jobs.length >= MAX_JOBS) {
      const oldest = this.#jobs.findIndex(({ running }) => running === undefined);
      if (oldest >= 0) this.#jobs.splice(oldest, 1);
    }
    this.#jobs.push({ words, tries: 0, startAt: 0, running: undefined });
  }

  tick(): void {
    const now = this.#world.clock.now();
    let running = this.runningCount;
    for (const job of [...this.#jobs]) {
      if (running >= MAX_RUNNING) break;
      if (job.running !== undefined || job.startAt > now) continue;
      this.#start(job, now);
      running++;
    }
    for (const { words, running: script, startAt } of this.#jobs) {
      if (script === undefined || now - startAt <= this.#periods['script-max-runtime']) continue;
      this.onEvent('warning', '-script-timeout', `${words[0]} ${script.pid}`);
      script.kill();
    }
  }

  #start(job: Job, now: number): void {
    job.tries++;
    job.startAt = now;
    job.running = this.#world.runScript(job.words, ({ code, signal }) => this.#ended(job, code, signal));
    if (job.running === undefined) {
      this.onEvent('warning', '-script-error', `${job.words[0]} 99 0`);
      this.#ended(job, 1, 0);
    } else this.onEvent('debug', '+script-child', String(job.running.pid));
  }

  #ended(job: Job, code: number, signal: number): void {
    const pid = job.running?.pid ?? 0;
    job.running = undefined;
    this.onEvent('debug', '-script-child', `${pid} ${code} ${signal}`);
    if ((signal !== 0 || code === 1) && job.tries < MAX_TRIES) {
      const delay = this.#periods['script-retry-delay'] * 2 ** (job.tries - 1);
      job.startAt = this.#world.clock.now() + delay;
      return;
    }
    if (signal !== 0 || code !== 0)
      this.onEvent('warning', '-script-error', `${job.words[0]} ${signal} ${code}`);
    const index = this.#jobs.indexOf(job);
    if (index >= 0) this.#jobs.splice(index, 1);
  }

  /** Kills what runs. */
  close(): void {
    for (const { running } of this.#jobs) running?.kill();
    this.#jobs.length = 0;
  }
}

const MAX_JOBS = 256;
const MAX_RUNNING = 16;
const MAX_TRIES = 10;
