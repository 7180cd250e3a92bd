import { Bytes } from '../bytes/bytes.js';
import type { Database } from './database.js';
import { EventClass } from './effects.js';
import { type Entry, NO_ENTRY } from './entry.js';
import type { Keyspace } from './keyspace.js';

export type EvictionPolicy =
  | 'noeviction'
  | 'allkeys-lru'
  | 'allkeys-lfu'
  | 'allkeys-random'
  | 'volatile-lru'
  | 'volatile-lfu'
  | 'volatile-random'
  | 'volatile-ttl';

/** The result of making room: enough was freed, more will be freed later, or nothing more can be evicted. */
export type Room = 'enough' | 'partly' | 'none';

/** A key that may be evicted, from an earlier sample. */
interface Candidate {
  readonly db: Database;
  readonly key: Bytes;
  readonly idleness: number;
}

/**
 * Keeps memory below `maxmemory` by evicting keys, approximately the best ones: each round samples a few entries of every
 * database into a small pool of good candidates kept from round to round, and evicts the best of the pool. Entries with
 * a time to live are sampled from the expiry queue, which also knows exactly which of them ends first.
 */
export class Eviction {
  policy: EvictionPolicy = 'noeviction';
  /** 0 is no limit. */
  maxmemory = 0;
  samples = 5;
  /** Whether evicted keys are recorded as UNLINK rather than DEL. */
  lazy = false;

  readonly #keyspace: Keyspace;
  /** Best candidate last. */
  readonly #pool: Candidate[] = [];
  #nextDatabase = 0;

  constructor(keyspace: Keyspace) {
    this.#keyspace = keyspace;
  }

  /** Evicts until `used()` is within the limit, nothing is left to evict, or the time allowed is up. */
  makeRoom(used: () => number, milliseconds: number): Room {
    if (this.maxmemory === 0 || used() <= this.maxmemory) return 'enough';
    if (this.policy === 'noeviction') return 'none';
    const end = performance.now() + milliseconds;
    for (let evicted = 1; used() > this.maxmemory; evicted++) {
      // Free what was deleted before evicting more keys.
      while (this.#keyspace.releaseSome(RELEASE_STEP)) {
        if (used() <= this.maxmemory) return 'enough';
        if (performance.now() > end) return 'partly';
      }
      if (used() <= this.maxmemory) return 'enough';
      if (!this.#evictOne()) return 'none';
      if (evicted % CLOCK_INTERVAL === 0 && performance.now() > end) return 'partly';
    }
    return 'enough';
  }

  #evictOne(): boolean {
    const chosen = this.#choose();
    if (chosen === undefined) return false;
    const { db, entry } = chosen;
    const { effects, stats } = this.#keyspace;
    const key = db.key(entry, view).copy();
    this.#keyspace.remove(db, entry);
    stats.evicted++;
    effects.aside(db, this.lazy ? 'UNLINK' : 'DEL', key);
    effects.vanished(db, key);
    effects.event(db, key, EventClass.evicted, 'evicted');
    return true;
  }

  #choose(): { db: Database; entry: Entry } | undefined {
    switch (this.policy) {
      case 'allkeys-random':
        return this.#nextOf((db) => (db.size === 0 ? NO_ENTRY : db.keys.random(this.#keyspace.random)));
      case 'volatile-random':
        return this.#nextOf((db) =>
          db.expiries.size === 0 ? NO_ENTRY : db.expiries.random(this.#keyspace.random),
        );
      case 'volatile-ttl':
        return this.#soonestToExpire();
      default:
        return this.#bestOfPool();
    }
  }

  /** Visits the databases in turn. */
  #nextOf(pick: (db: Database) => Entry): { db: Database; entry: Entry } | undefined {
    const { databases } = this.#keyspace;
    for (let tried = 0; tried < databases.length; tried++) {
      const db = databases[this.#nextDatabase++ % databases.length] as Database;
      const entry = pick(db);
      if (entry !== 0) return { db, entry };
    }
    return undefined;
  }

  #soonestToExpire(): { db: Database; entry: Entry } | undefined {
    let best: Database | undefined;
    for (const db of this.#keyspace.databases) {
      if (
        db.expiries.size > 0 &&
        (best === undefined || db.expiries.firstTime() < best.expiries.firstTime())
      ) {
        best = db;
      }
    }
    return best === undefined ? undefined : { db: best, entry: best.expiries.first() };
  }

  #bestOfPool(): { db: Database; entry: Entry } | undefined {
    for (;;) {
      let found = 0;
      for (const db of this.#keyspace.databases) found += this.#sample(db);
      if (found === 0) return undefined;
      for (let best = this.#pool.pop(); best !== undefined; best = this.#pool.pop()) {
        // It may have been deleted or replaced since it was sampled.
        const entry = best.db.find(best.key);
        if (entry !== 0 && (this.policy.startsWith('allkeys') || best.db.expiries.timeOf(entry) >= 0)) {
          return { db: best.db, entry };
        }
      }
    }
  }

  #sample(db: Database): number {
    const onlyVolatile = this.policy.startsWith('volatile');
    const size = onlyVolatile ? db.expiries.size : db.size;
    if (size === 0) return 0;
    const { random, usage } = this.#keyspace;
    for (let i = 0; i < this.samples; i++) {
      const entry = onlyVolatile ? db.expiries.random(random) : db.keys.random(random);
      this.#offer(db, entry, usage.idleness(db.usage(entry)));
    }
    return size;
  }

  /** Puts a sampled entry into the pool if it is better than the worst there, or there is room. */
  #offer(db: Database, entry: Entry, idleness: number): void {
    const pool = this.#pool;
    if (pool.length === POOL_SIZE && idleness <= (pool[0] as Candidate).idleness) return;
    const key = db.key(entry, view);
    if (pool.some((candidate) => candidate.db === db && candidate.key.equals(key))) return;
    if (pool.length === POOL_SIZE) pool.shift();
    let at = pool.length;
    while (at > 0 && (pool[at - 1] as Candidate).idleness > idleness) at--;
    pool.splice(at, 0, { db, key: key.copy(), idleness });
  }
}

const POOL_SIZE = 16;
const RELEASE_STEP = 1000;
/** Evictions between two checks of the clock. */
const CLOCK_INTERVAL = 16;
const view = new Bytes();
