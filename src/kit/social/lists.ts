import { KitError } from '../foundation/index.js';
import { type Core, unknownUser } from './core.js';
import { type Feed, listOf } from './names.js';
import type { Relations } from './relations.js';
import { DROP_LIST_TASK, type Guard, type Unfinished } from './unfinished.js';

export interface UserList {
  /** `ann/list-1700000000000000`: it belongs to `ann`. */
  readonly id: string;
  readonly name: string;
}

/** Members of a deleted list that are removed at once. */
const MEMBERS_AT_ONCE = 100;

/** Lists of users, each with its own timeline. */
export class Lists {
  readonly #core: Core;
  readonly #relations: Relations;
  readonly #unfinished: Unfinished;

  constructor(core: Core, relations: Relations, unfinished: Unfinished) {
    this.#core = core;
    this.#relations = relations;
    this.#unfinished = unfinished;
  }

  async create(owner: string, name: string): Promise<string> {
    const { user, lists } = this.#core.keysOf(owner);
    const { maxLists: max } = this.#core.options;
    const reply = await this.#core.scripts.createList({ user, lists, name, max });
    if (reply === -1) throw unknownUser(owner);
    if (reply === -2) {
      throw new KitError('FULL', `'${owner}' has ${max} lists and cannot have more: raise \`maxLists\``);
    }
    return listOf(owner, String(reply)).id;
  }

  async all(owner: string): Promise<UserList[]> {
    const found = Object.entries(await this.#core.store.hgetall(this.#core.keysOf(owner).lists));
    return found
      .map(([list, name]) => ({ id: listOf(owner, list).id, name: String(name) }))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** False if there is no such list. */
  async delete(feed: Feed): Promise<boolean> {
    const { lists } = this.#core.keysOf(feed.owner);
    const deleted = await this.#unfinished.run({
      task: DROP_LIST_TASK,
      data: { list: feed.id },
      change: async () => ((await this.#core.store.hdel(lists, feed.list)) === 1 ? true : undefined),
      carryOut: async (_, guard) => ((await this.drop(feed, guard, 1)) ? undefined : { list: feed.id }),
    });
    return deleted === true;
  }

  /** Removes the members of a deleted list. False if there are more than fit into `maxSteps` steps. */
  async drop(feed: Feed, guard: Guard, maxSteps = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { store, keysOf, feedKeys } = this.#core;
    const { sources, timeline, floor } = feedKeys(feed);
    if (await store.hexists(keysOf(feed.owner).lists, feed.list)) return true;
    for (let step = 0; step < maxSteps; step++) {
      const members = (await store.zrange(sources, 0, MEMBERS_AT_ONCE - 1)) as string[];
      await this.#relations.leave(feed, members, guard);
      if (members.length < MEMBERS_AT_ONCE) {
        await store.del(timeline, floor);
        return true;
      }
    }
    return false;
  }
}
