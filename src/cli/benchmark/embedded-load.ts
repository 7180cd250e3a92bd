import { type EmbeddedStore, open } from '../../store/index.js';
import { LatencyHistogram } from './latency-histogram.js';
import type { LoadPlan } from './load.js';
import { LoadError } from './load-error.js';
import type { Generator } from './load-threads.js';

/** `--embedded`: the calls of a program that has the engine inside, without promises. */
export class EmbeddedLoad implements Generator {
  readonly histogram = new LatencyHistogram();
  answered = 0;
  readonly #plan: LoadPlan;
  readonly #store: EmbeddedStore;
  #isStopped = false;

  private constructor(plan: LoadPlan, store: EmbeddedStore) {
    this.#plan = plan;
    this.#store = store;
  }

  /** One store for all tests of a run, since some read what others wrote. */
  static async opener(): Promise<{ of(plan: LoadPlan): Generator; close(): Promise<void> }> {
    const store = await open();
    return { of: (plan) => new EmbeddedLoad(plan, store), close: () => store.close() };
  }

  async connect(): Promise<void> {}

  async run(): Promise<void> {
    const { requests, range, test } = this.#plan;
    const [name = '', ...args] = test.args;
    const isRandom = args.map((argument) => range > 0 && argument.includes(RANDOM));
    const { sync } = this.#store;
    while (this.answered < requests && !this.#isStopped) {
      const end = Math.min(requests, this.answered + TURN);
      try {
        for (; this.answered < end; this.answered++) {
          const values = args.map((argument, index) =>
            isRandom[index] === true ? drawn(argument, range) : argument,
          );
          const begun = performance.now();
          sync.send(name, ...values);
          this.histogram.record((performance.now() - begun) * 1000, 1);
        }
      } catch (error) {
        throw new LoadError(`Error from engine: ${(error as Error).message}`);
      }
      // Ctrl-C and the engine's background work need a turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  stop(): void {
    this.#isStopped = true;
  }
}

function drawn(argument: string, range: number): string {
  const digits = String(Math.floor(Math.random() * range)).padStart(RANDOM.length, '0');
  return argument.replaceAll(RANDOM, digits);
}

const RANDOM = '__rand_int__';
const TURN = 2000;
