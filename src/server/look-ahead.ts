import type { Bytes } from '../bytes/bytes.js';
import { hashBytes } from '../bytes/hash.js';
import type { Database } from '../keyspace/database.js';
import type { Entry } from '../keyspace/entry.js';
import type { Dict } from '../structures/dict/dict.js';

/**
 * Loads the keys and values of a chunk's commands into the processor's caches, before the first command runs.
 *
 * In a database larger than the caches, a look-up waits for memory several times: for the bucket, the node, the
 * value. When commands look up one after the other, these waits add up; when all look-ups are started together
 * beforehand, they overlap. The hashes of the keys are kept for the commands. Otherwise this class has no effect;
 * input that it does not understand is left to the parser.
 */
export class LookAhead {
  readonly #hashes = new Int32Array(MAX_COMMANDS);
  readonly #nodes = new Int32Array(MAX_COMMANDS);
  /** Where the keys are: their buffer, start and end offsets. */
  #buffer: Buffer | undefined;
  readonly #starts = new Int32Array(MAX_COMMANDS);
  readonly #ends = new Int32Array(MAX_COMMANDS);
  #count = 0;
  #used = 0;
  #keys: Dict<Entry> | undefined;
  /** Keeps the loads from being optimised away. */
  loaded = 0;
  /** How many of the next chunks are skipped. */
  #skips = 0;

  /** Reads the commands in `buffer[at .. end)`, and returns the position where it stopped. */
  read(buffer: Buffer, at: number, end: number, db: Database): number {
    if (this.#count > 0) this.forget();
    if (this.#skips > 0) {
      this.#skips--;
      return end;
    }
    const { keys } = db;
    const { key0, key1 } = db.hashKey;
    const hashes = this.#hashes;
    let next = at;
    let count = 0;
    while (count < MAX_COMMANDS && next + MIN_COMMAND_BYTES < end && buffer[next] === STAR) {
      // *3\r\n$3\r\nSET\r\n$4\r\nname\r\n…: fewer than ten arguments, as in typical commands.
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
    if (hashes[0] === hashes[count - 1]) this.#skips = SAME_KEY_SKIPS;
    else this.loaded ^= keys.touch(hashes, this.#nodes, count) ^ db.touchValues(this.#nodes, count);
    this.#keys = keys;
    this.#buffer = buffer;
    this.#count = count;
    this.#used = 0;
    return next;
  }

  /** Whether there are hashes that the following commands may use. */
  get hasHashes(): boolean {
    return this.#count > 0;
  }

  /** The command whose second argument is `key` runs next: provides its hash if it was computed. */
  announce(key: Bytes): void {
    const used = this.#used;
    if (used >= this.#count || this.#starts[used] !== key.start) return;
    if (this.#ends[used] !== key.end || this.#buffer !== key.buf) return;
    this.#used = used + 1;
    (this.#keys as Dict<Entry>).knowHash(key, this.#hashes[used] as number);
  }

  /** Called at the end of a chunk: the buffer will be reused. */
  forget(): void {
    this.#count = 0;
    this.#keys?.forgetHash();
    this.#keys = undefined;
    this.#buffer = undefined;
  }
}

/** With fewer keys the caches hold most entries, and looking ahead costs more than it saves. */
export const WORTH_LOOKING_AHEAD = 1 << 15;

/** If all commands use one key, it is in the caches. Look ahead again after this number of chunks. */
const SAME_KEY_SKIPS = 32;
const MAX_COMMANDS = 128;
const MIN_COMMAND_BYTES = 16;
const STAR = 42;
const CR = 13;
const ZERO = 48;
const NINE = 57;
