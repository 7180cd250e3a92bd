import { Bytes } from '../bytes/bytes.js';
import type { Clock } from '../bytes/clock.js';
import type { RandomSource } from '../bytes/random.js';
import { type HashKey, KeyedHash } from '../structures/dict/keyed-hash.js';
import type { ChangeGuard } from './change-guard.js';
import { Database } from './database.js';
import { Effects, EventClass } from './effects.js';
import { type Entry, NO_ENTRY } from './entry.js';
import { Holders } from './holders.js';
import { type Encoding, Type } from './kinds.js';
import { defaultLimits, type EncodingLimits } from './limits.js';
import type { SlotKeys } from './slot-keys.js';
import { Usage } from './usage.js';
import type { LargeValue } from './values/large-value.js';

export interface KeyspaceOptions {
  /**
   * The secret of the dictionaries' hash. Drawn from `random` if absent, which is for tests only: from the random values
   * that clients see (SRANDMEMBER, RANDOMKEY) the secret could be computed.
   */
  readonly hashKey?: HashKey;
  readonly databases: number;
  /** Whether the keys of database 0 are kept by cluster slot: see `indexSlots`. */
  readonly indexesSlots?: boolean;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** Counters that INFO shows. */
export interface KeyspaceStats {
  hits: number;
  misses: number;
  expired: number;
  evicted: number;
  /** Large values that were freed in steps, between commands. */
  releasedLater: number;
}

/**
 * All databases of one engine, with expiry applied: expired entries are not found.
 * Commands look keys up, create and delete them here, and report changes through `effects`.
 */
export class Keyspace {
  readonly databases: Database[];
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly effects = new Effects();
  /** Whether RESTORE verifies the checksum of payloads: DEBUG SET-SKIP-CHECKSUM-VALIDATION. */
  checksPayloads = true;
  readonly limits: EncodingLimits = defaultLimits();
  readonly stats: KeyspaceStats = { hits: 0, misses: 0, expired: 0, evicted: 0, releasedLater: 0 };
  readonly usage: Usage;

  /** The holders that prevent the deletion of expired entries: CLIENT PAUSE, loading, or being a replica. */
  readonly expiryHolders = new Holders();
  /** False while recorded commands run (`asRecorded`): they find expired entries until they delete them. */
  #hidesExpired = true;
  /** Whether expired keys are recorded as UNLINK (`lazyfree-lazy-expire`) rather than DEL. */
  lazyExpire = false;

  /** Called before entries change; set while a snapshot is being taken. */
  changeGuard: ChangeGuard | undefined;

  readonly #releasing: LargeValue[] = [];
  #now = UNKNOWN;

  constructor(options: KeyspaceOptions) {
    this.clock = options.clock;
    this.random = options.random;
    this.usage = new Usage(options.random);
    this.usage.advance(this.now);
    const word = (): number => options.random.integer(0x1_0000_0000) | 0;
    const keyedHash = new KeyedHash(options.hashKey ?? { key0: word(), key1: word() });
    this.databases = Array.from({ length: options.databases }, (_, index) => new Database(index, keyedHash));
    if (options.indexesSlots === true) this.indexSlots();
  }

  /** Keeps the keys of database 0 by cluster slot from now on. The database must be empty. */
  indexSlots(): void {
    (this.databases[0] as Database).indexSlots();
  }

  get indexesSlots(): boolean {
    return this.databases[0]?.slotKeys !== undefined;
  }

  /** The keys by cluster slot. Only for a node of a cluster. */
  get slotKeys(): SlotKeys {
    return this.databases[0]?.slotKeys as SlotKeys;
  }

