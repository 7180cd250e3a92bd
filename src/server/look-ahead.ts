import type { Bytes } from '../bytes/bytes.js';
import { hashBytes } from '../bytes/hash.js';
import type { Database } from '../keyspace/database.js';
import type { Entry } from '../keyspace/entry.js';
import type { Dict } from '../structures/dict/dict.js';

/**
 * Loads into the processor's caches what the commands of a chunk will look up, before the first of them runs.
 *
 * In a database that is larger than the caches, a look-up waits for memory several times: for the bucket, the node,
 * the value. One command after the other, each wait begins when the last is over; looked up together beforehand, the
 * waits overlap. The hashes of the keys are kept for the commands; else nothing here has an effect, and what is not
 * understood is left to the parser.
 */
export class LookAhead {
  readonly #hashes = new Int32Array(MOST_COMMANDS);
  readonly #nodes = new Int32Array(MOST_COMMANDS);
  /** Where the keys are: in which buffer, from where to where. */
  #buffer: Buffer | undefined;
  readonly #starts = new Int32Array(MOST_COMMANDS);
  readonly #ends = new Int32Array(MOST_COMMANDS);
  #count = 0;
  #used = 0;
  #keys: Dict<Entry> | undefined;
  /** Keeps the loads from being optimised away. */
  loaded = 0;
  /** So many chunks more are not looked at. */
  #rest = 0;

  /** Looks at the commands in `buffer[at .. end)`, and returns how far it came. */
  read(buffer: Buffer, at: number, end: number, db: Database): number {
    if (this.#count > 0) this.forget();
    if (this.#rest > 0) {
      this.#rest--;
      return end;
    }
    const { keys } = db;
    const { key0, key1 } = db.hashKey;
    const hashes = this.#hashes;
    let next = at;
    let count = 0;
    while (count < MOST_COMMANDS && next + SHORTEST_COMMAND < end && buffer[next] === STAR) {
      // *3\r\n$3\r\nSET\r\n$4\r\nname\r\n…: fewer than ten arguments, as the usual commands have.
      let left = (buffer[next + 1] as number) - ZERO;
      if (left < 2 || left > 9 || buffer[next + 2] !== CR) break;
      next += 4;
      for (let index = 0; left > 0; index++, left--) {
        let length = 0;
        let byte = buffer[++next] as number;
        while (byte >= ZERO && byte <= NINE && next < end) {
          length = length * 10 + byte - ZERO;
          byte = buffer[++next] as number;
        }
        const start = next + 2;
        next = start + length + 2;
        if (next > end) break;
        if (index !== 1) continue;
        this.#starts[count] = start;
        this.#ends[count] = start + length;
        hashes[count++] = hashBytes(buffer, start, start + length, key0, key1);
      }
      if (next > end) break;
    }
    if (count < 2) return next;
    if (hashes[0] === hashes[count - 1]) this.#rest = SAME_KEY_REST;
    else this.loaded ^= keys.touch(hashes, this.#nodes, count) ^ db.touchValues(this.#nodes, count);
    this.#keys = keys;
    this.#buffer = buffer;
    this.#count = count;
    this.#used = 0;
    return next;
  }

  /** Whether it knows hashes that commands to come may use. */
  get isKnowing(): boolean {
    return this.#count > 0;
  }

  /** The command whose second argument is `key` runs next: if it was seen, its hash is known. */
  announce(key: Bytes): void {
    const used = this.#used;
    if (used >= this.#count || this.#starts[used] !== key.start) return;
    if (this.#ends[used] !== key.end || this.#buffer !== key.buf) return;
    this.#used = used + 1;
    (this.#keys as Dict<Entry>).knowHash(key, this.#hashes[used] as number);
  }

  /** The chunk is over: its bytes will be others. */
  forget(): void {
    this.#count = 0;
    this.#keys?.forgetHash();
    this.#keys = undefined;
    this.#buffer = undefined;
  }
}

/** Below this many keys the caches hold most of what is looked up, and looking ahead costs more than it saves. */
export const WORTH_LOOKING_AHEAD = 1 << 15;

/** Who works on one key all the time has it in the caches; so many chunks later it may be another matter. */
const SAME_KEY_REST = 32;
const MOST_COMMANDS = 128;
const SHORTEST_COMMAND = 16;
const STAR = 42;
const CR = 13;
const ZERO = 48;
const NINE = 57;
