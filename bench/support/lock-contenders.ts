import { randomUUID } from 'node:crypto';
import Redlock from 'redlock';
import type * as kit from '../../src/kit/locks/index.js';
import { built } from './built.js';
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
/** The notes try again after a millisecond. */
const PAUSE_MS = 1;

const RELEASE =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The lock of the notes, with a time to live: SET NX, again and again, and deletion by its owner. */
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

/** With no retries of its own, its attempts can be counted. */
const RETRYING_HERE = { retryCount: 0 };

/** Redlock, trying again as quickly as the notes do: the best that can be had of it, which nobody has by default. */
const quickRedlock: LockContender = {
  name: `redlock, again after ${PAUSE_MS} ms`,
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

/** Redlock as it comes: tries again after its own delay of 200 ms, more or less; only that it does not give up. */
const redlock: LockContender = {
  name: 'redlock as it comes',
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
}

/** So many clients take the same lock from each other for so many ms, each adding one to a counter while it has it. */
export async function raceForLock(
  contender: LockContender,
  place: Place,
  clientCount: number,
  ms: number,
): Promise<LockScore> {
  const name = `lock:${contender.name}:${randomUUID()}`;
  const store = await place.openStore();
  const clients = await Promise.all(Array.from({ length: clientCount }, () => contender.connect(place)));
  let tries = 0;
  let acquires = 0;
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
  }, ms);
  const run = async (client: LockClient): Promise<void> => {
    while (!isOver) {
      await client.hold(
        name,
        async () => {
          await store.send('INCR', `{${name}}:count`);
          if (!isOver) acquires++;
        },
        () => {
          if (!isOver) tries++;
        },
      );
    }
  };
  await Promise.all(clients.map(run));
  clearTimeout(timer);
  await Promise.all(clients.map((client) => client.close()));
  await store.close();
  return { tries, acquires };
}
