import { SummaryBuilder, type SummaryOfValues } from './summary.js';

/** Sends the summary of a batch of values. */
export type Send = (batch: SummaryOfValues) => Promise<void>;

/** Values that wait until the request before them has been answered. */
class Batch {
  readonly values = new SummaryBuilder();
  readonly sent: Promise<void>;
  resolve: () => void = () => {};
  reject: (error: unknown) => void = () => {};

  constructor() {
    this.sent = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

/**
 * Records values with one request at a time for each target. Values that arrive meanwhile are summed up and sent with the next
 * request. So a busy process sends few requests, and needs little memory while the server does not answer.
 */
export class Recorder {
  readonly #waiting = new Map<string, Batch>();
  readonly #sending = new Map<string, Promise<void>>();

  /** Resolves when the values are in the store. */
  add(target: string, values: readonly number[], send: Send): Promise<void> {
    let batch = this.#waiting.get(target);
    if (batch === undefined) {
      batch = new Batch();
      this.#waiting.set(target, batch);
    }
    for (const value of values) batch.values.add(value);
    if (!this.#sending.has(target)) this.#sending.set(target, this.#sendAll(target, send));
    return batch.sent;
  }

  /** Resolves when nothing is waiting or under way. */
  async settled(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending.values());
  }

  async #sendAll(target: string, send: Send): Promise<void> {
    for (let batch = this.#take(target); batch !== undefined; batch = this.#take(target)) {
      // Without this, an error that the caller does not wait for would end the process.
      batch.sent.catch(() => {});
      await send(batch.values.build()).then(batch.resolve, batch.reject);
    }
    this.#sending.delete(target);
  }

  #take(target: string): Batch | undefined {
    const batch = this.#waiting.get(target);
    this.#waiting.delete(target);
    return batch;
  }
}
