import { randomUUID } from 'node:crypto';
import type { Store } from '../../src/store/index.js';

/** The short semaphores of the guide, with their faults. `now` is the time on the client's own clock, in seconds. */

export interface Attempt {
  readonly limit: number;
  /** The number of seconds after which a permit expires. */
  readonly timeout: number;
  readonly now: number;
}

/** Members of a sorted set by their time of arrival; the first `limit` members have a permit. */
export async function acquireUnfairSemaphore(
  store: Store,
  name: string,
  { limit, timeout, now }: Attempt,
): Promise<string | undefined> {
  const identifier = randomUUID();
  const [, , rank] = await store.transaction((queue) => [
    queue.send('ZREMRANGEBYSCORE', name, '-inf', now - timeout),
    queue.send('ZADD', name, now, identifier),
    queue.send<number>('ZRANK', name, identifier),
  ]);
  if ((rank as number) < limit) return identifier;
  await store.send('ZREM', name, identifier);
  return undefined;
}

/** The order is that of a counter; the times are only for clients that died. Two steps. */
export async function acquireFairSemaphore(
  store: Store,
  name: string,
  { limit, timeout, now }: Attempt,
  between: () => Promise<void> = async () => {},
): Promise<string | undefined> {
  const identifier = randomUUID();
  const owners = `${name}:owner`;
  const [, , counter] = await store.transaction((queue) => [
    queue.send('ZREMRANGEBYSCORE', name, '-inf', now - timeout),
    queue.send('ZINTERSTORE', owners, 2, owners, name, 'WEIGHTS', 1, 0),
    queue.send<number>('INCR', `${name}:counter`),
  ]);
  await between();
  const [, , rank] = await store.transaction((queue) => [
    queue.send('ZADD', name, now, identifier),
    queue.send('ZADD', owners, counter as number, identifier),
    queue.send<number>('ZRANK', owners, identifier),
  ]);
  if ((rank as number) < limit) return identifier;
  await store.transaction((queue) => [
    queue.send('ZREM', name, identifier),
    queue.send('ZREM', owners, identifier),
  ]);
  return undefined;
}