  /** Unix ms, the same during the whole command. The clock is read only when the time is first needed. */
  get now(): number {
    if (this.#now === UNKNOWN) this.#now = this.clock.now();
    return this.#now;
  }

  /** Forgets the cached time. */
  passTime(): void {
    this.#now = UNKNOWN;
  }

  /** For commands that only read: counts a hit or a miss and the entry's use. 0 if there is no such key. */
  read(db: Database, key: Bytes): Entry {
    const entry = db.keys.findRecent(key);
    if (entry === 0 || this.#isGone(db, entry, key)) {
      this.stats.misses++;
      this.effects.event(db, key, EventClass.keyMiss, 'keymiss');
      return NO_ENTRY;
    }
    this.stats.hits++;
    this.usage.touch(db, entry);
    return entry;
  }

  /** For commands that will change the value. 0 if there is no such key. */
  write(db: Database, key: Bytes): Entry {
    const entry = db.keys.findRecent(key);
    if (entry === 0 || this.#isGone(db, entry, key)) return NO_ENTRY;
    if (this.changeGuard !== undefined) this.changeGuard.beforeChange(db, entry);
    this.usage.touch(db, entry);
    return entry;
  }

  /** Call this before changing an entry that was not looked up with `write`. */
  changing(db: Database, entry: Entry): void {
    if (this.changeGuard !== undefined) this.changeGuard.beforeChange(db, entry);
  }

  /** Like `read`, but does not count as a use of the entry (its LRU and LFU values do not change). */
  readUntouched(db: Database, key: Bytes): Entry {
    const entry = db.keys.find(key);
    if (entry === 0 || this.#isGone(db, entry, key)) {
      this.stats.misses++;
      this.effects.event(db, key, EventClass.keyMiss, 'keymiss');
      return NO_ENTRY;
    }
    this.stats.hits++;
    return entry;
  }

  /** Finds the entry without counting anything: neither a hit or miss, nor a use of the entry. */
  peek(db: Database, key: Bytes): Entry {
    const entry = db.keys.find(key);
    return entry === 0 || this.#isGone(db, entry, key) ? NO_ENTRY : entry;
  }

  /** A new entry for a key that does not exist. Report it with `effects.changed`. */
  create(db: Database, key: Bytes, type: Type, encoding: Encoding, value: number): Entry {
    if (this.#hidesExpired && this.expiryHolders.isHeld) this.#expireHidden(db, key);
    const entry = db.create(key, type, encoding, value, this.usage.fresh());
    this.effects.event(db, key, EventClass.newKey, 'new');
    if (this.effects.waiting) this.effects.ready(db, key);
    return entry;
  }

  /**
   * Gives the key this value, whatever it held before, and no time to live: what the STORE commands do. Report it with
   * `effects.changed`. As in Redis, clients blocked on a key learn of it when it is created, not when it is overwritten.
   */
  replace(db: Database, key: Bytes, type: Type, encoding: Encoding, value: number): Entry {
    const entry = this.write(db, key);
    if (entry === 0) return this.create(db, key, type, encoding, value);
    this.releaseValue(db, entry);
    db.setValue(entry, type, encoding, value);
    db.expiries.remove(entry);
    return entry;
  }

  /** Removes the entry, freeing a large value a little at a time. Report it with `effects.changed`. */
  remove(db: Database, entry: Entry): void {
    this.#signalGone(db, entry);
    if (this.changeGuard !== undefined) this.changeGuard.beforeChange(db, entry);
    const large = db.remove(entry);
    if (large !== undefined) this.release(large);
  }

  /** Removes the entry but not its value, which another entry has by now. Report it with `effects.changed`. */
  removeMoved(db: Database, entry: Entry): void {
    this.#signalGone(db, entry);
    db.removeKeepingValue(entry);
  }

  /**
   * Removes the key's value, even if it has expired and was not deleted yet: what the STORE commands do when their
   * result is empty. False if there is no value. Report it with `effects.changed`.
   */
  discard(db: Database, key: Bytes): boolean {
    const entry = db.keys.find(key);
    if (entry === 0) return false;
    this.remove(db, entry);
    return true;
  }

  /** Called before a value is removed: clients that wait for a stream as members of a group get an error. */
  #signalGone(db: Database, entry: Entry): void {
    if (this.effects.waiting && db.type(entry) === Type.stream)
      this.effects.ready(db, db.key(entry, goneKey));
  }

  /** Frees the value of an entry that is about to get another one (`db.setValue`). */
  releaseValue(db: Database, entry: Entry): void {
    this.#signalGone(db, entry);
    if (this.changeGuard !== undefined) this.changeGuard.beforeChange(db, entry);
    const large = db.releaseValue(entry);
    if (large !== undefined) this.release(large);
  }

  /** Frees a large value: at once if it is small, else the rest of it between commands (`releaseSome`). */
  release(large: LargeValue): void {
    if (this.changeGuard?.keeps(large) === true) return;
    if (large.release(RELEASE_AT_ONCE) === RELEASE_AT_ONCE) this.#releasing.push(large);
  }

  /** Frees about `steps` nodes of values waiting to be freed. True while more are waiting. */
  releaseSome(steps: number): boolean {
    const large = this.#releasing.at(-1);
    if (large !== undefined && large.release(steps) < steps) {
      this.#releasing.pop();
      this.stats.releasedLater++;
    }
    return this.#releasing.length > 0;
  }

  get pendingReleases(): number {
    return this.#releasing.length;
  }

  /** Whether expired entries are deleted when they are looked up. If not, they are hidden. */
  get deletesExpired(): boolean {
    return !this.expiryHolders.isHeld;
  }

  /**
   * Runs commands that a file or a master recorded. Deletions of expired entries are recorded too, so entries are found
   * until their deletion is replayed.
   */
  asRecorded<Result>(work: () => Result): Result {
    this.expiryHolders.hold(this);
    this.#hidesExpired = false;
    try {
      return work();
    } finally {
      this.#hidesExpired = true;
      this.expiryHolders.release(this);
    }
  }

  /** True if the entry has expired. Deletes it unless `expiryHolders` prevent that. */
  #isGone(db: Database, entry: Entry, key: Bytes): boolean {
    const at = db.expiries.timeOf(entry);
    if (at < 0 || at >= this.now) return false;
    if (this.deletesExpired) this.expire(db, entry, key);
    return this.#hidesExpired;
  }

  /** A client of a writable replica creates a key that has expired, but was not deleted. */
  #expireHidden(db: Database, key: Bytes): void {
    const entry = db.keys.find(key);
    if (entry !== 0) this.expire(db, entry, key);
  }

