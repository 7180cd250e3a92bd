import type { CommandQueue, DefaultShape, Queued, Store } from '../../../store/index.js';
import { EvictionGuard } from '../eviction.js';
import { groupBy, portions } from '../grouping.js';
import type { Resolved } from '../options.js';
import { layoutFor, type shardedRules } from './shard-options.js';
import { Shards } from './shards.js';

/** The members of a structure that is divided into short shards: the fields of its hashes or the members of its sets. */
export class ShardedMembers {
  readonly shards: Shards;
  /** For the scripts that write. */
  readonly guard: EvictionGuard;
  /** After how many ms without a write a shard expires; 0: never. */
  readonly expiry: number;
  readonly #store: Store;

  constructor(store: Store, owner: string, name: string, options: Resolved<ReturnType<typeof shardedRules>>) {
    const { prefix, expiry = 0, requireNoEviction, onWarning } = options;
    this.#store = store;
    this.expiry = expiry;
    this.shards = new Shards(store, { owner, prefix, name, layout: layoutFor(options), expiry });
    this.guard = new EvictionGuard(store, owner, { requireNoEviction, onWarning });
  }

  /** The key of the shard where to read a member; undefined if nothing was ever written. */
  async keyOf(id: string): Promise<string | undefined> {
    const layout = await this.shards.known();
    return layout === undefined ? undefined : this.shards.key(this.shards.numberOf(layout, id));
  }

  /** The same without a promise, which takes longer than the rest; undefined also if the layout has to be read first. */
  rememberedKeyOf(id: string): string | undefined {
    const layout = this.shards.remembered;
    return layout === undefined ? undefined : this.shards.key(this.shards.numberOf(layout, id));
  }

  /** The key of the shard where to write a member. */
  async keyToWrite(id: string): Promise<string> {
    const layout = await this.shards.opened();
    const number = this.shards.numberOf(layout, id);
    await this.shards.index(layout, [number]);
    return this.shards.key(number);
  }

  /** Calls `write` with the items of each shard, and adds up what it returns. */
  async write<T>(
    items: readonly T[],
    idOf: (item: T) => string,
    write: (shard: string, items: T[]) => Promise<number>,
  ): Promise<number> {
    const layout = await this.shards.opened();
    const groups = groupBy(items, (item) => this.shards.numberOf(layout, idOf(item)));
    await this.shards.index(layout, [...groups.keys()]);
    let sum = 0;
    for (const portion of portions([...groups])) {
      const counts = portion.map(([number, group]) => write(this.shards.key(number), group));
      for (const count of await Promise.all(counts)) sum += count;
    }
    return sum;
  }

  /** Asks each shard about its members. The results are in the order of the ids; `absent` for each if nothing was ever written. */
  async read<T>(
    ids: readonly string[],
    absent: T,
    ask: (queue: CommandQueue<DefaultShape>, shard: string, ids: string[]) => Queued<readonly T[]>,
  ): Promise<T[]> {
    const results = new Array<T>(ids.length).fill(absent);
    const layout = await this.shards.known();
    if (layout === undefined) return results;
    const groups = groupBy([...ids.keys()], (i) => this.shards.numberOf(layout, ids[i] as string));
    for (const portion of portions([...groups])) {
      const replies = await this.#store.pipeline((queue) =>
        portion.map(([number, indexes]) =>
          ask(
            queue,
            this.shards.key(number),
            indexes.map((i) => ids[i] as string),
          ),
        ),
      );
      replies.forEach((reply, p) => {
        (portion[p] as (typeof portion)[number])[1].forEach((index, i) => {
          results[index] = reply[i] as T;
        });
      });
    }
    return results;
  }

  /** What `ask` returns for each shard that may exist, in the order of their numbers. */
  async *scan<T>(
    ask: (queue: CommandQueue<DefaultShape>, shard: string) => Queued<T>,
  ): AsyncGenerator<T, void, undefined> {
    for await (const keys of this.shards.all()) {
      for (const portion of portions(keys)) {
        yield* await this.#store.pipeline((queue) => portion.map((key) => ask(queue, key)));
      }
    }
  }
}
