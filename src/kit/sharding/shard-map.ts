import type { ConnectionSettings } from '../configuration/index.js';
import { hash32, KitError, shown } from '../foundation/index.js';

/** Slots from `first` to `last` that have the same shard. */
export interface SlotRange {
  readonly first: number;
  readonly last: number;
  readonly shard: string;
}

/** A move of slots to other shards that is under way. */
export interface ShardMove {
  readonly id: string;
  /** Where the slots go that leave their shard. */
  readonly targets: readonly SlotRange[];
}

/** Which shard has which slot: the setting that all processes share. */
export interface ShardMap {
  readonly slots: number;
  /** How long a process may use its copy of the map, in ms. */
  readonly lease: number;
  readonly shards: readonly string[];
  /** The number of the next shard. Names are not used again: a process might still know the address of the old one. */
  readonly next: number;
  readonly owners: readonly SlotRange[];
  readonly move?: ShardMove;
  /** A move that is complete but for its traces on the shards that had the slots before. */
  readonly moved?: { readonly id: string; readonly sources: readonly string[] };
}

/**
 * The slot of a key. Of a key with braces, only what is between the first pair counts, as in Redis Cluster: `{ann}:home` and `{ann}:profile`
 * are in one slot.
 */
export function slotOf(key: string | Uint8Array, slots: number): number {
  const text = typeof key === 'string' ? key : Buffer.from(key).toString('latin1');
  const open = text.indexOf('{');
  const close = open < 0 ? -1 : text.indexOf('}', open + 1);
  const tag = close > open + 1 ? text.slice(open + 1, close) : text;
  return hash32(typeof key === 'string' ? tag : Buffer.from(tag, 'latin1')) % slots;
}

/** A map as an array: the shard of each slot. */
export class SlotTable {
  readonly map: ShardMap;
  readonly #owners: readonly string[];
  /** Where a slot is being moved to. */
  readonly #targets: readonly (string | undefined)[];

  constructor(map: ShardMap) {
    this.map = map;
    this.#owners = spread(map.owners, map.slots) as string[];
    this.#targets = spread(map.move?.targets ?? [], map.slots);
  }

  slotOf(key: string | Uint8Array): number {
    return slotOf(key, this.map.slots);
  }

  owner(slot: number): string {
    return this.#owners[slot] as string;
  }

  target(slot: number): string | undefined {
    return this.#targets[slot];
  }
}

function spread(ranges: readonly SlotRange[], slots: number): (string | undefined)[] {
  const table = new Array<string | undefined>(slots).fill(undefined);
  for (const { first, last, shard } of ranges) table.fill(shard, first, last + 1);
  return table;
}

/** Joins neighbours with the same shard; slots without a shard are left out. */
export function rangesOf(table: readonly (string | undefined)[]): SlotRange[] {
  const ranges: { first: number; last: number; shard: string }[] = [];
  for (const [slot, shard] of table.entries()) {
    const last = ranges.at(-1);
    if (shard === undefined) continue;
    if (last?.shard === shard && last.last === slot - 1) last.last = slot;
    else ranges.push({ first: slot, last: slot, shard });
  }
  return ranges;
}

/** A new map with the slots divided evenly. */
export function evenMap(shards: readonly string[], slots: number, lease: number): ShardMap {
  const owners = Array.from(
    { length: slots },
    (_, slot) => shards[Math.floor((slot * shards.length) / slots)],
  );
  return { slots, lease, shards, next: shards.length, owners: rangesOf(owners) };
}

/** The slots that have to move so that all of `shards`, and only these, have about the same number. As few as possible move. */
export function planMoves(map: ShardMap, shards: readonly string[]): SlotRange[] {
  const { slots } = map;
  const table = new SlotTable(map);
  const owned = new Map<string, number[]>(shards.map((shard) => [shard, []]));
  const homeless: number[] = [];
  for (let slot = 0; slot < slots; slot++) (owned.get(table.owner(slot)) ?? homeless).push(slot);
  // Those that have most keep the larger shares, which moves less.
  const order = [...shards].sort((a, b) => (owned.get(b)?.length ?? 0) - (owned.get(a)?.length ?? 0));
  const shares = order.map((_, i) => Math.floor(slots / shards.length) + (i < slots % shards.length ? 1 : 0));
  for (const [i, shard] of order.entries())
    homeless.push(...(owned.get(shard) as number[]).splice(shares[i] as number));
  const moves = new Array<string | undefined>(slots).fill(undefined);
  homeless.sort((a, b) => a - b);
  for (const [i, shard] of order.entries()) {
    const missing = (shares[i] as number) - (owned.get(shard) as number[]).length;
    for (const slot of homeless.splice(0, missing)) moves[slot] = shard;
  }
  return rangesOf(moves);
}

/** The map after its move. */
export function mapAfter(map: ShardMap): ShardMap {
  const { move, moved: _, ...rest } = map;
  if (move === undefined) return map;
  const table = new SlotTable(map);
  const owners = Array.from({ length: map.slots }, (_, slot) => table.target(slot) ?? table.owner(slot));
  const used = new Set(owners);
  return {
    ...rest,
    shards: map.shards.filter((shard) => used.has(shard)),
    owners: rangesOf(owners),
    moved: { id: move.id, sources: sourcesOf(map) },
  };
}

/** The shards that slots are moved from. */
export function sourcesOf(map: ShardMap): string[] {
  const table = new SlotTable(map);
  const sources = new Set<string>();
  for (let slot = 0; slot < map.slots; slot++) {
    if (table.target(slot) !== undefined) sources.add(table.owner(slot));
  }
  return [...sources];
}

/**
 * Addresses of several shards on one server, to begin with: the first databases of one server, or servers on ports one after the other. Each
 * can move to a machine of its own later: copy it (`sorrel copy`) and change its address in the configuration.
 *
 * @example
 * presharded('redis://10.0.0.1:6379', { databases: 3 }); // ['redis://10.0.0.1:6379/0', 'redis://10.0.0.1:6379/1', 'redis://10.0.0.1:6379/2']
 * presharded('redis://10.0.0.1:6379', { ports: 2 }); // ['redis://10.0.0.1:6379', 'redis://10.0.0.1:6380']
 */
export function presharded(
  address: string,
  by: { readonly databases: number } | { readonly ports: number },
): string[] {
  const { databases, ports } = (by ?? {}) as { databases?: number; ports?: number };
  const count = databases ?? ports;
  if (
    (databases === undefined) === (ports === undefined) ||
    !Number.isInteger(count) ||
    (count as number) < 1
  ) {
    throw new KitError('OPTION', 'presharded: pass { databases: N } or { ports: N }, with N of at least 1');
  }
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^rediss?:$/.test(url.protocol)) {
    throw new KitError(
      'OPTION',
      `presharded: pass an address such as redis://host:6379, not ${shown(address)}`,
    );
  }
  return Array.from({ length: count as number }, (_, i) => {
    const next = new URL(url);
    if (databases === undefined) next.port = String(Number(url.port || 6379) + i);
    else next.pathname = `/${i}`;
    return next.href;
  });
}

export type { ConnectionSettings };
