import type { StoreTime } from '../../store/index.js';
import { KitError } from '../foundation/index.js';
import { type ShardMap, SlotTable } from './shard-map.js';

/** A copy of the map, and when it was asked for, by `time.monotonic()`. */
export interface LeasedMap {
  readonly table: SlotTable;
  readonly askedAt: number;
  /** Until when the copy may be used. */
  readonly endsAt: number;
}

/** Part of the lease that is left for a command at least. */
const MIN_LEFT = 0.25;
/** A copy is renewed in the background at this part of its lease. */
const RENEW = 0.25;

/**
 * The map of this process. A copy is used for the length of its lease and no longer, even if the configuration is unreachable: so
 * a process that changes the map knows when no other one uses the old map any more.
 */
export class MapLease {
  readonly #name: string;
  readonly #time: StoreTime;
  readonly #fetch: () => Promise<ShardMap | undefined>;
  #copy: LeasedMap | undefined;
  #request: Promise<LeasedMap> | undefined;

  constructor(name: string, time: StoreTime, fetch: () => Promise<ShardMap | undefined>) {
    this.#name = name;
    this.#time = time;
    this.#fetch = fetch;
  }

  /** A copy with at least a quarter of its lease left. */
  async current(): Promise<LeasedMap> {
    const copy = this.#copy;
    if (copy === undefined) return this.fresh();
    const { lease } = copy.table.map;
    const age = this.#time.monotonic() - copy.askedAt;
    if (age > lease * (1 - MIN_LEFT)) return this.fresh();
    // If the configuration does not answer, that matters when the lease is nearly over.
    if (age > lease * RENEW) this.fresh().catch(() => {});
    return copy;
  }

  /** Asks for the map. Calls at the same time share the request. */
  fresh(): Promise<LeasedMap> {
    this.#request ??= this.#ask().finally(() => {
      this.#request = undefined;
    });
    return this.#request;
  }

  /** The next call asks. */
  forget(): void {
    this.#copy = undefined;
    this.#request = undefined;
  }

  async #ask(): Promise<LeasedMap> {
    const askedAt = this.#time.monotonic();
    const map = await this.#fetch();
    if (map === undefined) {
      throw new KitError(
        'MISSING',
        `sharding: '${this.#name}' has no shards yet: create it once, as in create(['redis://…', 'redis://…'])`,
      );
    }
    const copy = { table: new SlotTable(map), askedAt, endsAt: askedAt + map.lease };
    this.#copy = copy;
    return copy;
  }
}
