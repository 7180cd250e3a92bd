import type { RandomSource } from '../bytes/random.js';
import type { Database } from './database.js';
import type { Entry } from './entry.js';

/**
 * How the use of an entry is stored, in 24 bits: for LRU the second of its last use modulo 2^24; for LFU the minute in
 * which its counter was last lowered (16 bits) and a logarithmic counter (8 bits). The eviction policy decides which.
 */
export class Usage {
  /** True under the LFU policies. After a change of policy, the stored usage of old entries is misread, as in Redis. */
  countsFrequency = false;
  /** How slowly the counter grows, and how many minutes without use lower it by one (0: never). */
  logFactor = 10;
  decayMinutes = 1;

  readonly #random: RandomSource;
  #seconds = 0;
  #minutes = 0;

  constructor(random: RandomSource) {
    this.#random = random;
  }

  /** Moves the clock; called a few times a second. */
  advance(unixMs: number): void {
    const seconds = Math.floor(unixMs / 1000);
    this.#seconds = seconds & LRU_MASK;
    this.#minutes = Math.floor(seconds / 60) & MINUTES_MASK;
  }

  /** The usage of an entry just created. */
  fresh(): number {
    return this.countsFrequency ? (this.#minutes << 8) | FIRST_COUNT : this.#seconds;
  }

  /** The entry was used. */
  touch(db: Database, entry: Entry): void {
    if (this.countsFrequency) this.#count(db, entry);
    else db.setUsage(entry, this.#seconds);
  }

  /** Seconds since the last use. Only where `countsFrequency` is false. */
  idleSeconds(usage: number): number {
    return (this.#seconds - usage) & LRU_MASK;
  }

  /** The logarithmic counter, lowered for the time that has passed. Only where `countsFrequency` is true. */
  frequency(usage: number): number {
    const counter = usage & 255;
    if (this.decayMinutes === 0) return counter;
    const elapsed = (this.#minutes - (usage >>> 8)) & MINUTES_MASK;
    return Math.max(0, counter - Math.floor(elapsed / this.decayMinutes));
  }

  /** The usage of an entry that has been idle for this long. Only where `countsFrequency` is false. */
  ofIdleSeconds(seconds: number): number {
    return (this.#seconds - seconds) & LRU_MASK;
  }

  /** The usage of an entry with this counter. Only where `countsFrequency` is true. */
  ofFrequency(frequency: number): number {
    return (this.#minutes << 8) | frequency;
  }

  /** The higher, the better to evict: seconds without use, or how far the counter is below its maximum. */
  idleness(usage: number): number {
    return this.countsFrequency ? 255 - this.frequency(usage) : this.idleSeconds(usage);
  }

  /** Raises the counter with a probability that falls as the counter rises. */
  #count(db: Database, entry: Entry): void {
    let counter = this.frequency(db.usage(entry));
    if (counter < 255) {
      const above = Math.max(0, counter - FIRST_COUNT);
      if (this.#random.next() < 1 / (above * this.logFactor + 1)) counter++;
    }
    db.setUsage(entry, (this.#minutes << 8) | counter);
  }
}

const LRU_MASK = 0xffffff;
const MINUTES_MASK = 0xffff;
/** New entries start above zero, so that they are not evicted at once. */
const FIRST_COUNT = 5;
