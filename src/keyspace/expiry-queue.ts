import type { RandomSource } from '../bytes/random.js';
import type { Dict } from '../structures/dict/dict.js';
import { type Entry, NO_ENTRY } from './entry.js';

/**
 * The latest expiry time of a key: the largest number below 2^63 ms. Numbers beyond 2^53 are not exact; 2^63 itself would
 * no longer be a 64-bit integer in files and replies.
 */
export const MAX_TIME = 2 ** 63 - 1024;

/**
 * The entries that will expire, earliest first: a 4-ary heap whose positions are kept in the entries themselves.
 * Because it is an array, it can also return a random entry with a time to live, which eviction needs.
 * Stored in segments, so that growing never copies the whole queue.
 */
export class ExpiryQueue {
  size = 0;
  readonly #keys: Dict<Entry>;
  readonly #positionWord: number;
  readonly #times: Float64Array[] = [];
  readonly #entries: Int32Array[] = [];

  /** Entries are nodes of `keys`; their own word number `positionWord` is ours: 0, or the position in the heap plus 1. */
  constructor(keys: Dict<Entry>, positionWord: number) {
    this.#keys = keys;
    this.#positionWord = positionWord;
  }

  /** When the entry expires, in Unix ms; -1 if never. */
  timeOf(entry: Entry): number {
    const position = this.#keys.word(entry, this.#positionWord) - 1;
    return position < 0 ? -1 : this.#time(position);
  }

  set(entry: Entry, at: number): void {
    const position = this.#keys.word(entry, this.#positionWord) - 1;
    if (position < 0) {
      const last = this.size++;
      if (last >>> SEGMENT_BITS === this.#times.length) {
        const length = last === 0 ? FIRST_SEGMENT : SEGMENT;
        this.#times.push(new Float64Array(length));
        this.#entries.push(new Int32Array(length));
      } else if (last < SEGMENT && last === (this.#times[0] as Float64Array).length) {
        this.#growFirstChunk();
      }
      this.#raise(last, entry, at);
    } else if (at < this.#time(position)) {
      this.#raise(position, entry, at);
    } else {
      this.#sink(position, entry, at);
    }
  }

  /** Makes the entry permanent. Returns whether it had a time to live. */
  remove(entry: Entry): boolean {
    const position = this.#keys.word(entry, this.#positionWord) - 1;
    if (position < 0) return false;
    this.#keys.setWord(entry, this.#positionWord, 0);
    const last = --this.size;
    if (position !== last) {
      const moved = this.#entry(last);
      const time = this.#time(last);
      if (time < this.#time(position)) this.#raise(position, moved, time);
      else this.#sink(position, moved, time);
    }
    this.#trim();
    return true;
  }

  /** The entry that expires first, or 0. */
  first(): Entry {
    return this.size === 0 ? NO_ENTRY : this.#entry(0);
  }

  firstTime(): number {
    return this.size === 0 ? Number.POSITIVE_INFINITY : this.#time(0);
  }

  /** A random entry with a time to live; the queue must not be empty. */
  random(random: RandomSource): Entry {
    return this.#entry(random.integer(this.size));
  }

  #time(position: number): number {
    return (this.#times[position >>> SEGMENT_BITS] as Float64Array)[position & SEGMENT_MASK] as number;
  }

  #entry(position: number): Entry {
    return (this.#entries[position >>> SEGMENT_BITS] as Int32Array)[position & SEGMENT_MASK] as Entry;
  }

  #put(position: number, entry: Entry, time: number): void {
    (this.#times[position >>> SEGMENT_BITS] as Float64Array)[position & SEGMENT_MASK] = time;
    (this.#entries[position >>> SEGMENT_BITS] as Int32Array)[position & SEGMENT_MASK] = entry;
    this.#keys.setWord(entry, this.#positionWord, position + 1);
  }

  #raise(from: number, entry: Entry, time: number): void {
    let position = from;
    while (position > 0) {
      const parent = (position - 1) >> 2;
      const parentTime = this.#time(parent);
      if (parentTime <= time) break;
      this.#put(position, this.#entry(parent), parentTime);
      position = parent;
    }
    this.#put(position, entry, time);
  }

  #sink(from: number, entry: Entry, time: number): void {
    let position = from;
    for (;;) {
      const firstChild = position * 4 + 1;
      if (firstChild >= this.size) break;
      let min = firstChild;
      let minTime = this.#time(firstChild);
      const end = Math.min(firstChild + 4, this.size);
      for (let child = firstChild + 1; child < end; child++) {
        const childTime = this.#time(child);
        if (childTime < minTime) {
          min = child;
          minTime = childTime;
        }
      }
      if (minTime >= time) break;
      this.#put(position, this.#entry(min), minTime);
      position = min;
    }
    this.#put(position, entry, time);
  }

  #growFirstChunk(): void {
    const length = Math.min((this.#times[0] as Float64Array).length * 4, SEGMENT);
    const times = new Float64Array(length);
    times.set(this.#times[0] as Float64Array);
    this.#times[0] = times;
    const entries = new Int32Array(length);
    entries.set(this.#entries[0] as Int32Array);
    this.#entries[0] = entries;
  }

  #trim(): void {
    const needed = (this.size >>> SEGMENT_BITS) + 2;
    if (this.#times.length > needed) {
      this.#times.length = needed;
      this.#entries.length = needed;
    }
  }
}

const SEGMENT_BITS = 14;
const SEGMENT = 1 << SEGMENT_BITS;
const SEGMENT_MASK = SEGMENT - 1;
const FIRST_SEGMENT = 16;
