import type { Argument, Store } from '../../../store/index.js';
import { checkName } from '../keys.js';
import { KitError } from '../kit-error.js';
import { readLua } from '../lua.js';
import { shown } from '../options.js';
import { hash32 } from './exact-id.js';

/**
 * How a structure is divided. `hashed`: over a fixed number of shards, by a hash of the id. `sequential`: ids are counted up from 0,
 * and each shard has the next `number` of them.
 */
export interface ShardLayout {
  readonly kind: 'hashed' | 'sequential';
  readonly number: number;
}

export interface ShardsOptions {
  /** The function that the user called, for error texts. */
  readonly owner: string;
  readonly prefix: string;
  readonly name: string;
  /** The layout if the structure does not exist yet. */
  readonly layout: ShardLayout;
  /** After how many ms without a write a shard expires; 0: never. */
  readonly expiry: number;
}

const OPEN = {
  keys: ['layout', 'index'],
  args: ['kind', 'number', 'expiry'],
  repeatable: true,
  lua: readLua(import.meta.url, 'open-layout.lua'),
  reply: (reply: unknown) => layoutOf(reply),
} as const;

const INDEX = {
  keys: ['index'],
  args: ['expiry', '...numbers'],
  repeatable: true,
  lua: readLua(import.meta.url, 'index-shards.lua'),
} as const;

/** Keys of one request. */
const KEYS_AT_ONCE = 500;

/**
 * The shards of one structure. Each shard is a key in a slot of its own; the layout is kept in the store, because clients that divide
 * differently would not find each other's data.
 */
export class Shards {
  readonly layoutKey: string;
  /** Set of the numbers of shards that may exist; only if ids are sequential. */
  readonly indexKey: string;
  readonly #store: Store;
  readonly #options: ShardsOptions;
  readonly #open;
  readonly #note;
  /** The time to live of layout and index. They outlive every shard: see `#mayBeGone`. */
  readonly #expiry: number;
  #layout: ShardLayout | undefined;
  /** When the layout was read or renewed, by `time.monotonic()`. */
  #seenAt = 0;
  /** Shards that this process knows to be in the index. */
  readonly #indexed = new Set<number>();

  constructor(store: Store, options: ShardsOptions) {
    const { owner, prefix, name } = options;
    checkName(owner, name);
    if (/[{}]/.test(prefix)) {
      throw new KitError('OPTION', `${owner}: \`prefix\` must not contain braces, not '${prefix}'`);
    }
    this.layoutKey = `${prefix}:{${name}}:layout`;
    this.indexKey = `${prefix}:{${name}}:shards`;
    this.#store = store;
    this.#options = options;
    this.#open = store.script(OPEN);
    this.#note = store.script(INDEX);
    this.#expiry = 2 * options.expiry;
  }

  /** The key of a shard by its number. */
  key(number: number): string {
    const { prefix, name } = this.#options;
    return `${prefix}:{${name}-${number}}:shard`;
  }

  /** The layout, if this process has it: then nothing has to be awaited. */
  get remembered(): ShardLayout | undefined {
    return this.#layout === undefined || this.#mayBeGone() ? undefined : this.#layout;
  }

  /** The layout; undefined if nothing was ever written. */
  async known(): Promise<ShardLayout | undefined> {
    if (this.#layout === undefined || this.#mayBeGone()) {
      const seenAt = this.#store.time.monotonic();
      const reply = await this.#store.send('HMGET', this.layoutKey, 'kind', 'number');
      this.#layout = (reply as unknown[])[0] === null ? undefined : layoutOf(reply);
      this.#seenAt = seenAt;
    }
    return this.#layout;
  }

