import type { Store, StoreTime } from '../../store/index.js';
import type { Configuration } from '../configuration/index.js';
import {
  abortSignal,
  anySignal,
  callback,
  integer,
  newId,
  optional,
  resolveOptions,
  throwIfAborted,
} from '../foundation/index.js';
import type { MapLease } from './map-lease.js';
import { HAND_OVER, MoveKeys, OFFER, RUN_THERE } from './move-scripts.js';
import type { Connect } from './router.js';
import { mapAfter, type ShardMap, type SlotRange, SlotTable, sourcesOf } from './shard-map.js';

export interface ReshardProgress {
  readonly keys: number;
  readonly phase: 'announcing' | 'moving' | 'settling';
}

export interface ReshardOptions {
  /** Keys that are moved at the same time. Default 32. */
  readonly concurrency?: number;
  readonly onProgress?: (progress: ReshardProgress) => void;
  /** Ends the call with `ABORTED`. What has moved stays moved; `reshard()` goes on. */
  readonly signal?: AbortSignal;
}

export interface ReshardReport {
  /** Keys that were moved. */
  readonly keys: number;
  /** Copies that were made again because the key was written meanwhile. */
  readonly repeated: number;
}

interface Parts {
  readonly name: string;
  readonly prefix: string;
  readonly time: StoreTime;
  readonly settings: Configuration;
  readonly lease: MapLease;
  readonly connect: Connect;
}

/** How much longer than the lease to wait, in parts of it, because clocks do not run equally fast. */
const MARGIN = 0.05;

/** Moves slots to other shards. Every step can be done again, by this process or another one. */
export class Resharding {
  readonly #parts: Parts;
  readonly #options;
  readonly #keys: MoveKeys;
  #moved = 0;
  #repeated = 0;

  /** @param isOurs aborts when another process may move slots */
  constructor(parts: Parts, options: ReshardOptions, isOurs: AbortSignal) {
    this.#parts = parts;
    const resolved = resolveOptions('reshard', options, RESHARD_RULES);
    const signal = resolved.signal === undefined ? isOurs : anySignal(isOurs, resolved.signal);
    this.#options = { ...resolved, signal };
    this.#keys = new MoveKeys(parts.prefix, parts.name);
  }

