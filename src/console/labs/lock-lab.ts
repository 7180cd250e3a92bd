import { locks } from '../../kit/locks/index.js';
import type { Store } from '../../store/index.js';
import {
  CLIENTS,
  inSteps,
  type Lab,
  Measured,
  oneValue,
  publishedAt,
  race,
  SECONDS,
  valuesOf,
  withClients,
} from './lab.js';
import { acquireLockWithTimeout, insist, releaseWithWatch, scriptedLock } from './listings/locks.js';

/** Acquires in 10 s, by the number of clients. */
const PUBLISHED_OLD = { 1: 31_359, 2: 22_507, 5: 19_695, 10: 14_361 };
const PUBLISHED_LUA = { 1: 44_494, 2: 42_199, 5: 40_826, 10: 33_990 };

const LEASE_S = 10;
type Work = () => Promise<void>;
/** Acquires the lock, does the work, and releases the lock. */
type Hold = (name: string, work: Work) => Promise<void>;

/** Adds one to a counter. A second holder at the same time would see another number than the one that follows. */
function counting(store: Store, key: string): Work {
  let counted: number | undefined;
  return async () => {
    counted = (counted ?? Number(await store.send('GET', key))) + 1;
    const count = await store.send('INCR', key);
    if (count !== counted) throw new Error(`two clients held one lock: ${count} is not ${counted}`);
  };
}

const CONTENDERS: Readonly<Record<string, (store: Store) => Hold>> = {
  'guide, WATCH': (store) => async (name, work) => {
    const identifier = await insist(() => acquireLockWithTimeout(store, name, LEASE_S));
    await work();
    await releaseWithWatch(store, name, identifier);
  },
  'guide, script': (store) => {
    const { acquire, release } = scriptedLock(store);
    return async (name, work) => {
      const identifier = await insist(() => acquire(name, LEASE_S));
      await work();
      await release(name, identifier);
    };
  },
  ours: (store) => {
    const own = locks(store, { wait: Number.POSITIVE_INFINITY, onWarning: () => {} });
    return async (name, work) => {
      const lock = await own.acquire(name);
      await work();
      await lock.release();
    };
  },
};

/** The part that the least and the most successful client had, and the longest wait of any. */
function sharesOf(waits: readonly (readonly number[])[]): string[] {
  const each = waits.map(({ length }) => length);
  const all = each.reduce((sum, count) => sum + count, 0);
  const percent = (count: number): string => `${((100 * count) / Math.max(1, all)).toFixed(1)} %`;
  const longest = Math.max(...waits.map((own) => own.reduce((most, wait) => Math.max(most, wait), 0)));
  return [percent(Math.min(...each)), percent(Math.max(...each)), longest.toFixed(1)];
}

/** The experiment on locks. */
export const lockLab: Lab = {
  name: 'locks',
  title: 'Locks',
  about:
    'How often clients get one lock that all of them want. The holder adds one to a counter. The simple lock is tried repeatedly; ours is handed over to a client that waits.',
  isOwnPlace: false,
  parameters: [CLIENTS, SECONDS],
  run(setting) {
    const { store, signal, space } = setting;
    const counts = valuesOf(setting, 'clients');
    const seconds = oneValue(setting, 'seconds');
    const measured = new Measured(counts.length);
    const fairness: string[][] = [];
    const steps = counts.flatMap((count, at) =>
      Object.entries(CONTENDERS).map(([name, contender]) => ({
        doing: `${name}, ${count} clients`,
        run: () =>
          withClients(store, count, async (clients) => {
            const holds = clients.map(contender);
            const work = counting(store, `${space}:count:${name}`);
            const waits: number[][] = holds.map(() => []);
            const steps = holds.map((hold, client) => () => {
              const askedAt = performance.now();
              return hold(`${space}:${name}`, () => {
                waits[client]?.push(performance.now() - askedAt);
                return work();
              });
            });
            measured.set(name, at, await race(steps, seconds, 10, signal));
            fairness.push([name, String(count), ...sharesOf(waits)]);
          }),
      })),
    );
    return inSteps(steps, signal, () => ({
      tables: [
        {
          title: 'How the lock was shared',
          columns: [
            'way',
            'clients',
            'least successful client',
            'most successful client',
            'longest wait, ms',
          ],
          rows: [...fairness],
        },
      ],
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
