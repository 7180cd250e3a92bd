import { locks } from '../../kit/locks/index.js';
import type { Store } from '../../store/index.js';
import {
  inSteps,
  type Lab,
  Measured,
  oneValue,
  pause,
  publishedAt,
  race,
  valuesOf,
  withClients,
} from './lab.js';
import { acquireLockWithTimeout, releaseWithWatch, scriptedLock } from './listings/locks.js';

/** Acquires in 10 s, by the number of clients. */
const PUBLISHED_OLD = { 1: 31_359, 2: 22_507, 5: 19_695, 10: 14_361 };
const PUBLISHED_LUA = { 1: 44_494, 2: 42_199, 5: 40_826, 10: 33_990 };

const LEASE_S = 10;
/** The guide's way tries again after a millisecond. */
const RETRY_MS = 1;

/** Acquires the lock once and releases it. */
type Hold = (name: string) => Promise<void>;

async function insist(acquire: () => Promise<string | undefined>): Promise<string> {
  for (;;) {
    const identifier = await acquire();
    if (identifier !== undefined) return identifier;
    await pause(RETRY_MS);
  }
}

const CONTENDERS: Readonly<Record<string, (store: Store) => Hold>> = {
  'guide, WATCH': (store) => async (name) => {
    const identifier = await insist(() => acquireLockWithTimeout(store, name, LEASE_S));
    await releaseWithWatch(store, name, identifier);
  },
  'guide, script': (store) => {
    const { acquire, release } = scriptedLock(store);
    return async (name) => {
      await release(name, await insist(() => acquire(name, LEASE_S)));
    };
  },
  ours: (store) => {
    const own = locks(store, { wait: Number.POSITIVE_INFINITY, onWarning: () => {} });
    return async (name) => {
      const lock = await own.acquire(name);
      await lock.release();
    };
  },
};

/** The experiment on locks. */
export const lockLab: Lab = {
  name: 'locks',
  title: 'Locks',
  about:
    'How often clients get one lock that all of them want. The simple lock is tried repeatedly; ours hands the lock over.',
  isOwnPlace: false,
  parameters: [
    {
      name: 'clients',
      label: 'Clients',
      values: [1, 2, 5, 10],
      isList: true,
      min: 1,
      max: 100,
      isWhole: true,
    },
    { name: 'seconds', label: 'Seconds for each', values: [1], min: 0.01, max: 60 },
  ],
  run(setting) {
    const { store, signal, space } = setting;
    const counts = valuesOf(setting, 'clients');
    const seconds = oneValue(setting, 'seconds');
    const measured = new Measured(counts.length);
    const steps = counts.flatMap((count, at) =>
      Object.entries(CONTENDERS).map(([name, contender]) => ({
        doing: `${name}, ${count} clients`,
        run: () =>
          withClients(store, count, async (clients) => {
            const holds = clients.map(contender);
            const steps = holds.map((hold) => () => hold(`${space}:${name}`));
            measured.set(name, at, await race(steps, seconds, 10, signal));
          }),
      })),
    );
    return inSteps(steps, signal, () => ({
      tables: [],
      charts: [
        {
          ...{ title: 'Acquires in 10 s', unit: 'acquires', axis: 'clients', positions: counts.map(String) },
          series: [
            { label: 'guide, WATCH', kind: 'guide', values: [...measured.of('guide, WATCH')] },
            { label: 'guide, script', kind: 'guide', values: [...measured.of('guide, script')] },
            { label: 'ours', kind: 'ours', values: [...measured.of('ours')] },
            { label: 'published, WATCH', kind: 'published', values: publishedAt(PUBLISHED_OLD, counts) },
            { label: 'published, script', kind: 'published', values: publishedAt(PUBLISHED_LUA, counts) },
          ],
        },
      ],
    }));
  },
};
