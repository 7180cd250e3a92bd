import type { Store } from '../../store/index.js';
import {
  checkedList,
  checkStore,
  integer,
  jsonOf,
  KitError,
  newId,
  resolveOptions,
  resolverOf,
  ruled,
  shown,
  text,
} from '../foundation/index.js';
import { queue, type TaskQueue, type Worker, type WorkerOptions } from '../queue/index.js';
import { createCore, unknownUser } from './core.js';
import { Lists, type UserList } from './lists.js';
import { feedOf, homeOf, listFeedOf, statusPlaceOf, userIdOf } from './names.js';
import { NETWORK_RULES, type NetworkOptions } from './options.js';
import { type PageOptions, pageOf, Reading, type StatusPage, type UserPage } from './reading.js';
import { refill } from './refilling.js';
import { type FollowOutcome, Relations } from './relations.js';
import { Spreading } from './spreading.js';
import {
  BLOCK_TASK,
  DROP_LIST_TASK,
  REFILL_TASK,
  RELATE_TASK,
  SPREAD_TASK,
  type Spread,
  Unfinished,
} from './unfinished.js';

export interface User<UserData = unknown> {
  /** The name in its canonical form: lower case. */
  readonly id: string;
  /** The name as it was given at the sign-up. */
  readonly login: string;
  readonly name: string;
  readonly data: UserData | undefined;
  readonly joinedAt: Date;
  readonly followers: number;
  readonly following: number;
  readonly posts: number;
}

export interface Status<Data = unknown> {
  /** Author and number: `ann/1700000000000000`. */
  readonly id: string;
  /** Id of the user. */
  readonly author: string;
  readonly text: string;
  readonly data: Data | undefined;
  /** By the clock of the author's server. */
  readonly postedAt: Date;
  readonly likes: number;
}

export interface SignUpOptions {
  /** The name to show. Default: the login. */
  readonly name?: string;
  /** Any JSON value. */
  readonly data?: unknown;
}

export interface PostOptions<Data = unknown> {
  /** Any JSON value, such as a location or the status that this one replies to. */
  readonly data?: Data;
}

/**
 * Users, their statuses and timelines. Users are named by their logins, in any case. Calls with a user that does not exist reject with
 * `UNKNOWN_USER`; pages of such a user are empty.
 */
