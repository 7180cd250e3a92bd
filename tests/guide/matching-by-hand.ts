/** Ads and jobs as they are often written. Used to show their faults. */
import { randomUUID } from 'node:crypto';
import type { Store } from '../../src/store/index.js';

/** Learns the value of ads by clicks; the average is a variable of the process. */
export class AdsByHand {
  averagePer1k = 1;
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async add(id: string, words: readonly string[], cpc: number): Promise<void> {
    for (const word of words) await this.#store.send('ZADD', `idx:${word}`, 0, id);
    await this.#store.send('ZADD', 'idx:ad:value:', this.averagePer1k * cpc, id);
    await this.#store.send('HSET', 'price:', id, cpc);
  }

  async view(id: string): Promise<void> {
    await this.#store.send('INCR', 'views:all');
    await this.#store.send('ZINCRBY', `views:${id}`, 1, '');
  }

  async click(id: string): Promise<void> {
    const clicks = Number(await this.#store.send('INCR', 'clicks:all'));
    await this.#store.send('ZINCRBY', `click:${id}`, 1, '');
    await this.#update(id);
    this.averagePer1k = (1_000 * clicks) / Number(await this.#store.send('GET', 'views:all'));
  }

  async #update(id: string): Promise<void> {
    const [views, clicks] = await Promise.all(
      ['views', 'clicks'].map(async (what) => Number(await this.#store.send('ZSCORE', `${what}:${id}`, ''))),
    );
    if (!clicks) return; // "nothing is known yet"
    const price = Number(await this.#store.send('HGET', 'price:', id));
    await this.#store.send('ZADD', 'idx:ad:value:', (1_000 * price * clicks) / (views as number), id);
  }

  async value(id: string): Promise<number> {
    return Number(await this.#store.send('ZSCORE', 'idx:ad:value:', id));
  }
}

const HIGHEST_LEVEL = 2;

export async function indexJobByHand(store: Store, id: string, skills: readonly string[]): Promise<void> {
  for (const skill of skills) await store.send('SADD', `skill:${skill}`, id);
  await store.send('ZADD', 'jobs:req', skills.length, id);
}

export async function findJobsByHand(store: Store, skills: readonly string[]): Promise<string[]> {
  const scores = await countOf(
    store,
    skills.map((skill) => `skill:${skill}`),
  );
  return store.send<string[]>('ZRANGEBYSCORE', scores, 0, 0);
}

/** What the job requires, less what the candidate has. */
async function countOf(store: Store, keys: readonly string[]): Promise<string> {
  const [scores, missing] = [randomUUID(), randomUUID()];
  await store.send('ZUNIONSTORE', scores, keys.length, ...keys);
  await store.send('ZINTERSTORE', missing, 2, scores, 'jobs:req', 'WEIGHTS', -1, 1);
  return missing;
}

type Levels = Readonly<Record<string, number>>;

export async function indexLevelsByHand(store: Store, id: string, skills: Levels): Promise<void> {
  for (const [skill, level] of Object.entries(skills)) {
    for (let each = level; each <= HIGHEST_LEVEL; each++)
      await store.send('SADD', `skill:${skill}:${each}`, id);
  }
  await store.send('ZADD', 'jobs:req', Object.keys(skills).length, id);
}

/** Looks up the candidate's level and all above it. */
export async function findLevelsByHand(store: Store, skills: Levels): Promise<string[]> {
  const keys = Object.entries(skills).flatMap(([skill, level]) =>
    Array.from({ length: HIGHEST_LEVEL - level + 1 }, (_, more) => `skill:${skill}:${level + more}`),
  );
  return store.send<string[]>('ZRANGEBYSCORE', await countOf(store, keys), 0, 0);
}

export async function indexYearsByHand(store: Store, id: string, years: Levels): Promise<void> {
  for (const [skill, count] of Object.entries(years)) await store.send('ZADD', `years:${skill}`, count, id);
  await store.send('SADD', 'jobs:all', id);
  await store.send('ZADD', 'jobs:req', Object.keys(years).length, id);
}

/** Returns the first of the sorted differences, whatever it is. */
export async function findYearsByHand(store: Store, years: Levels): Promise<string[]> {
  const keys: string[] = [];
  for (const [skill, count] of Object.entries(years)) {
    const [enough, ones] = [randomUUID(), randomUUID()];
    await store.send('ZINTERSTORE', enough, 2, 'jobs:all', `years:${skill}`, 'WEIGHTS', -count, 1);
    await store.send('ZREMRANGEBYSCORE', enough, '(0', 'inf');
    await store.send('ZINTERSTORE', ones, 2, 'jobs:all', enough, 'WEIGHTS', 1, 0);
    keys.push(ones);
  }
  return store.send<string[]>('ZRANGE', await countOf(store, keys), 0, 0);
}
