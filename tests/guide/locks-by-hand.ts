import { randomUUID } from 'node:crypto';
import type { Store } from '../../src/store/index.js';

/** The locks that the guide shows what goes wrong with. They stay here: the kit has the ones that work. */

/** A lock that is a key: the client that creates it has it. */
export async function acquirePlainLock(store: Store, name: string): Promise<string | undefined> {
  const identifier = randomUUID();
  const isNew = await store.send('SETNX', `lock:${name}`, identifier);
  return isNew === 1 ? identifier : undefined;
}

/** The same with a time limit, in two steps. */
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

/** A release that does not ask whose lock it is. */
export async function releaseCarelessly(store: Store, name: string): Promise<void> {
  await store.send('DEL', `lock:${name}`);
}

/** A release that asks first, and then deletes. What happens in between is up to `between`. */
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

/** The one that asks and deletes in one step, as in the guide: WATCH, GET, MULTI, DEL, EXEC. */
export async function releaseWithWatch(store: Store, name: string, identifier: string): Promise<boolean> {
  const key = `lock:${name}`;
  const results = await store.transaction({ watch: [key] }, async (queue, watched) => {
    if ((await watched.send('GET', key)) !== identifier) return undefined;
    return [queue.send('DEL', key)];
  });
  return results !== undefined;
}