export interface SocialNetwork<Data = unknown> {
  /**
   * Creates a user; undefined if the login is taken. Logins that differ only in case or Unicode form are the same.
   *
   * @example
   * await network.signUp('Ann', { name: 'Ann Example' }); // { id: 'ann', login: 'Ann', … }
   * await network.signUp('ANN'); // undefined
   */
  signUp(login: string, options?: SignUpOptions): Promise<User | undefined>;
  /** A user with counts; undefined if there is none. */
  user(user: string): Promise<User | undefined>;
  /**
   * Posts a status. It is in the profile when this returns, in the timelines of the first thousand followers too, and a worker puts it into
   * the others.
   */
  post(author: string, text: string, options?: PostOptions<Data>): Promise<Status<Data>>;
  /** A status; undefined if there is none. */
  status(id: string): Promise<Status<Data> | undefined>;
  /** Deletes a status, and removes it from all timelines as `post` adds it. False if the user has no such status. */
  deleteStatus(user: string, id: string): Promise<boolean>;
  /** Follows a user: their newest statuses come into the home at once. */
  follow(user: string, other: string): Promise<FollowOutcome>;
  /** Removes all statuses of the other from the home at once. False if the user did not follow the other. */
  unfollow(user: string, other: string): Promise<boolean>;
  isFollowing(user: string, other: string): Promise<boolean>;
  /** Ends that the two follow each other, also by lists, and prevents it from now on. False if the other was blocked before. */
  block(user: string, other: string): Promise<boolean>;
  /** False if the other was not blocked. */
  unblock(user: string, other: string): Promise<boolean>;
  /** False if the user had liked the status before. Rejects with `UNKNOWN_STATUS`, and with `BLOCKED` if its author has blocked the user. */
  like(user: string, status: string): Promise<boolean>;
  /** False if the user had not liked it. */
  unlike(user: string, status: string): Promise<boolean>;
  /** Which of these statuses the user likes; for a page of them. */
  liked(user: string, statuses: readonly string[]): Promise<ReadonlySet<string>>;
  likers(status: string, options?: PageOptions): Promise<UserPage>;
  followers(user: string, options?: PageOptions): Promise<UserPage>;
  following(user: string, options?: PageOptions): Promise<UserPage>;
  blocked(user: string, options?: PageOptions): Promise<UserPage>;
  /** Users who follow both, up to `limit` (default 1,000). */
  commonFollowers(user: string, other: string, options?: { readonly limit?: number }): Promise<string[]>;
  /** The statuses of the users that a user follows. */
  home(user: string, options?: PageOptions): Promise<StatusPage<Data>>;
  /** All statuses of a user. */
  profile(user: string, options?: PageOptions): Promise<StatusPage<Data>>;
  /** Creates a list of users with its own timeline; returns its id. */
  createList(owner: string, name: string): Promise<string>;
  /** False if there is no such list. */
  deleteList(list: string): Promise<boolean>;
  /** The lists of a user, the oldest first. */
  lists(owner: string): Promise<UserList[]>;
  addToList(list: string, user: string): Promise<FollowOutcome>;
  /** False if the user is not in the list. */
  removeFromList(list: string, user: string): Promise<boolean>;
  listMembers(list: string, options?: PageOptions): Promise<UserPage>;
  listTimeline(list: string, options?: PageOptions): Promise<StatusPage<Data>>;
  /**
   * Requests that a worker fills the home of a user, or the timeline of a list, with the newest statuses of all users that it follows. Timelines that
   * become short are refilled without it.
   */
  refill(userOrList: string): Promise<void>;
  /** Starts a worker for the queue of the network. At least one process needs one. */
  work(options?: Omit<WorkerOptions, 'lease'>): Worker;
  /** The queue, to inspect and repair it. */
  readonly queue: TaskQueue;
}

/**
 * Opens a social network.
 *
 * @example
 * const network = socialNetwork(store);
 * await using worker = network.work();
 * await network.signUp('ann');
 * await network.signUp('bob');
 * await network.follow('bob', 'ann'); // 'followed'
 * await network.post('ann', 'hello');
 * (await network.home('bob')).statuses.map(({ text }) => text); // ['hello']
 */
