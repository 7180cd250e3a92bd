/** The short implementations of docs/guide/05-application-support.md, with their faults. Times are those of the caller, in ms. */
import { isDeepStrictEqual } from 'node:util';
import type { Store } from '../../src/store/index.js';

const HOUR = 3_600_000;

/** Counts messages in a sorted set that is renamed when a new hour begins. The hour is never stored. */
export async function logCommon(store: Store, name: string, message: string, now: number): Promise<void> {
  const destination = `common:${name}`;
  const start = `${destination}:start`;
  const hour = new Date(Math.floor(now / HOUR) * HOUR).toISOString();
  await store.transaction({ watch: [start] }, async (queue, watched) => {
    const existing = (await watched.send('GET', start)) as string | null;
    const rotation =
      existing !== null && existing < hour
        ? [
            queue.send('RENAME', destination, `${destination}:last`),
            queue.send('RENAME', start, `${destination}:pstart`),
            queue.send('SET', start, hour),
          ]
        : [];
    return [...rotation, queue.send('ZINCRBY', destination, 1, message)];
  });
}

/** Count, sum and sum of squares. */
export async function updateStats(store: Store, key: string, value: number): Promise<void> {
  await store.transaction((queue) => [
    queue.send('ZINCRBY', key, 1, 'count'),
    queue.send('ZINCRBY', key, value, 'sum'),
    queue.send('ZINCRBY', key, value * value, 'sumsq'),
  ]);
}

export async function deviationOf(store: Store, key: string): Promise<number> {
  const read = async (member: string): Promise<number> => Number(await store.send('ZSCORE', key, member));
  const [count, sum, squares] = [await read('count'), await read('sum'), await read('sumsq')];
  return Math.sqrt(Math.abs(squares - sum ** 2 / count) / (count - 1));
}

/** One increment for each precision, and the counter's name in the list of all counters. */
export async function updateCounter(
  store: Store,
  name: string,
  precisions: readonly number[],
  now: number,
): Promise<void> {
  await store.pipeline((queue) =>
    precisions.flatMap((precision) => [
      queue.send('ZADD', 'known:', 0, `${precision}:${name}`),
      queue.send('HINCRBY', `count:${precision}:${name}`, Math.floor(now / precision), 1),
    ]),
  );
}

/** One round of the cleaner: checks every known counter. Returns their number. */
export async function cleanCounters(store: Store, samples: number, now: number): Promise<number> {
  const known = (await store.send('ZRANGE', 'known:', 0, -1)) as string[];
  for (const member of known) {
    const precision = Number.parseInt(member, 10);
    const slices = (await store.send('HKEYS', `count:${member}`)) as string[];
    const old = slices.filter((slice) => Number(slice) <= Math.floor(now / precision) - samples);
    if (old.length > 0) await store.send('HDEL', `count:${member}`, ...old);
    if (old.length === slices.length) await store.send('ZREM', 'known:', member);
  }
  return known.length;
}

/** The city of the last range that begins at or before the address. */
export async function findCity(store: Store, address: string): Promise<string | undefined> {
  const [member] = (await store.send(
    'ZREVRANGEBYSCORE',
    'ip2cityid:',
    scoreOf(address),
    0,
    'LIMIT',
    0,
    1,
  )) as string[];
  return member?.split('_')[0];
}

export async function addRange(store: Store, first: string, city: string): Promise<void> {
  await store.send('ZADD', 'ip2cityid:', scoreOf(first), `${city}_0`);
}

function scoreOf(address: string): number {
  return address.split('.').reduce((score, part) => score * 256 + Number(part), 0);
}

/** Connects if the setting has changed. But it compares names in bytes with names in text. */
export function connectionByHand<T>(store: Store, connect: (settings: unknown) => T): () => Promise<T> {
  let old: unknown;
  let connection: T | undefined;
  return async () => {
    const settings = JSON.parse((await store.send('GET', 'config:redis:logs')) as string) as Record<
      string,
      unknown
    >;
    const withBytes = new Map(Object.entries(settings).map(([name, value]) => [Buffer.from(name), value]));
    if (connection === undefined || !isDeepStrictEqual(withBytes, old)) connection = connect(withBytes);
    old = settings;
    return connection;
  };
}