  /** Whether the entry has expired. Does not delete it. */
  isExpired(db: Database, entry: Entry): boolean {
    const at = db.expiries.timeOf(entry);
    return at >= 0 && at < this.now && this.#hidesExpired;
  }

  /** Deletes an expired entry and reports it. `key` may be a view of the entry's own key. */
  expire(db: Database, entry: Entry, key: Bytes): void {
    const expiredKey = key.copy();
    this.remove(db, entry);
    this.stats.expired++;
    this.effects.aside(db, this.lazyExpire ? 'UNLINK' : 'DEL', expiredKey);
    this.effects.event(db, expiredKey, EventClass.expired, 'expired');
    this.effects.vanished(db, expiredKey);
  }

  /** Deletes all keys of a cluster slot and records it: they belong to another node now. Returns their number. */
  deleteSlot(slot: number): number {
    const db = this.databases[0] as Database;
    const { slotKeys } = this;
    const count = slotKeys.count(slot);
    while (slotKeys.count(slot) > 0) {
      const entry = slotKeys.first(slot);
      const key = db.key(entry, slotKey).copy();
      this.remove(db, entry);
      this.effects.aside(db, 'DEL', key);
      this.effects.changed(db, key, EventClass.generic, 'del');
    }
    return count;
  }

  /**
   * Deletes expired entries, earliest first, at most `max` of them over all databases.
   * Returns how many it deleted: fewer than `max` means none is left.
   */
  expireDue(max: number): number {
    if (!this.deletesExpired) return 0;
    let deleted = 0;
    for (const db of this.databases) {
      while (deleted < max && db.expiries.firstTime() < this.now) {
        const entry = db.expiries.first();
        this.expire(db, entry, db.key(entry, dueKey));
        deleted++;
      }
    }
    return deleted;
  }

  /** Exchanges the contents of two databases and reports it. Sessions keep the number they have selected. */
  swap(a: Database, b: Database): void {
    this.effects.counted();
    if (a === b) return;
    this.effects.swapping(a, b);
    a.swapContents(b);
    this.effects.swapped(a, b);
  }

  /** FLUSHDB and FLUSHALL: empties the databases and records it. */
  flush(databases: readonly Database[]): void {
    this.effects.counted(this.empty(databases));
    this.effects.recordAnyway();
  }

  /** Empties the databases before others are loaded. Listeners are notified, but nothing is recorded. */
  empty(databases: readonly Database[] = this.databases): number {
    let removed = 0;
    this.effects.flushing(databases);
    for (const db of databases) {
      removed += db.size;
      db.clear();
    }
    if (databases.length === this.databases.length) this.#releasing.length = 0;
    return removed;
  }

  get usedBytes(): number {
    let total = 0;
    for (const db of this.databases) total += db.usedBytes;
    return total;
  }
}

/** Not a valid time. */
const UNKNOWN = -1;

const dueKey = new Bytes();
const goneKey = new Bytes();
const slotKey = new Bytes();

/** Nodes that the deleting command itself frees. */
const RELEASE_AT_ONCE = 64;