export function socialNetwork<Data = unknown>(
  store: Store,
  given: NetworkOptions<Data> = {},
): SocialNetwork<Data> {
  checkStore('socialNetwork', store);
  const options = resolveOptions('socialNetwork', given, NETWORK_RULES);
  const core = createCore(store, options);
  const tasks = queue(store, 'work', {
    prefix: `${options.prefix}-queue`,
    keepCompleted: 0,
    keepEvents: 100,
    requireNoEviction: options.requireNoEviction,
    // The network itself warns.
    onWarning: () => {},
  });
  const reading = new Reading(core);
  const unfinished = new Unfinished(core, tasks);
  const relations = new Relations(core, tasks, unfinished);
  const spreading = new Spreading(core, tasks, reading);
  const lists = new Lists(core, relations, unfinished);
  const { keysOf, scripts } = core;

  async function user(name: string): Promise<User | undefined> {
    const id = userIdOf(name);
    const { user, followers, following, posts } = keysOf(id);
    const [login, shownName, data, joined, ...counts] = await scripts.readUser({
      user,
      followers,
      following,
      posts,
    });
    if (login === undefined) return undefined;
    return {
      id,
      login: String(login),
      name: String(shownName),
      data: data === '' ? undefined : JSON.parse(String(data)),
      joinedAt: new Date(Number(joined)),
      followers: Number(counts[0]),
      following: Number(counts[1]),
      posts: Number(counts[2]),
    };
  }

  async function post(name: string, words: string, given?: PostOptions<Data>): Promise<Status<Data>> {
    const author = userIdOf(name);
    const data = encode('post', postOptions(given).data);
    checkText('post', words, options.maxText);
    const { user, posts, status, pending } = keysOf(author);
    const token = newId();
    const spread: Spread = { author, number: '', token, on: 'followers', after: null };
    const number = await unfinished.run({
      task: SPREAD_TASK,
      data: spread,
      change: async () => {
        const posted = await scripts.post({ user, posts, status, pending, token, text: words, data });
        if (posted === '') throw unknownUser(author);
        return posted;
      },
      carryOut: (posted, guard) =>
        spreading.spread({ ...spread, number: posted }, guard, { max: options.passSize }),
    });
    const id = `${author}/${number}`;
    // The number is the time in µs, unless two statuses came in one.
    const postedAt = new Date(Math.floor(Number(number) / 1_000));
    return { id, author, text: words, data: given?.data, postedAt, likes: 0 };
  }

  async function deleteStatus(name: string, id: string): Promise<boolean> {
    const owner = userIdOf(name);
    const { author, number } = statusPlaceOf(id);
    if (owner !== author) return false;
    const { user, posts, status, likes } = keysOf(author);
    if ((await store.exists(`${status}:${number}`)) === 0) return false;
    const spread: Spread = { author, number, token: '', on: 'followers', after: null };
    const deleted = await unfinished.run({
      task: SPREAD_TASK,
      data: spread,
      change: async () =>
        (await scripts.delete({ user, posts, status, likes, number })) === 1 ? true : undefined,
      carryOut: (_, guard) => spreading.spread(spread, guard, { max: options.passSize }),
    });
    return deleted === true;
  }

  async function like(name: string, id: string): Promise<boolean> {
    const liker = userIdOf(name);
    const { author, number } = statusPlaceOf(id);
    if ((await store.exists(keysOf(liker).user)) === 0) throw unknownUser(liker);
    const { status, likes, blocked } = keysOf(author);
    const reply = await scripts.like({ status, likes, blocked, number, liker });
    if (reply === -1)
      throw new KitError('UNKNOWN_STATUS', `there is no status '${id}': it may have been deleted`);
    if (reply === -2) throw new KitError('BLOCKED', `'${author}' has blocked '${liker}'`);
    return reply === 1;
  }

  const usersIn = async (part: 'followers' | 'following' | 'blocked', name: string, given?: PageOptions) =>
    reading.users(keysOf(userIdOf(name))[part], pageOf(given));

  return {
    queue: tasks,
    user,
    post,
    deleteStatus,
    like,
    signUp: async (login, given) => {
      const id = userIdOf(login);
      const { name, data } = signUpOptions(given);
      const joined = await scripts.signUp({
        user: keysOf(id).user,
        token: newId(),
        login,
        name: name === '' ? login : name,
        data: encode('signUp', data),
      });
      if (joined === 0) return undefined;
      const counts = { followers: 0, following: 0, posts: 0 };
      return { id, login, name: name === '' ? login : name, data, joinedAt: new Date(joined), ...counts };
    },
    status: async (id) => (await reading.statuses([id]))[0] as Status<Data> | undefined,
    follow: async (name, other) => relations.follow(homeOf(userIdOf(name)), userIdOf(other)),
    unfollow: async (name, other) => relations.unfollow(homeOf(userIdOf(name)), userIdOf(other)),
    isFollowing: async (name, other) =>
      (await store.zscore(keysOf(userIdOf(name)).following, userIdOf(other))) !== null,
    block: async (name, other) => relations.block(userIdOf(name), userIdOf(other)),
    unblock: async (name, other) => (await store.zrem(keysOf(userIdOf(name)).blocked, userIdOf(other))) === 1,
    unlike: async (name, id) => {
      const { author, number } = statusPlaceOf(id);
      return (await store.zrem(`${keysOf(author).likes}:${number}`, userIdOf(name))) === 1;
    },
    liked: async (name, ids) => {
      const liker = userIdOf(name);
      const statuses = [...checkedList('liked', ids)];
      const places = statuses.map(statusPlaceOf);
      const scores = await store.pipeline((batch) =>
        places.map(({ author, number }) => batch.zscore(`${keysOf(author).likes}:${number}`, liker)),
      );
      return new Set(statuses.filter((_, index) => scores[index] !== null));
    },
    likers: async (id, given) => {
      const { author, number } = statusPlaceOf(id);
      return reading.users(`${keysOf(author).likes}:${number}`, pageOf(given));
    },
    followers: (name, given) => usersIn('followers', name, given),
    following: (name, given) => usersIn('following', name, given),
    blocked: (name, given) => usersIn('blocked', name, given),
    commonFollowers: async (name, other, given) => {
      const [one, two] = [keysOf(userIdOf(name)).followers, keysOf(userIdOf(other)).followers];
      return reading.common(one, two, commonOptions(given).limit);
    },
    home: async (name, given) =>
      (await reading.timeline(keysOf(userIdOf(name)).home, pageOf(given))) as StatusPage<Data>,
    profile: async (name, given) => {
      const author = userIdOf(name);
      return (await reading.timeline(keysOf(author).posts, pageOf(given), author)) as StatusPage<Data>;
    },
    createList: async (owner, name) => {
      checkText('createList', name, options.maxText);
      return lists.create(userIdOf(owner), name);
    },
    deleteList: async (list) => lists.delete(listFeedOf(list)),
    lists: async (owner) => lists.all(userIdOf(owner)),
    addToList: async (list, name) => relations.follow(listFeedOf(list), userIdOf(name)),
    removeFromList: async (list, name) => relations.unfollow(listFeedOf(list), userIdOf(name)),
    listMembers: async (list, given) => reading.users(core.feedKeys(listFeedOf(list)).sources, pageOf(given)),
    listTimeline: async (list, given) =>
      (await reading.timeline(core.feedKeys(listFeedOf(list)).timeline, pageOf(given))) as StatusPage<Data>,
    refill: async (userOrList) => {
      const isList = typeof userOrList === 'string' && userOrList.includes('/');
      await relations.refill(isList ? listFeedOf(userOrList) : homeOf(userIdOf(userOrList)));
    },
    work: (given = {}) => {
      const handlers = [
        RELATE_TASK.handle(async ({ feed, author }, task) => {
          await relations.settle(feedOf(feed), author, () => task.signal.throwIfAborted());
        }),
        SPREAD_TASK.handle(async (spread, task) => {
          await spreading.spread(spread, () => task.signal.throwIfAborted(), {
            onPass: (next) => task.update(next),
          });
        }),
        REFILL_TASK.handle(async (from, task) => {
          const onPass = (after: typeof from.after): Promise<void> => task.update({ ...from, after });
          await refill(core, relations, from, () => task.signal.throwIfAborted(), onPass);
        }),
        BLOCK_TASK.handle(async ({ user, other }, task) => {
          await relations.settleBlock(user, other, () => task.signal.throwIfAborted());
        }),
        DROP_LIST_TASK.handle(async ({ list }, task) => {
          await lists.drop(feedOf(list), () => task.signal.throwIfAborted());
        }),
      ];
      return tasks.work(handlers, { concurrency: 4, ...given, lease: options.lease });
    },
  };
}

