import type { TaskQueue } from '../queue/index.js';
import type { Core } from './core.js';
import { type Feed, feedOf } from './names.js';
import type { Reading } from './reading.js';
import { type Guard, REFILL_TASK, RELATE_TASK, type Spread } from './unfinished.js';

/** Feeds that one script serves; the server does nothing else meanwhile. In a Cluster each is in another slot. */
const FEEDS_AT_ONCE = 100;

type Pass = Awaited<ReturnType<Core['scripts']['subscribers']>>;

/** Puts a status into the timelines of all feeds that follow its author, or removes it from them if it was deleted. */
export class Spreading {
  readonly #core: Core;
  readonly #queue: TaskQueue;
  readonly #reading: Reading;
  readonly #feedsAtOnce: number;

  constructor(core: Core, queue: TaskQueue, reading: Reading) {
    this.#core = core;
    this.#queue = queue;
    this.#reading = reading;
    this.#feedsAtOnce = core.store.kind === 'cluster' ? 1 : FEEDS_AT_ONCE;
  }

  /**
   * Walks over the followers and then over the lists, one pass at a time, and returns where it stopped after `max` feeds; undefined at
   * the end. Between two passes it calls `onPass`.
   *
   * Each pass is confirmed by the read after it: if the status was deleted in between, the pass is repeated. So the last step that any
   * process takes for a feed leaves what is right.
   */
  async spread(
    from: Spread,
    guard: Guard,
    { max = Number.POSITIVE_INFINITY, onPass = async (_: Spread): Promise<void> => {} } = {},
  ): Promise<Spread | undefined> {
    let spread = from;
    let pass = await this.#read(spread);
    let served = 0;
    while (pass.number !== '') {
      if (spread.on === 'followers' && spread.after === null) await this.#tell(spread.author, pass);
      guard();
      if (!(await this.#serve(spread.author, pass))) {
        pass = await this.#read(spread);
        continue;
      }
      const next = this.#after(spread, pass);
      if (next === undefined && pass.feeds.length === 0) break;
      const confirming = await this.#read(next ?? spread);
      if (confirming.isPresent !== pass.isPresent) {
        pass = await this.#read(spread);
        continue;
      }
      if (next === undefined) break;
      served += pass.feeds.length / 2;
      [spread, pass] = [next, confirming];
      if (pass.feeds.length === 0 && spread.on === 'listed') break;
      if (served >= max) return spread;
      await onPass(spread);
    }
    if (from.token !== '') {
      await this.#core.store.hdel(this.#core.keysOf(from.author).pending, from.token);
    }
    return undefined;
  }

  #read({ author, number, token, on, after }: Spread): Promise<Pass> {
    const { keysOf, scripts, options } = this.#core;
    const { status, pending, [on]: subscribers } = keysOf(author);
    const [score, member] = after ?? ['', ''];
    return scripts.subscribers({
      status,
      pending,
      subscribers,
      number,
      token,
      score,
      member,
      count: options.passSize,
    });
  }

  /** Where the next pass begins; undefined if there is none. */
  #after(spread: Spread, { number, feeds }: Pass): Spread | undefined {
    const isFull = feeds.length / 2 >= this.#core.options.passSize;
    if (!isFull)
      return spread.on === 'followers' ? { ...spread, number, on: 'listed', after: null } : undefined;
    return { ...spread, number, after: [feeds.at(-1) as string, feeds.at(-2) as string] };
  }

  /** False if what was read is too old. */
  async #serve(author: string, { at, number, isPresent, feeds: flat }: Pass): Promise<boolean> {
    const { scripts, options, maxAge, headOf } = this.#core;
    const feeds = flat.filter((_, index) => index % 2 === 0).map(feedOf);
    const message = { author, number, isPresent: isPresent ? 1 : 0, at, maxAge, size: options.timelineSize };
    const calls: Promise<number[]>[] = [];
    for (let from = 0; from < feeds.length; from += this.#feedsAtOnce) {
      const some = feeds.slice(from, from + this.#feedsAtOnce);
      const heads = some.map(({ owner }) => headOf(owner));
      // A pass goes over homes or over lists.
      const lists = some[0]?.list === '' ? [] : some.map(({ list }) => list);
      calls.push(scripts.deliver({ ...message, heads, lists }));
    }
    const replies = await Promise.all(calls);
    if (replies.some((reply) => reply.length === 0)) return false;
    const results = replies.flat();
    await this.#repair(
      author,
      feeds.filter((_, index) => results[index] === 0),
      feeds.filter((_, index) => results[index] === 2),
    );
    return true;
  }

  /** Feeds that do not follow the author are not subscribers for long; timelines that have become short are refilled. */
  async #repair(author: string, strangers: readonly Feed[], short: readonly Feed[]): Promise<void> {
    if (strangers.length > 0) {
      await this.#queue.addAll(
        RELATE_TASK,
        strangers.map(({ id }) => [{ feed: id, author }, { key: `relate ${id} ${author}` }]),
      );
    }
    if (short.length > 0) {
      await this.#queue.addAll(
        REFILL_TASK,
        short.map(({ id }) => [{ feed: id, after: null }, { key: `refill ${id}` }]),
      );
    }
  }

  async #tell(author: string, { number, isPresent }: Pass): Promise<void> {
    const { onEvent } = this.#core;
    if (onEvent === undefined) return;
    const id = `${author}/${number}`;
    const [status] = isPresent ? await this.#reading.statuses([id]) : [];
    await onEvent(status === undefined ? { kind: 'deleted', id, author } : { kind: 'posted', status });
  }
}
