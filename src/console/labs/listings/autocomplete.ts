/**
 * Autocomplete as it is often written: two marks are inserted around the range, read and removed again. Labs
 * measure it, and tests show its faults.
 */
import { randomUUID } from 'node:crypto';
import type { Store } from '../../../store/index.js';

const CHARACTERS = '`abcdefghijklmnopqrstuvwxyz{';

/** The marks before and after the names that begin with the prefix. */
export function rangeOf(prefix: string): readonly [string, string] {
  const last = prefix.slice(-1);
  const place = [...CHARACTERS].findIndex((character) => character >= last);
  const before = CHARACTERS[Math.max(place < 0 ? CHARACTERS.length : place, 1) - 1];
  return [`${prefix.slice(0, -1)}${before}{`, `${prefix}{`];
}

export interface Marks {
  readonly start: string;
  readonly end: string;
}

export async function insertMarks(
  store: Store,
  key: string,
  prefix: string,
  id: string = randomUUID(),
): Promise<Marks> {
  const [start, end] = rangeOf(prefix).map((mark) => mark + id) as [string, string];
  await store.send('ZADD', key, 0, start, 0, end);
  return { start, end };
}

/** Reads at most ten names between the marks, and removes the marks. */
export async function readBetween(store: Store, key: string, { start, end }: Marks): Promise<string[]> {
  const [, names] = await store.transaction({ watch: [key] }, async (queue, watched) => {
    const first = Number(await watched.send('ZRANK', key, start));
    const last = Number(await watched.send('ZRANK', key, end));
    return [
      queue.send('ZREM', key, start, end),
      queue.send<string[]>('ZRANGE', key, first, Math.min(first + 9, last - 2)),
    ];
  });
  return (names as string[]).filter((name) => !name.includes('{'));
}

/** The same steps in one script, as in the guide's chapter on scripts. */
export const COMPLETE = {
  keys: ['names'],
  args: ['start', 'finish'],
  lua: `redis.call('ZADD', names, 0, start, 0, finish)
    local first = redis.call('ZRANK', names, start)
    local last = math.min(first + 9, redis.call('ZRANK', names, finish) - 2)
    redis.call('ZREM', names, start, finish)
    return redis.call('ZRANGE', names, first, last)`,
} as const;

export function scriptedCompletion(store: Store) {
  const complete = store.script(COMPLETE);
  return async (key: string, prefix: string): Promise<string[]> => {
    const id = randomUUID();
    const [start, finish] = rangeOf(prefix).map((mark) => mark + id) as [string, string];
    return (await complete({ names: key, start, finish })) as string[];
  };
}

export async function completeByHand(store: Store, key: string, prefix: string): Promise<string[]> {
  return readBetween(store, key, await insertMarks(store, key, prefix));
}

/** A common search of contacts: the contact in lower case, the prefix unchanged. */
export async function contactsByHand(store: Store, key: string, prefix: string): Promise<string[]> {
  const contacts = await store.send<string[]>('LRANGE', key, 0, -1);
  return contacts.filter((contact) => contact.toLowerCase().startsWith(prefix));
}

/** Different names of a to z, in order; the same in every run. */
export function makeNames(count: number): string[] {
  const names = new Set<string>();
  for (let state = 12_345; names.size < count; ) {
    let name = '';
    for (let i = 0; i < 8; i++) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      name += String.fromCharCode(97 + ((state >>> 16) % 26));
    }
    names.add(name);
  }
  return [...names].sort();
}

/** The prefix that a client asks for in a round. */
export function prefixAt(names: readonly string[], client: number, round: number): string {
  const at = client * 997 + round;
  return (names[(at * 7_919) % names.length] ?? '').slice(0, 2 + (at % 3));
}