const anyJson = ruled<unknown>(() => undefined);
const SIGN_UP_RULES = {
  name: { ...text(), fallback: { value: '' } },
  data: { ...anyJson, fallback: { value: undefined } },
};
const POST_RULES = { data: { ...anyJson, fallback: { value: undefined } } };
const COMMON_RULES = { limit: integer(1_000, { min: 1 }) };

const signUpOptions = resolverOf<typeof SIGN_UP_RULES, SignUpOptions>('signUp', SIGN_UP_RULES);
const postOptions = resolverOf<typeof POST_RULES, PostOptions>('post', POST_RULES);
const commonOptions = resolverOf<typeof COMMON_RULES, { readonly limit?: number }>(
  'commonFollowers',
  COMMON_RULES,
);

function checkText(owner: string, value: unknown, max: number): void {
  if (typeof value === 'string' && value !== '' && value.length <= max) return;
  const given = typeof value === 'string' ? `${value.length} characters` : shown(value);
  throw new KitError('OPTION', `${owner}: the text must be a string of 1 to ${max} characters, not ${given}`);
}

/** The JSON of a value; empty if there is none. */
function encode(owner: string, value: unknown): string {
  if (value === undefined) return '';
  return jsonOf(value, `${owner}: \`data\` must be a JSON value, not ${shown(value)}`);
}