  /** The layout, written if there is none. */
  async opened(): Promise<ShardLayout> {
    if (this.#layout !== undefined && !this.#mayBeGone()) return this.#layout;
    const { layout } = this.#options;
    const seenAt = this.#store.time.monotonic();
    this.#layout = await this.#open({
      layout: this.layoutKey,
      index: this.indexKey,
      ...layout,
      expiry: this.#expiry,
    });
    this.#seenAt = seenAt;
    this.#indexed.clear();
    return this.#layout;
  }

  /** A client renews the layout after a quarter of its time to live. So it stays longer than any shard that the client writes. */
  #mayBeGone(): boolean {
    return this.#expiry > 0 && this.#store.time.monotonic() - this.#seenAt > this.#expiry / 4;
  }

  /** The number of the shard that an id belongs to. */
  numberOf(layout: ShardLayout, id: string): number {
    if (layout.kind === 'hashed') return hash32(id) % layout.number;
    const { owner } = this.#options;
    if (!SEQUENTIAL.test(id) || Number(id) > Number.MAX_SAFE_INTEGER) {
      throw new KitError(
        'OPTION',
        `${owner}: with the layout 'sequential', ids are whole numbers from 0 to 2^53 - 1, not ${shown(id)}: ` +
          "use the layout 'hashed' for others",
      );
    }
    return Math.floor(Number(id) / layout.number);
  }

  /** Must be awaited before a shard is written: after a crash in between, the index has a shard that does not exist, never the reverse. */
  async index(layout: ShardLayout, numbers: readonly number[]): Promise<void> {
    if (layout.kind === 'hashed') return;
    const fresh = numbers.filter((number) => !this.#indexed.has(number));
    for (let first = 0; first < fresh.length; first += KEYS_AT_ONCE) {
      const numbers = fresh.slice(first, first + KEYS_AT_ONCE);
      await this.#note({ index: this.indexKey, expiry: this.#expiry, numbers });
    }
    if (this.#indexed.size > MAX_INDEXED) this.#indexed.clear();
    for (const number of fresh) this.#indexed.add(number);
  }

  /** The numbers of all shards that may exist, ascending, in portions. */
  async *numbers(): AsyncGenerator<number[], void, undefined> {
    const layout = await this.known();
    if (layout === undefined) return;
    const numbers = layout.kind === 'hashed' ? counting(layout.number) : await this.#inIndex();
    let portion: number[] = [];
    for (const number of numbers) {
      portion.push(number);
      if (portion.length === KEYS_AT_ONCE) {
        yield portion;
        portion = [];
      }
    }
    if (portion.length > 0) yield portion;
  }

  /** Their keys. */
  async *all(): AsyncGenerator<string[], void, undefined> {
    for await (const numbers of this.numbers()) yield numbers.map((number) => this.key(number));
  }

  /** In ascending order. */
  async #inIndex(): Promise<number[]> {
    return (await this.#store.smembers(this.indexKey)).map(Number).sort((a, b) => a - b);
  }

  /** Calls a command with each shard, and adds up the replies. */
  async sum(command: string, ...args: readonly Argument[]): Promise<number> {
    let sum = 0;
    for await (const keys of this.all()) {
      const replies = await this.#store.pipeline((queue) =>
        keys.map((key) => queue.send<number>(command, key, ...args)),
      );
      for (const reply of replies) sum += reply;
    }
    return sum;
  }

  /** Calls a command with each shard, then with the index and the layout, and forgets what it knows about them. */
  async forAll(command: string, ...args: readonly Argument[]): Promise<void> {
    await this.sum(command, ...args);
    this.#layout = undefined;
    this.#indexed.clear();
    await this.#store.pipeline((queue) => [
      queue.send(command, this.indexKey, ...args),
      queue.send(command, this.layoutKey, ...args),
    ]);
  }
}

const SEQUENTIAL = /^(?:0|[1-9]\d{0,15})$/;
/** Numbers of shards that a process remembers. */
const MAX_INDEXED = 100_000;

function* counting(end: number): Generator<number, void, undefined> {
  for (let number = 0; number < end; number++) yield number;
}

function layoutOf(reply: unknown): ShardLayout {
  const [kind, number] = reply as [ShardLayout['kind'], string];
  return { kind, number: Number(number) };
}
