import { randomUUID } from 'node:crypto';
import Redlock from 'redlock';
import type * as kit from '../../src/kit/locks/index.js';
import { built } from './built.js';
import { percentile } from './measure.js';
import type { Place } from './place.js';

const { locks } = await built<typeof kit>('kit/locks/index.js');

/** One client's way to a lock: gets it, does the work, gives it back. `onTry` is called for each attempt to get it. */
export interface LockClient {
  hold(name: string, work: () => Promise<void>, onTry: () => void): Promise<void>;
  close(): Promise<void>;
}

export interface LockContender {
  readonly name: string;
  connect(place: Place): Promise<LockClient>;
}

const LEASE_MS = 10_000;
/** The guide's plain lock tries again after a millisecond. */
const PAUSE_MS = 1;

const RELEASE =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The plain lock of the guide: SET NX with a time to live, repeated until it succeeds, and deletion by its owner. */
const plain: LockContender = {
  name: 'plain',
  connect: async (place) => {
    const client = place.newClient();
    return {
      async hold(name, work, onTry) {
        const token = randomUUID();
        for (;;) {
          onTry();
          if ((await client.set(name, token, 'PX', LEASE_MS, 'NX')) === 'OK') break;
          await pause(PAUSE_MS);
        }
        await work();
        await client.eval(RELEASE, 1, name, token);
      },
      close: async () => client.disconnect(),
    };
  },
};

const ours: LockContender = {
  name: 'ours',
  connect: async (place) => {
    const store = await place.openStore();
    const own = locks(store, { wait: Number.POSITIVE_INFINITY });
    return {
      async hold(name, work, onTry) {
        onTry();
        await using _lock = await own.acquire(name);
        await work();
      },
      close: () => store.close(),
    };
  },
};

/** Without retries of its own, so that attempts can be counted. */
const RETRYING_HERE = { retryCount: 0 };

/** Redlock, retried as quickly as the plain lock: faster than its default settings. */
const quickRedlock: LockContender = {
  name: `redlock, retry after ${PAUSE_MS} ms`,
  connect: async (place) => {
    const client = place.newClient();
    const own = new Redlock([client], RETRYING_HERE);
    return {
      async hold(name, work, onTry) {
        for (;;) {
          onTry();
          const lock = await own.lock(name, LEASE_MS).then(
            (held) => held,
            () => undefined,
          );
          if (lock !== undefined) {
            await work();
            await lock.unlock();
            return;
          }
          await pause(PAUSE_MS);
        }
      },
      close: async () => client.disconnect(),
    };
  },
};

/** Redlock with its default retry delay of about 200 ms, but without giving up. */
const redlock: LockContender = {
  name: 'redlock by default',
  connect: async (place) => {
    const client = place.newClient();
    const own = new Redlock([client], { retryCount: -1 });
    return {
      async hold(name, work, onTry) {
        onTry();
        const lock = await own.lock(name, LEASE_MS);
        await work();
        await lock.unlock();
      },
      close: async () => client.disconnect(),
    };
  },
};

export const OURS = ours.name;
export const QUICK_REDLOCK = quickRedlock.name;
export const REDLOCK = redlock.name;
export const LOCK_CONTENDERS: readonly LockContender[] = [plain, ours, quickRedlock, redlock];

export interface LockScore {
  readonly tries: number;
  readonly acquires: number;
  /** The part of all acquires that the least and the most successful client had, in percent. */
  readonly smallestShare: number;
  readonly largestShare: number;
  /** The p99, in milliseconds, of the wait for the lock: of the client that fared worst. Averages would hide who starves. */
  readonly p99: number;
  /** Processor time of this process and the server, in ms. */
  readonly busy: number;
}

/** What one client did during a race. */
interface Runner {
  readonly client: LockClient;
  acquires: number;
  readonly waits: number[];
}

/** These clients take the same lock from each other for `ms` milliseconds, each adding one to a counter while it has it. */
export async function raceForLock(
  contender: LockContender,
  place: Place,
  clientCount: number,
  ms: number,
): Promise<LockScore> {
  const name = `lock:${contender.name}:${randomUUID()}`;
  const counter = `{${name}}:count`;
  const store = await place.openStore();
  const runners = await Promise.all(
    Array.from(
      { length: clientCount },
      async (): Promise<Runner> => ({ client: await contender.connect(place), acquires: 0, waits: [] }),
    ),
  );
  let tries = 0;
  let counted = 0;
  let isOver = false;
  const before = place.processorTime();
  let busy = 0;
  const timer = setTimeout(() => {
    busy = place.processorTime() - before;
    isOver = true;
  }, ms);
  const run = async (runner: Runner): Promise<void> => {
    while (!isOver) {
      const askedAt = performance.now();
      const work = async (): Promise<void> => {
        runner.waits.push(performance.now() - askedAt);
        counted++;
        // If another client held the lock too, the counter would have another value.
        const count = await store.send('INCR', counter);
        if (count !== counted)
          throw new Error(`${contender.name}: ${count} is not ${counted}: two held one lock`);
        if (!isOver) runner.acquires++;
      };
      await runner.client.hold(name, work, () => {
        if (!isOver) tries++;
      });
    }
  };
  await Promise.all(runners.map(run));
  clearTimeout(timer);
  await Promise.all(runners.map(({ client }) => client.close()));
  await store.close();
  const each = runners.map((runner) => runner.acquires);
  const acquires = each.reduce((sum, count) => sum + count, 0);
  const share = (count: number): number => (count / Math.max(1, acquires)) * 100;
  return {
    tries,
    acquires,
    smallestShare: share(Math.min(...each)),
    largestShare: share(Math.max(...each)),
    p99: Math.max(...runners.map(({ waits }) => percentile(waits, 99))),
    busy,
  };
}
