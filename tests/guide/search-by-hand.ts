/** Search as it is often written: sets of documents by word, temporary sets for results. Used to show its faults. */
import { randomUUID } from 'node:crypto';
import type { Store } from '../../src/store/index.js';

export function tokenizeByHand(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[a-z']{2,}/g) ?? []);
}

export async function indexByHand(store: Store, id: string, text: string): Promise<void> {
  for (const word of tokenizeByHand(text)) await store.send('SADD', `idx:${word}`, id);
}

/** The id of a result; without words to search for it is undefined. */
export async function searchByHand(store: Store, query: string, ttl = 30): Promise<string | undefined> {
  const words = [...tokenizeByHand(query)];
  if (words.length < 2) return words[0];
  const id = randomUUID();
  await store.send('SINTERSTORE', `idx:${id}`, ...words.map((word) => `idx:${word}`));
  await store.send('EXPIRE', `idx:${id}`, ttl);
  return id;
}

/** A page of a result: its time to live is meant to begin again. */
export async function pageByHand(store: Store, query: string, id?: string, ttl = 300) {
  const isThere = id !== undefined && (await store.send('EXPIRE', id, ttl)) === 1;
  const result = isThere ? id : await searchByHand(store, query, ttl);
  const found = await store.send<string[]>('SORT', `idx:${result}`, 'ALPHA');
  return { id: result, found };
}

/** The beginning of a string as a score: six characters, each below 257. */
export function stringScoreByHand(text: string): number {
  let score = 0;
  for (let at = 0; at < 6; at++) {
    const code = at < text.length ? text.charCodeAt(at) : -1;
    score = score * 257 + code + 1;
  }
  return score * 2 + (text.length > 6 ? 1 : 0);
}
