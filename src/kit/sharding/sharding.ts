import { type OpenOptions, open, type Store } from '../../store/index.js';
import { commandNamed } from '../../store/wire-command.js';
import { type Component, type ConnectionSettings, configuration } from '../configuration/index.js';
import {
  abortSignal,
  callback,
  checkName,
  checkStore,
  checkWork,
  EVICTION_RULES,
  type EvictionOptions,
  integer,
  KitError,
  milliseconds,
  optional,
  resolveOptions,
  shown,
  text,
} from '../foundation/index.js';
import { locks } from '../locks/index.js';
import { type Gathered, gather } from './gather.js';
import { MapLease } from './map-lease.js';
import { type MergedPage, type MergeSource, mergedPage } from './merge.js';
import { RESHARD_RULES, Resharding, type ReshardOptions, type ReshardReport } from './resharding.js';
import { Router } from './router.js';
import { evenMap, planMoves, type ShardMap, type SlotRange } from './shard-map.js';
import { hasSingleKey, type ShardedStore, shardedCommands } from './sharded-commands.js';
import { newestFirst, type TimelineEntry, timelineSource } from './timelines.js';

export interface ShardingOptions extends EvictionOptions {
  /** Prefix of the settings, as of `configuration`, and of the keys of a move. Default `config`. */
  readonly prefix?: string;
  /** Opens the store of a shard. Default: `open`. */
  readonly open?: (address: string, options: OpenOptions) => Promise<Store>;
}

export interface CreateOptions {
  /** How many slots the keys are divided into: the max number of shards. It cannot be changed. Default 1,024. */
  readonly slots?: number;
  /**
   * How long a process may use its copy of the shard map, in ms: the max time of a call, and half of the time that a move takes at least.
   * Default 4,000.
   */
  readonly lease?: number;
}

export interface CallLimits {
  /** How long to wait for shards, in ms. Default 1,000. */
  readonly timeout?: number;
  /** Ends the call with `ABORTED`. */
  readonly signal?: AbortSignal;
}

export interface PageOptions extends CallLimits {
  /** Max number of items. Default 20. */
  readonly limit?: number;
  /** The `next` of the page before. */
  readonly cursor?: string | undefined;
}

export interface ShardingStatus {
  readonly slots: number;
  /** The number of slots of each shard. */
  readonly shards: Readonly<Record<string, number>>;
  /** The number of slots that are being moved. */
  readonly moving: number;
}

/** Data that is divided over several stores. Made by `sharding`. */
export interface Sharding extends AsyncDisposable {
  readonly name: string;
  /** All commands with one key, typed as those of a store. Each goes to the shard of its key. */
  readonly store: ShardedStore;
  /**
   * Creates the shards, once. Their addresses are written to the configuration as the settings `name:0`, `name:1` …, where they can be changed. Rejects with `EXISTS` if there are some.
   *
   * @example
   * await sharding(store, 'users').create(['redis://10.0.0.1', 'redis://10.0.0.2']);
   */
  create(addresses: readonly ConnectionSettings[], options?: CreateOptions): Promise<void>;
  /** The name of the shard that has a key. Keys with the same text in braces are on the same one. */
  shardOf(key: string | Uint8Array): Promise<string>;
  /**
   * Calls `work` with the store of a key's shard, for scripts, transactions and components of the kit whose keys have the same text in braces. Its
   * calls end with `ABORTED` when the lease of the shard map ends. While the slot is being moved, it waits; after the lease it rejects with `MOVING`.
   */
  use<T>(key: string | Uint8Array, work: (store: Store) => T | Promise<T>): Promise<T>;
  /** Calls `work` with all shards at the same time. Returns when all have answered, or after `timeout` with those that have. */
  gather<T>(work: (store: Store, shard: string) => Promise<T>, options?: CallLimits): Promise<Gathered<T>>;
  /** Merges sources that are in order, page by page. Each item comes once, also if a source was missing for a while. */
  merge<Item>(
    sources: readonly MergeSource<Item>[],
    compare: (a: Item, b: Item) => number,
    options?: PageOptions,
  ): Promise<MergedPage<Item>>;
  /** The entries of several sorted sets, wherever they are, as one timeline: the highest score first. */
  timeline(keys: readonly string[], options?: PageOptions): Promise<MergedPage<TimelineEntry>>;
  /** The slots that would have to move so that all shards, and those that are added, have about the same number. */
  plan(change?: ShardChange): Promise<readonly SlotRange[]>;
  /**
   * Adds and removes shards and moves keys, while other processes go on reading and writing: no write is lost, and no call waits but those of
   * `use`. If it fails or its process dies, call `reshard()` again: it goes on.
   */
  reshard(change?: ShardChange, options?: ReshardOptions): Promise<ReshardReport>;
  status(): Promise<ShardingStatus>;
  /** Closes the connections to the shards. The store stays open. */
  close(): Promise<void>;
}

