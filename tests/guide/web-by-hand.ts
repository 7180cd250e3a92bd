/** The short implementations of chapters 1 and 2 of the guide, with the faults that the guide describes. */
import { createHash } from 'node:crypto';
import type { Store } from '../../src/store/index.js';

/** Runs between two steps of a client. */
export type Meanwhile = () => Promise<unknown>;
const nothing: Meanwhile = async () => {};

const WEEK = 7 * 86_400;

/** A vote in four steps, with the client's clock. */
export async function voteByHand(
  store: Store,
  user: string,
  id: string,
  now: number,
  meanwhile = nothing,
): Promise<void> {
  const posted = await store.send('ZSCORE', 'time:', `article:${id}`);
  if (Number(posted) < now - WEEK && posted !== null) return;
  if ((await store.send('SADD', `voted:${id}`, user)) === 0) return;
  await meanwhile();
  await store.send('ZINCRBY', 'score:', 432, `article:${id}`);
  await store.send('HINCRBY', `article:${id}`, 'votes', 1);
}

/** A group's ranking, in which members of the set count 1. */
export async function groupPageByHand(store: Store, group: string): Promise<string[]> {
  const key = `score:${group}`;
  await store.send('ZINTERSTORE', key, 2, `group:${group}`, 'score:', 'AGGREGATE', 'MAX');
  return (await store.send('ZRANGE', key, 0, 24, 'REV')) as string[];
}

export async function visitByHand(store: Store, token: string, user: string, now: number): Promise<void> {
  await store.send('HSET', 'login:', token, user);
  await store.send('ZADD', 'recent:', now, token);
}

/** A visit in a pipeline, which all commands but the last are not sent through. */
export async function visitBesidePipeline(
  store: Store,
  token: string,
  user: string,
  item: string,
  now: number,
): Promise<void> {
  await store.send('HSET', 'login:', token, user);
  await store.send('ZADD', 'recent:', now, token);
  await store.send('ZADD', `viewed:${token}`, now, item);
  await store.send('ZREMRANGEBYRANK', `viewed:${token}`, 0, -26);
  await store.pipeline((queue) => [queue.send('ZINCRBY', 'viewed:', -1, item)]);
}

/** Lists the oldest sessions, and then deletes them. */
export async function cleanByHand(store: Store, limit: number, meanwhile = nothing): Promise<void> {
  const size = await store.send<number>('ZCARD', 'recent:');
  if (size <= limit) return;
  const end = Math.min(size - limit, 100);
  const tokens = (await store.send('ZRANGE', 'recent:', 0, end - 1)) as string[];
  await meanwhile();
  await store.send(
    'DEL',
    ...tokens.map((token) => `viewed:${token}`),
    ...tokens.map((token) => `cart:${token}`),
  );
  await store.send('HDEL', 'login:', ...tokens);
  await store.send('ZREM', 'recent:', ...tokens);
}

/** Every caller that finds no page renders it. `hash` is that of the process. */
export async function pageByHand(
  store: Store,
  request: string,
  hash: (text: string) => string,
  render: () => Promise<string>,
): Promise<string> {
  const key = `cache:${hash(request)}`;
  const found = (await store.send('GET', key)) as string | null;
  if (found !== null) return found;
  const page = await render();
  await store.send('SETEX', key, 300, page);
  return page;
}

/** A hash with a different seed in each process, like that of Python. */
export function processHash(seed: string): (text: string) => string {
  return (text) => createHash('md5').update(seed).update(text).digest('hex');
}

/** Keeps 20,000 items and halves their counts: with positive counts, the most viewed are at the end. */
export async function rescaleByHand(store: Store, max: number): Promise<void> {
  await store.send('ZREMRANGEBYRANK', 'viewed:', max, -1);
  await store.send('ZINTERSTORE', 'viewed:', 1, 'viewed:', 'WEIGHTS', 0.5);
}

/** One row by one worker. */
export async function cacheRowByHand(
  store: Store,
  now: number,
  load: (row: string) => Promise<string>,
): Promise<void> {
  const [row, due] = (await store.send('ZRANGE', 'schedule:', 0, 0, 'WITHSCORES')) as string[];
  if (row === undefined || Number(due) > now) return;
  const delay = Number(await store.send('ZSCORE', 'delay:', row));
  if (delay <= 0) {
    await store.send('ZREM', 'delay:', row);
    await store.send('ZREM', 'schedule:', row);
    await store.send('DEL', `inv:${row}`);
    return;
  }
  const content = await load(row);
  await store.send('ZADD', 'schedule:', now + delay, row);
  await store.send('SET', `inv:${row}`, content);
}
