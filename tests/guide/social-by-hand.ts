/** The short implementations of chapter 8 of the guide, with the faults that the guide describes. */
import type { Store } from '../../src/store/index.js';

export const TIMELINE_SIZE = 1_000;
export const PASS_SIZE = 1_000;

/** A task for later, by the name of a function and its arguments. */
export type Later = (name: string, args: readonly unknown[]) => void;

/** Followers of a user by the time at which they followed, in seconds. */
export const followersKey = (user: string): string => `followers:${user}`;
export const homeKey = (user: string): string => `home:${user}`;

/** One pass: the next thousand followers from a score, which is that of the last one of the pass before. */
async function nextFrom(store: Store, key: string, start: string, count: number): Promise<string[]> {
  return (await store.send('ZRANGEBYSCORE', key, start, 'inf', 'WITHSCORES', 'LIMIT', 0, count)) as string[];
}

/** Puts a status into the homes of the next followers. */
export async function syndicateByHand(
  store: Store,
  user: string,
  status: string,
  posted: number,
  start: string,
  later: Later,
  passSize = PASS_SIZE,
): Promise<void> {
  const followers = await nextFrom(store, followersKey(user), start, passSize);
  const names = followers.filter((_, index) => index % 2 === 0);
  await store.pipeline((batch) =>
    names.flatMap((name) => [
      batch.send('ZADD', homeKey(name), posted, status),
      batch.send('ZREMRANGEBYRANK', homeKey(name), 0, -TIMELINE_SIZE - 1),
    ]),
  );
  if (names.length >= passSize) later('syndicate', [user, status, posted, followers.at(-1)]);
}

/** The variant with lists: followers first, then lists. What it leaves for later is the function without lists. */
export async function syndicateWithListsByHand(
  store: Store,
  user: string,
  status: string,
  posted: number,
  start: string,
  onLists: boolean,
  later: Later,
): Promise<void> {
  const [key, base] = onLists ? [`list:out:${user}`, 'list:statuses:'] : [followersKey(user), 'home:'];
  const feeds = (await nextFrom(store, key, start, PASS_SIZE)).filter((_, index) => index % 2 === 0);
  for (const feed of feeds) await store.send('ZADD', base + feed, posted, status);
  if (feeds.length >= PASS_SIZE) later('syndicate', [user, status, posted, start, onLists]);
  else if (!onLists) later('syndicate', [user, status, posted, '0', true]);
}

/** Follows: two sets first, and then, in another step, two counts. */
export async function followByHand(
  store: Store,
  user: string,
  other: string,
  now: number,
): Promise<() => Promise<void>> {
  const [following, followers] = await store.transaction((batch) => [
    batch.send<number>('ZADD', `following:${user}`, now, other),
    batch.send<number>('ZADD', followersKey(other), now, user),
  ]);
  return async () => {
    await store.send('HINCRBY', `user:${user}`, 'following', following);
    await store.send('HINCRBY', `user:${other}`, 'followers', followers);
  };
}

/** Unfollows. One version adds where it should subtract. */
export async function unfollowByHand(store: Store, user: string, other: string): Promise<void> {
  const [following, followers] = await store.transaction((batch) => [
    batch.send<number>('ZREM', `following:${user}`, other),
    batch.send<number>('ZREM', followersKey(other), user),
  ]);
  await store.send('HINCRBY', `user:${user}`, 'following', following);
  await store.send('HINCRBY', `user:${other}`, 'followers', followers);
}

/** Fills a timeline, unless three quarters of it are full. Returns the users that it has read, pass by pass. */
export async function refillByHand(
  store: Store,
  incoming: string,
  timeline: string,
  { usersAtOnce = 50, maxPasses = 10 } = {},
): Promise<string[][]> {
  const passes: string[][] = [];
  for (let start = '0'; passes.length < maxPasses; ) {
    if (start === '0' && (await store.send<number>('ZCARD', timeline)) >= 0.75 * TIMELINE_SIZE) return passes;
    const found = await nextFrom(store, incoming, start, usersAtOnce);
    const users = found.filter((_, index) => index % 2 === 0);
    passes.push(users);
    for (const user of users) {
      const statuses = (await store.send(
        'ZRANGE',
        `profile:${user}`,
        0,
        TIMELINE_SIZE - 1,
        'REV',
        'WITHSCORES',
      )) as string[];
      for (let at = 0; at < statuses.length; at += 2) {
        await store.send('ZADD', timeline, statuses[at + 1] as string, statuses[at] as string);
      }
    }
    await store.send('ZREMRANGEBYRANK', timeline, 0, -TIMELINE_SIZE - 1);
    if (users.length < usersAtOnce) return passes;
    start = found.at(-1) as string;
  }
  return passes;
}

/** Takes a user out of a list. What is to be removed is still collected when the timeline is refilled. */
export async function removeFromListByHand(store: Store, list: string, user: string): Promise<void> {
  const statuses = (await store.send('ZRANGE', `profile:${user}`, 0, TIMELINE_SIZE - 1, 'REV')) as string[];
  await store.send('ZREM', `list:in:${list}`, user);
  await refillByHand(store, `list:in:${list}`, `list:statuses:${list}`);
  if (statuses.length > 0) await store.send('ZREM', `list:statuses:${list}`, ...statuses);
}

/** Deletes a status from the store and from its author's timelines. */
export async function deleteByHand(store: Store, user: string, status: string): Promise<void> {
  await store.send('DEL', `status:${status}`);
  await store.send('ZREM', `profile:${user}`, status);
  await store.send('ZREM', homeKey(user), status);
}