export interface ShardChange {
  /** Addresses of new shards. */
  readonly add?: readonly ConnectionSettings[];
  /** Names of shards that shall have no slots any more. */
  readonly remove?: readonly string[];
}

const OWNER = 'sharding';

/**
 * Divides keys over several stores. The shared configuration in `store` says which shard has which keys.
 *
 * @example
 * import { open } from 'sorrel';
 * import { sharding } from 'sorrel/kit/sharding';
 *
 * await using store = await open();
 * await using users = sharding(store, 'users');
 * await users.create(['memory:', 'memory:']);
 * await users.store.hset('user:7', { name: 'ann' }); // 1
 * await users.store.hget('user:7', 'name'); // 'ann'
 */
export function sharding(store: Store, name: string, options: ShardingOptions = {}): Sharding {
  checkStore(OWNER, store);
  checkName(OWNER, name);
  const { prefix, open: openShard, ...eviction } = resolveOptions(OWNER, options, RULES);
  const { onWarning, requireNoEviction } = eviction;
  const settings = configuration(store, {
    prefix,
    requireNoEviction,
    ...(onWarning === undefined ? {} : { onWarning }),
  });
  const { time } = store;
  const components = new Map<string, Component<Store>>();
  const lease = new MapLease(name, time, () => settings.fetch<ShardMap>(name));
  const connect = <T>(shard: string, work: (own: Store) => T | Promise<T>): Promise<T> => {
    let component = components.get(shard);
    if (component === undefined) {
      component = settings.component(shard, checkedShard, { open: openShard });
      components.set(shard, component);
    }
    return component.use(work);
  };
  const router = new Router({ name, prefix, time, lease, connect });
  const sharded = shardedCommands(
    (command, args, transform) => router.run(command, args, transform),
    async (command, key, ...args) => {
      const words = String(command).trim().toUpperCase();
      if (!hasSingleKey(words)) {
        throw new KitError(
          'OPTION',
          `send: ${shown(command)} is not a command with one key: call \`use\` with the key`,
        );
      }
      return router.run(commandNamed(words), [key, ...args], undefined);
    },
  );

  async function merge<Item>(
    sources: readonly MergeSource<Item>[],
    compare: (a: Item, b: Item) => number,
    given: PageOptions = {},
  ): Promise<MergedPage<Item>> {
    const resolved = resolveOptions('merge', given, PAGE_RULES);
    if (!Array.isArray(sources))
      throw new KitError('OPTION', `merge: pass a list of sources, not ${shown(sources)}`);
    return mergedPage(sources, { ...resolved, time, compare });
  }

  async function writeShards(first: number, addresses: readonly ConnectionSettings[]): Promise<string[]> {
    const names = addresses.map((_, i) => `${name}:${first + i}`);
    for (const [i, shard] of names.entries()) await settings.set(shard, addresses[i]);
    return names;
  }

  async function planned(
    change: ShardChange,
  ): Promise<{ shards: string[]; targets: SlotRange[]; added: number }> {
    const { add, remove } = resolveOptions('reshard', change, CHANGE_RULES);
    const { map } = (await lease.fresh()).table;
    const unknown = remove.find((shard) => !map.shards.includes(shard));
    if (unknown !== undefined) {
      throw new KitError(
        'OPTION',
        `reshard: there is no shard '${unknown}': there are ${map.shards.join(', ')}`,
      );
    }
    const added = Array.from({ length: add.length }, (_, i) => `new ${i}`);
    const shards = [...map.shards.filter((shard) => !remove.includes(shard)), ...added];
    if (shards.length === 0) throw new KitError('OPTION', 'reshard: at least one shard must stay');
    if (shards.length > map.slots) {
      throw new KitError('OPTION', `reshard: there are only ${map.slots} slots for ${shards.length} shards`);
    }
    return { shards, targets: planMoves(map, shards), added: add.length };
  }

  const close = (): Promise<void> => settings.close();

  return {
    name,
    store: sharded,
    create: async (addresses, given = {}) => {
      const { slots, lease: length } = resolveOptions('create', given, CREATE_RULES);
      checkAddresses('create', addresses);
      if (addresses.length === 0 || addresses.length > slots) {
        throw new KitError('OPTION', `create: pass from 1 to ${slots} addresses, not ${addresses.length}`);
      }
      if ((await settings.fetch(name)) !== undefined) throw exists(name);
      const shards = await writeShards(0, addresses);
      await settings.update<ShardMap>(name, (old) => {
        if (old !== undefined) throw exists(name);
        return evenMap(shards, slots, length);
      });
      lease.forget();
    },
    shardOf: async (key) => {
      const checked = checkedKey(key);
      const { table } = await lease.current();
      return table.owner(table.slotOf(checked));
    },
    use: async (key, work) => {
      checkWork(work);
      return router.use(checkedKey(key), work);
    },
    gather: async (work, given = {}) => {
      checkWork(work);
      const limits = resolveOptions('gather', given, LIMIT_RULES);
      const { table } = await lease.current();
      const ask = (shard: string, signal: AbortSignal) =>
        connect(shard, (own) => work(own.with({ signal }), shard));
      return gather(table.map.shards, ask, { ...limits, time });
    },
    merge,
    timeline: async (keys, given = {}) => {
      if (!Array.isArray(keys) || keys.some((key) => typeof key !== 'string')) {
        throw new KitError('OPTION', `timeline: pass a list of keys, not ${shown(keys)}`);
      }
      return merge(
        [...new Set(keys as readonly string[])].map((key) => timelineSource(sharded, key)),
        newestFirst,
        given,
      );
    },
    plan: async (change = {}) => (await planned(change)).targets,
    reshard: async (change = {}, given = {}) => {
      resolveOptions('reshard', change, CHANGE_RULES);
      resolveOptions('reshard', given, RESHARD_RULES);
      await using lock = await locks(store, { prefix: `${prefix}-reshard` }).tryAcquire(name);
      if (lock === undefined) {
        throw new KitError(
          'CONFLICT',
          `reshard: another process moves slots of '${name}': wait until it is done`,
        );
      }
      const parts = { name, prefix, time, settings, lease, connect };
      const resharding = new Resharding(parts, given, lock.signal);
      await resharding.finish();
      const { shards, targets, added } = await planned(change);
      if (targets.length === 0) return resharding.report;
      const { map } = (await lease.fresh()).table;
      const names = await writeShards(map.next, change.add ?? []);
      const nameOf = (shard: string): string =>
        names[shards.slice(shards.length - added).indexOf(shard)] ?? shard;
      await resharding.begin(
        names,
        targets.map((range) => ({ ...range, shard: nameOf(range.shard) })),
      );
      await resharding.finish();
      return resharding.report;
    },
    status: async () => {
      const { map } = (await lease.fresh()).table;
      const count = (ranges: readonly SlotRange[]): number =>
        ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
      const shards: Record<string, number> = {};
      for (const shard of map.shards)
        shards[shard] = count(map.owners.filter((range) => range.shard === shard));
      return { slots: map.slots, shards, moving: count(map.move?.targets ?? []) };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Commands of a move use several keys of a shard, which a Cluster may have in different slots. */
function checkedShard(store: Store): Store {
  if (store.kind !== 'cluster') return store;
  throw new KitError('SETTING', 'sharding: a shard must not be a Cluster, which divides keys itself');
}

function checkedKey(key: unknown): string | Uint8Array {
  if (typeof key === 'string' || key instanceof Uint8Array) return key;
  throw new KitError('OPTION', `${OWNER}: a key must be a string or bytes, not ${shown(key)}`);
}

function isAddress(address: unknown): boolean {
  return (
    (typeof address === 'string' && address !== '') ||
    typeof (address as { readonly address?: unknown } | null)?.address === 'string'
  );
}

function checkAddresses(owner: string, addresses: unknown): void {
  if (Array.isArray(addresses) && addresses.every(isAddress)) return;
  throw new KitError(
    'OPTION',
    `${owner}: pass a list of addresses such as 'redis://…', not ${shown(addresses)}`,
  );
}

function exists(name: string): KitError {
  return new KitError('EXISTS', `create: '${name}' has shards already: change them with \`reshard\``);
}

const RULES = {
  prefix: text('config'),
  open: callback<NonNullable<ShardingOptions['open']>>((address, options) => open(address, options)),
  ...EVICTION_RULES,
};

const CREATE_RULES = {
  slots: integer(1_024, { min: 1, max: 65_536 }),
  lease: milliseconds(4_000, { min: 20, max: 600_000 }),
};

const LIMIT_RULES = {
  timeout: milliseconds(1_000, { min: 1 }),
  signal: optional(abortSignal()),
};

const PAGE_RULES = {
  limit: integer(20, { min: 1, max: 1_000 }),
  cursor: optional(text()),
  ...LIMIT_RULES,
};

const addressList = {
  complaint: (value: unknown) =>
    Array.isArray(value) && value.every(isAddress) ? undefined : 'must be a list of addresses',
  fallback: { value: [] as readonly ConnectionSettings[] },
};

const nameList = {
  complaint: (value: unknown) =>
    Array.isArray(value) && value.every((one) => typeof one === 'string')
      ? undefined
      : 'must be a list of names of shards',
  fallback: { value: [] as readonly string[] },
};

const CHANGE_RULES = { add: addressList, remove: nameList };
