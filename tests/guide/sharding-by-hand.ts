/** The short implementations of docs/guide/09-memory.md, with their faults. */
import type { Store } from '../../src/store/index.js';

/** Which shard a key belongs to, by a hash and the number of elements that are expected. */
export function shardKey(base: string, key: string, expected: number, shardSize: number): string {
  if (/^\d+$/.test(key)) return `${base}:${Math.floor(Number(key) / shardSize)}`;
  const shards = Math.floor((2 * expected) / shardSize);
  let hash = 0;
  for (const character of key) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
  return `${base}:${hash % shards}`;
}

export async function shardedHsetByHand(
  store: Store,
  key: string,
  value: string,
  expected: number,
): Promise<void> {
  await store.hset(shardKey('cities', key, expected, 128), key, value);
}

export async function shardedHgetByHand(store: Store, key: string, expected: number): Promise<string | null> {
  return store.hget(shardKey('cities', key, expected, 128), key);
}

/** Counts a visitor by the first fifteen hexadecimal digits of a UUID. */
export async function countVisit(
  store: Store,
  day: string,
  session: string,
  yesterday: number,
): Promise<string> {
  const expected = 2 ** Math.ceil(Math.log2(yesterday * 1.5));
  const id = Number.parseInt(session.replaceAll('-', '').slice(0, 15), 16);
  const shard = shardKey(`unique:${day}`, `x${id}`, expected, 512);
  if ((await store.sadd(shard, id)) === 1) await store.incr(`unique:${day}`);
  return shard;
}

/** A country and a state as two characters of a text. Of a sorted list, like the one that the last index is compared with. */
export function locationCode(countries: readonly string[], country: string): string {
  const index = countries.findIndex((candidate) => candidate >= country);
  return String.fromCharCode(index + 1) + String.fromCharCode(0);
}

export async function setLocation(store: Store, user: number, code: string): Promise<void> {
  await store.setrange('location:0', user * 2, code);
}

/** Users by state. The index is compared with the list instead of its length, which is never true. */
export function countByState(states: readonly string[], codes: readonly number[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const code of codes) {
    const index = code - 1;
    if (index < 0 || index >= (states as unknown as number)) continue;
    const state = states[index] as string;
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return counts;
}