  get report(): ReshardReport {
    return { keys: this.#moved, repeated: this.#repeated };
  }

  /** Announces a move. From here on it can be finished by any process. */
  async begin(added: readonly string[], targets: readonly SlotRange[]): Promise<void> {
    await this.#change((current) => {
      return {
        ...current,
        next: current.next + added.length,
        shards: [...current.shards, ...added],
        move: { id: newId(), targets },
      };
    });
  }

  /** Finishes the move that is under way, if there is one. */
  async finish(): Promise<void> {
    let { map } = (await this.#parts.lease.fresh()).table;
    if (map.move !== undefined) {
      await this.#settle(map, 'announcing');
      await this.#moveAll(map);
      const { id } = map.move;
      map = await this.#change((current) => (current.move?.id === id ? mapAfter(current) : current));
    }
    if (map.moved !== undefined) {
      await this.#settle(map, 'settling');
      await this.#clean(map);
    }
  }

  /** Waits until no process uses a map from before the last change. */
  async #settle({ lease }: ShardMap, phase: 'announcing' | 'settling'): Promise<void> {
    const { signal } = this.#options;
    throwIfAborted(signal);
    this.#progress(phase);
    await this.#parts.time.sleep(Math.ceil(lease * (1 + MARGIN)), { signal });
  }

  async #change(change: (map: ShardMap) => ShardMap): Promise<ShardMap> {
    const { settings, name, lease } = this.#parts;
    const map = await settings.update<ShardMap>(name, (old) => change(old as ShardMap));
    lease.forget();
    return map;
  }

  async #moveAll(map: ShardMap): Promise<void> {
    const table = new SlotTable(map);
    const { id } = map.move as { readonly id: string };
    const sources = sourcesOf(map);
    // From now on, keys of these slots only become fewer here: new ones are created on their new shards.
    for (const source of sources) {
      await this.#parts.connect(source, (store) => store.set(this.#keys.gate(id), 1));
    }
    for (const source of sources) {
      await this.#parts.connect(source, async (store) => {
        await this.#adoptAll(store, table, id);
        while ((await this.#moveFrom(store, source, table, id)) > 0);
      });
    }
  }

  /** Copies that a process has handed over that died before they got their names. */
  async #adoptAll(source: Store, table: SlotTable, id: string): Promise<void> {
    for await (const [key, copy] of source.bytes.hscan(this.#keys.moved(id))) {
      if (copy.length > 0) await this.#adopt(key, copy.toString(), table);
    }
  }

  async #adopt(key: Buffer, copy: string, table: SlotTable): Promise<void> {
    const target = table.target(table.slotOf(key)) as string;
    await this.#parts.connect(target, (store) => store.script(RUN_THERE)({ key, copy, words: [] }));
  }

  /** Moves all keys that a scan finds, some at the same time. Returns their number. */
  async #moveFrom(store: Store, source: string, table: SlotTable, id: string): Promise<number> {
    const { concurrency, signal } = this.#options;
    const running = new Set<Promise<void>>();
    let failure: { readonly error: unknown } | undefined;
    let found = 0;
    for await (const key of store.bytes.scan({ count: 1_000 })) {
      if (failure !== undefined) break;
      const slot = table.slotOf(key);
      if (this.#keys.owns(key) || table.target(slot) === undefined || table.owner(slot) !== source) continue;
      throwIfAborted(signal);
      found++;
      const one: Promise<void> = this.#moveKey(store, key, table, id)
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => running.delete(one));
      running.add(one);
      if (running.size >= concurrency) await Promise.race(running);
    }
    await Promise.all(running);
    if (failure !== undefined) throw failure.error;
    return found;
  }

  /**
   * Copies the key to its new shard under a name that no client uses, and then gives it away in one step, if it has not been changed since. A
   * client that is sent to the new shard after that gives the copy its name, if this has not been done yet.
   */
  async #moveKey(source: Store, key: Buffer, table: SlotTable, id: string): Promise<void> {
    const target = table.target(table.slotOf(key)) as string;
    for (;;) {
      throwIfAborted(this.#options.signal);
      const [content, expiresAt, digest] = await source.bytes.script(OFFER)({ key });
      if (content === undefined || digest === undefined) return;
      const copy = this.#keys.copy(newId());
      const ttl = Math.max(0, Number(expiresAt));
      await this.#parts.connect(target, (store) =>
        store.send('RESTORE', copy, ttl, content, 'REPLACE', ...(ttl > 0 ? ['ABSTTL'] : [])),
      );
      const moved = this.#keys.moved(id);
      const isGiven = await source.script(HAND_OVER)({
        key,
        moved,
        digest,
        expiresAt: Number(expiresAt),
        copy,
      });
      if (isGiven) {
        await this.#adopt(key, copy, table);
        this.#moved++;
        this.#progress('moving');
        return;
      }
      this.#repeated++;
      await this.#parts.connect(target, (store) => store.unlink(copy));
    }
  }

  /** Removes the traces of a move, once no process needs them. */
  async #clean(map: ShardMap): Promise<void> {
    const { id, sources } = map.moved as { readonly id: string; readonly sources: readonly string[] };
    for (const source of sources) {
      await this.#parts.connect(source, (store) => store.unlink([this.#keys.gate(id), this.#keys.moved(id)]));
    }
    // Copies that were made, and not handed over, by a process that died.
    for (const shard of map.shards) {
      await this.#parts.connect(shard, async (store) => {
        for await (const key of store.scan({ match: globbed(this.#keys.copy('')), count: 1_000 }))
          await store.unlink(key);
      });
    }
    await this.#change(({ moved, ...rest }) =>
      moved?.id === id ? rest : { ...rest, ...(moved && { moved }) },
    );
  }

  #progress(phase: ReshardProgress['phase']): void {
    this.#options.onProgress?.({ phase, keys: this.#moved });
  }
}

/** The pattern of all texts that begin with this one. */
function globbed(text: string): string {
  return `${text.replaceAll(/[\\*?[\]]/g, '\\$&')}*`;
}

export const RESHARD_RULES = {
  concurrency: integer(32, { min: 1, max: 1_000 }),
  onProgress: optional(callback<NonNullable<ReshardOptions['onProgress']>>()),
  signal: optional(abortSignal()),
};
