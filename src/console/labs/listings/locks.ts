import { randomUUID } from 'node:crypto';
import type { Store } from '../../../store/index.js';
import { pause } from '../lab.js';

/** The short locks of the guide, with their faults: labs measure them, and tests show the faults. The reliable ones are in the kit. */

/** A lock that is a key: the client that creates it has it. */
export async function acquirePlainLock(store: Store, name: string): Promise<string | undefined> {
  const identifier = randomUUID();
  const isNew = await store.send('SETNX', `lock:${name}`, identifier);
  return isNew === 1 ? identifier : undefined;
}

/** Tries every millisecond until it succeeds, as the guide does. */
export async function insist(acquire: () => Promise<string | undefined>): Promise<string> {
  for (;;) {
    const identifier = await acquire();
    if (identifier !== undefined) return identifier;
    await pause(RETRY_MS);
  }
}

const RETRY_MS = 1;

/** The plain lock with a time limit, in two steps. */
export async function acquireLockWithTimeout(
  store: Store,
  name: string,
  seconds: number,
  { diesInBetween = false } = {},
): Promise<string | undefined> {
  const identifier = randomUUID();
  if ((await store.send('SETNX', `lock:${name}`, identifier)) !== 1) return undefined;
  if (diesInBetween) return undefined;
  await store.send('EXPIRE', `lock:${name}`, seconds);
  return identifier;
}

/** A release that does not check the holder. */
export async function releaseCarelessly(store: Store, name: string): Promise<void> {
  await store.send('DEL', `lock:${name}`);
}

/** A release that checks first, and then deletes. `between` runs between the two steps. */
export async function releaseInTwoSteps(
  store: Store,
  name: string,
  identifier: string,
  between: () => Promise<void> = async () => {},
): Promise<boolean> {
  if ((await store.send('GET', `lock:${name}`)) !== identifier) return false;
  await between();
  return (await store.send('DEL', `lock:${name}`)) === 1;
}

/** A release that checks and deletes in one step, as in the guide: WATCH, GET, MULTI, DEL, EXEC. */
export async function releaseWithWatch(store: Store, name: string, identifier: string): Promise<boolean> {
  const key = `lock:${name}`;
  const results = await store.transaction({ watch: [key] }, async (queue, watched) => {
    if ((await watched.send('GET', key)) !== identifier) return undefined;
    return [queue.send('DEL', key)];
  });
  return results !== undefined;
}

const ACQUIRE = {
  keys: ['lock'],
  args: ['identifier', 'seconds'],
  lua: "if redis.call('EXISTS', lock) == 0 then return redis.call('SETEX', lock, seconds, identifier) end return false",
} as const;

const RELEASE = {
  keys: ['lock'],
  args: ['identifier'],
  lua: "if redis.call('GET', lock) == identifier then return redis.call('DEL', lock) end return 0",
} as const;

/** The lock of the guide's chapter on scripts: each step is one script. */
export function scriptedLock(store: Store) {
  const acquire = store.script(ACQUIRE);
  const release = store.script(RELEASE);
  return {
    async acquire(name: string, seconds: number): Promise<string | undefined> {
      const identifier = randomUUID();
      return (await acquire({ lock: `lock:${name}`, identifier, seconds })) === null ? undefined : identifier;
    },
    release: async (name: string, identifier: string): Promise<boolean> =>
      (await release({ lock: `lock:${name}`, identifier })) === 1,
  };
}
