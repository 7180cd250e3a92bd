/** The short implementations of docs/guide/10-scaling.md, with their faults. */
import type { Store } from '../../src/store/index.js';

/** The server that has a key. */
export function serverOf(servers: readonly Store[], key: string): Store {
  let hash = 0;
  for (const character of key) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
  return servers[hash % servers.length] as Store;
}

/** A member of a sorted set, with its score. */
export type Scored = readonly [member: string, score: number];

/** Entries `offset` to `offset + limit` of the sorted sets of all servers, highest score first. Also returns how many entries were read. */
export async function pageByOffset(
  servers: readonly Store[],
  key: string,
  offset: number,
  limit: number,
): Promise<{ page: Scored[]; read: number }> {
  const found = await Promise.all(servers.map((server) => highest(server, key, '+inf', offset + limit)));
  const all = merged(found.flat());
  return { page: all.slice(offset, offset + limit), read: all.length };
}

/** The next entries at or below the score with which the last page ended; below it with `isExclusive`. */
export async function pageByScore(
  servers: readonly Store[],
  key: string,
  { last, isExclusive, limit }: { last: number; isExclusive: boolean; limit: number },
): Promise<Scored[]> {
  const from = `${isExclusive ? '(' : ''}${last}`;
  const found = await Promise.all(servers.map((server) => highest(server, key, from, limit)));
  return merged(found.flat()).slice(0, limit);
}

function merged(entries: readonly Scored[]): Scored[] {
  return [...entries].sort(([, a], [, b]) => b - a);
}

async function highest(server: Store, key: string, from: string, limit: number): Promise<Scored[]> {
  const words = ['ZREVRANGEBYSCORE', key, from, '-inf', 'WITHSCORES', 'LIMIT', 0, limit] as const;
  const flat = await server.send<string[]>(...words);
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i] as string, Number(flat[2 * i + 1])]);
}

/** Asks all servers, and collects the answers half a second later. */
export async function askAll<T>(
  servers: readonly Store[],
  ask: (server: Store) => Promise<T>,
  sleep: (ms: number) => Promise<void>,
): Promise<T[]> {
  const answers: T[] = [];
  for (const server of servers) void ask(server).then((answer) => answers.push(answer));
  await sleep(500);
  return answers;
}
