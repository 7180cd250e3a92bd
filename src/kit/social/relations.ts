import { KitError } from '../foundation/index.js';
import type { TaskQueue } from '../queue/index.js';
import { type Core, unknownList, unknownUser, untilSettled } from './core.js';
import { type Feed, homeOf, listFeedOf, listOf } from './names.js';
import type { Newest, Relation } from './scripts.js';
import { BLOCK_TASK, type Guard, REFILL_TASK, RELATE_TASK, type Unfinished } from './unfinished.js';

/** What `follow` did: `blocked` means that one of the two has blocked the other. */
export type FollowOutcome = 'followed' | 'already' | 'blocked';

/** Which feeds follow which users. The feed decides, and the user's set of followers is brought in line with it. */
export class Relations {
  readonly #core: Core;
  readonly #queue: TaskQueue;
  readonly #unfinished: Unfinished;

  constructor(core: Core, queue: TaskQueue, unfinished: Unfinished) {
    this.#core = core;
    this.#queue = queue;
    this.#unfinished = unfinished;
  }

  async follow(feed: Feed, author: string): Promise<FollowOutcome> {
    if (feed.list === '' && feed.owner === author) {
      throw new KitError('OPTION', `socialNetwork: '${author}' cannot follow themselves`);
    }
    if (await this.#isBlockedBy(author, feed.owner)) return 'blocked';
    let outcome: FollowOutcome = 'blocked';
    await this.#unfinished.run({
      task: RELATE_TASK,
      data: { feed: feed.id, author },
      change: async () => {
        const relation = await this.#relate(feed, author, 'follow');
        if (relation === undefined) return undefined;
        outcome = relation.hasChanged ? 'followed' : 'already';
        return relation.hasChanged ? relation : undefined;
      },
      carryOut: async (relation, guard) => {
        if ((await this.settle(feed, author, guard, relation)) === 'blocked') outcome = 'blocked';
        return undefined;
      },
    });
    return outcome;
  }

  /** False if the feed did not follow the user. */
  async unfollow(feed: Feed, author: string): Promise<boolean> {
    const ended = await this.#unfinished.run({
      task: RELATE_TASK,
      data: { feed: feed.id, author },
      change: async () => {
        const relation = (await this.#relate(feed, author, 'unfollow')) as Relation;
        return relation.hasChanged ? relation : undefined;
      },
      carryOut: async (relation, guard) => {
        await this.settle(feed, author, guard, relation);
        return undefined;
      },
    });
    return ended !== undefined;
  }

  /**
   * Ends that a feed follows these users, for a task that is repeated until it is done. A feed forgets a user before the user forgets the
   * feed: if the process dies in between, only the tasks that are added first still know of both.
   */
  async leave(feed: Feed, authors: readonly string[], guard: Guard): Promise<void> {
    if (authors.length === 0) return;
    const { lease } = this.#core.options;
    await this.#queue.addAll(
      RELATE_TASK,
      authors.map((author) => [{ feed: feed.id, author }, { delay: lease }]),
    );
    await Promise.all(
      authors.map(async (author) => {
        await this.#relate(feed, author, 'unfollow');
        await this.settle(feed, author, guard);
      }),
    );
  }

  /** False if the user was blocked before. */
  async block(user: string, other: string): Promise<boolean> {
    if (user === other) throw new KitError('OPTION', `socialNetwork: '${user}' cannot block themselves`);
    const { keysOf, scripts, store } = this.#core;
    if ((await store.exists(keysOf(other).user)) === 0) throw unknownUser(other);
    let isNew = false;
    await this.#unfinished.run({
      task: BLOCK_TASK,
      data: { user, other },
      change: async () => {
        const { blocked, followers, lists, members, statuses, ...keys } = keysOf(user);
        const own = { user: keys.user, blocked, followers, lists, members, statuses };
        const added = await scripts.block({ ...own, ...this.#core.feedKeys(homeOf(user)), other });
        if (added === -1) throw unknownUser(user);
        isNew = added === 1;
        return added;
      },
      carryOut: async (_, guard) => {
        await this.settleBlock(user, other, guard);
        return undefined;
      },
    });
    return isNew;
  }

  /** Brings every feed of each in line with the other. */
  async settleBlock(user: string, other: string, guard: Guard): Promise<void> {
    const between = async (owner: string, author: string): Promise<void> => {
      const { store, keysOf } = this.#core;
      const lists = new Set(await store.hkeys(keysOf(owner).lists));
      // Also of lists that are deleted meanwhile: the block may have removed their member, but not what the member knows of it.
      for await (const [feed] of store.zscan(keysOf(author).listed, { match: `${owner}/list-*` })) {
        lists.add(listFeedOf(feed).list);
      }
      const feeds = [homeOf(owner), ...[...lists].map((list) => listOf(owner, list))];
      await Promise.all(feeds.map((feed) => this.settle(feed, author, guard)));
    };
    await between(other, user);
    await between(user, other);
  }

  /**
   * Makes the user's set of followers, and the feed's timeline, agree with the relation as the feed has it. It ends when the relation
   * was the same after the last step: so the last one of several processes at it leaves what is right.
   */
  async settle(
    feed: Feed,
    author: string,
    guard: Guard,
    known?: Relation,
  ): Promise<'following' | 'none' | 'blocked'> {
    let next = known;
    let isBlocked = false;
    return untilSettled(this.#core.maxAge, async () => {
      const relation = next ?? (await this.#look(feed, author));
      next = undefined;
      if (relation.isShort) await this.refill(feed);
      guard();
      const reply = await this.#attach(feed, author, relation);
      if (reply === TOO_OLD) return undefined;
      if (reply === UNKNOWN || reply === BLOCKED) {
        isBlocked ||= reply === BLOCKED;
        if (relation.state === '') return 'none';
        guard();
        next = (await this.#relate(feed, author, 'drop', relation.state)) as Relation;
        return undefined;
      }
      if (typeof reply === 'number') {
        const after = await this.#look(feed, author);
        if (after.state === '') return isBlocked ? 'blocked' : 'none';
        next = after;
        return undefined;
      }
      guard();
      return (await this.#offer(feed, author, relation.state, reply)) ? 'following' : undefined;
    });
  }

  /** Requests that the timeline is filled. */
  async refill(feed: Feed): Promise<void> {
    await this.#queue.add(REFILL_TASK, { feed: feed.id, after: null }, { key: `refill ${feed.id}` });
  }

  /** Whether the timeline should be refilled. */
  async isShort(feed: Feed): Promise<boolean> {
    return (await this.#look(feed, '')).isShort;
  }

  async #isBlockedBy(author: string, owner: string): Promise<boolean> {
    const { user, blocked } = this.#core.keysOf(author);
    const [exists, score] = await this.#core.store.pipeline((batch) => [
      batch.exists(user),
      batch.zscore(blocked, owner),
    ]);
    if (exists === 0) throw unknownUser(author);
    return score !== null;
  }

  async #look(feed: Feed, author: string): Promise<Relation> {
    return (await this.#relate(feed, author, 'look')) as Relation;
  }

  /** Undefined if the owner of the feed has blocked the user. */
  async #relate(
    feed: Feed,
    author: string,
    verb: 'follow' | 'unfollow' | 'look' | 'drop',
    state = '',
  ): Promise<Relation | undefined> {
    const { keysOf, feedKeys, scripts, options } = this.#core;
    const { user, blocked, lists } = keysOf(feed.owner);
    const { timelineSize: size, maxFollowing: max } = options;
    const keys = { user, blocked, lists, ...feedKeys(feed) };
    const reply = await scripts.relate({ ...keys, author, verb, list: feed.list, state, size, max });
    switch (reply) {
      case -1:
        throw unknownUser(feed.owner);
      case -2:
        throw unknownList(feed.id);
      case -3:
        return undefined;
      case -4:
        throw new KitError(
          'FULL',
          `'${feed.id}' follows ${max} users and cannot follow more: raise \`maxFollowing\``,
        );
      default:
        return reply as Relation;
    }
  }

  #attach(feed: Feed, author: string, { state, at }: Relation): Promise<Newest | number> {
    const { keysOf, scripts, options, maxAge } = this.#core;
    const { user, followers, listed, blocked, posts } = keysOf(author);
    const subscribers = feed.list === '' ? followers : listed;
    const keys = { user, subscribers, blocked, posts };
    return scripts.attach({
      ...keys,
      feed: feed.id,
      owner: feed.owner,
      state,
      at,
      maxAge,
      count: options.timelineSize,
    });
  }

  /** False if the relation or the statuses have changed meanwhile. */
  async #offer(feed: Feed, author: string, state: string, newest: Newest): Promise<boolean> {
    const { keysOf, feedKeys, scripts, store, options, maxAge } = this.#core;
    const { timelineSize: size } = options;
    const { at, last, numbers: found, deletions } = newest;
    const numbers = found.slice(0, size);
    const more = found[size] ?? '';
    const offered = await scripts.offer({
      ...feedKeys(feed),
      author,
      state,
      at,
      maxAge,
      last,
      more,
      size,
      numbers,
    });
    if (offered !== 1) return false;
    return (
      numbers.length === 0 || deletions === ((await store.hget(keysOf(author).user, 'deletions')) ?? '0')
    );
  }
}

/** As in attach.lua. */
const TOO_OLD = -1;
const UNKNOWN = -2;
const BLOCKED = -3;
