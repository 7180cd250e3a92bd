import type { Worker } from 'node:worker_threads';
import { type HistogramMessage, LatencyHistogram } from './latency-histogram.js';
import { Load, type LoadPlan } from './load.js';
import { LoadError } from './load-error.js';

/** Load from this thread or several; the same calls. */
export interface Generator {
  connect(): Promise<void>;
  run(): Promise<void>;
  stop(): void;
  /** Requests answered so far. */
  readonly answered: number;
  readonly histogram: LatencyHistogram;
}

/** `threads` 0 means this one. */
export function generatorOf(plan: LoadPlan, threads: number, startThread: StartThread): Generator {
  return threads === 0 ? new Load(plan) : new ThreadedLoad(plan, threads, startThread);
}

/** What a thread is told and says. */
export type ToThread = 'run' | 'stop';
export type FromThread =
  | { readonly kind: 'connected' }
  | { readonly kind: 'progress'; readonly answered: number }
  | { readonly kind: 'done'; readonly answered: number; readonly histogram: HistogramMessage }
  | { readonly kind: 'failed'; readonly message: string };

/** Starts a thread of this program, which sees from its data what it is for. */
export type StartThread = (data: LoadThreadData) => Worker;

export interface LoadThreadData {
  readonly benchmarkPlan: LoadPlan;
}

class ThreadedLoad implements Generator {
  readonly histogram = new LatencyHistogram();
  readonly #threads: LoadThread[];

  constructor(plan: LoadPlan, threads: number, startThread: StartThread) {
    // Each has at least one client and one request.
    const count = Math.min(threads, plan.clients, plan.requests);
    const share = (total: number, index: number): number =>
      Math.floor(total / count) + (index < total % count ? 1 : 0);
    this.#threads = Array.from({ length: count }, (_, index) => {
      const clients = share(plan.clients, index);
      const requests = share(plan.requests, index);
      return new LoadThread(
        startThread({
          benchmarkPlan: { ...plan, clients, requests, firstNode: index, seed: plan.seed + index },
        }),
      );
    });
  }

  get answered(): number {
    return this.#threads.reduce((sum, { answered }) => sum + answered, 0);
  }

  async connect(): Promise<void> {
    try {
      await Promise.all(this.#threads.map((thread) => thread.connected));
    } catch (error) {
      this.#terminate();
      throw error;
    }
  }

  async run(): Promise<void> {
    try {
      await Promise.all(this.#threads.map((thread) => thread.run()));
    } finally {
      this.#terminate();
    }
    for (const { histogram } of this.#threads) if (histogram !== undefined) this.histogram.add(histogram);
  }

  stop(): void {
    for (const thread of this.#threads) thread.tell('stop');
  }

  #terminate(): void {
    for (const thread of this.#threads) thread.terminate();
  }
}

class LoadThread {
  answered = 0;
  histogram: LatencyHistogram | undefined;
  readonly connected: Promise<void>;
  readonly #done: Promise<void>;
  readonly #worker: Worker;

  constructor(worker: Worker) {
    this.#worker = worker;
    let connected: () => void = () => {};
    let done: () => void = () => {};
    let failed: (error: Error) => void = () => {};
    const failure = new Promise<never>((_, reject) => {
      failed = reject;
    });
    this.connected = Promise.race([failure, new Promise<void>((resolve) => (connected = resolve))]);
    this.#done = Promise.race([failure, new Promise<void>((resolve) => (done = resolve))]);
    // Each is awaited later; a failure before that is not unhandled.
    this.connected.catch(() => {});
    this.#done.catch(() => {});
    this.#worker.on('error', (error) => failed(error));
    this.#worker.on('message', (message: FromThread) => {
      switch (message.kind) {
        case 'connected':
          return connected();
        case 'progress':
          this.answered = message.answered;
          return;
        case 'done':
          this.answered = message.answered;
          this.histogram = LatencyHistogram.fromMessage(message.histogram);
          return done();
        case 'failed':
          return failed(new LoadError(message.message));
      }
    });
  }

  run(): Promise<void> {
    this.tell('run');
    return this.#done;
  }

  tell(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  terminate(): void {
    void this.#worker.terminate();
  }
}
