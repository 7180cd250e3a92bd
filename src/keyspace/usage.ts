import type { Database } from './database.js';

/** How use of an entry is remembered in its 24 bits of usage: by an LRU clock, or by an LFU counter. */
export interface UsagePolicy {
  /** The usage of an entry just created. */
  fresh(): number;
  /** The entry was used. */
  touch(db: Database, entry: number): void;
}

/** Least recently used: the second of the last use, modulo 2^24. The engine moves the clock. */
export class LruUsage implements UsagePolicy {
  clock = 0;

  fresh(): number {
    return this.clock;
  }

  touch(db: Database, entry: number): void {
    db.setUsage(entry, this.clock);
  }
}
