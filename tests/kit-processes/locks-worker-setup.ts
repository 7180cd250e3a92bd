import { open, type Store, StoreError } from '../../src/store/index.js';
import { seededDraw } from '../support/seeded-draw.js';
import { KEYS } from './locks-crew.js';
import { openAnyway } from './open-anyway.js';

/** What a worker process was told, and what it works with. */
export interface Surroundings {
  readonly store: Store;
  readonly draw: () => number;
  /** The next moment in the server's counting. */
  moment(): Promise<number>;
  /** From the first moment to the last, something was held for certain; which, if there were several. */
  report(first: number, last: number, which?: number): Promise<void>;
  violation(text: string): Promise<void>;
}

/** Does the work again and again until it is time to stop. Errors of cut connections are part of the game. */
export async function workUntilStopped(work: (surroundings: Surroundings) => Promise<void>): Promise<void> {
  const [port = 0, seed = 0] = process.argv.slice(2).map(Number);
  const draw = seededDraw(seed);
  const trueNow = Date.now;
  let wrongBy = 0;
  Date.now = () => trueNow() + wrongBy;
  process.stdin.on('end', () => process.exit(2)).resume();
  const store = await openAnyway(open, `redis://127.0.0.1:${port}`);
  const surroundings: Surroundings = {
    store,
    draw,
    moment: () => store.send<number>('INCR', KEYS.moment),
    report: async (first, last, which = 0) => {
      await store.send('SADD', KEYS.spans, `${first} ${last} ${which}`);
    },
    violation: async (text) => {
      await store.send('RPUSH', KEYS.violations, text);
    },
  };
  while (!(await isTimeToStop(store))) {
    // The clock is not only wrong: it jumps.
    wrongBy = (draw() * 2 - 1) * MAX_WRONG_MS;
    try {
      await work(surroundings);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }
  process.exit(0);
}

/** How wrong a client's clock is at most. */
const MAX_WRONG_MS = 30_000;

async function isTimeToStop(store: Store): Promise<boolean> {
  try {
    return (await store.send('EXISTS', KEYS.stop)) === 1;
  } catch {
    return false;
  }
}
