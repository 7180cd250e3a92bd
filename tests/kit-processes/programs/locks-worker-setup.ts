import { open, type Store, StoreError } from '../../../src/store/index.js';
import { seededDraw } from '../../support/seeded-draw.js';
import { KEYS } from './locks-crew.js';
import { openAnyway } from './open-anyway.js';

/** The arguments and resources of a worker process. */
export interface Surroundings {
  readonly store: Store;
  readonly draw: () => number;
  /** The next moment, counted by the server. */
  moment(): Promise<number>;
  /** Reports that a lock or permit was certainly held from the first moment to the last; `which` of several. */
  report(first: number, last: number, which?: number): Promise<void>;
  violation(text: string): Promise<void>;
}

/** Repeats the work until the workers must stop. Errors of cut connections are expected. */
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
    // The clock is not only wrong, it also jumps.
    wrongBy = (draw() * 2 - 1) * MAX_WRONG_MS;
    try {
      await work(surroundings);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }
  process.exit(0);
}

/** The maximum error of a client's clock. */
const MAX_WRONG_MS = 30_000;

async function isTimeToStop(store: Store): Promise<boolean> {
  try {
    return (await store.send('EXISTS', KEYS.stop)) === 1;
  } catch {
    return false;
  }
}
