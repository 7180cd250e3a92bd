import { Bytes } from '../bytes/bytes.js';
import { keySlot, SLOTS } from '../bytes/crc16.js';
import type { Dict } from '../structures/dict/dict.js';
import type { Entry } from './entry.js';

/**
 * The entries of a database by cluster slot: a doubly linked list for each slot, newest entry first, whose links are two
 * words of the entries' own nodes. Only a node of a cluster has it (`Keyspace.indexSlots`).
 */
export class SlotKeys {
  readonly #keys: Dict<Entry>;
  /** The words of a node with the next and the previous entry of the slot. */
  readonly #nextWord: number;
  readonly #previousWord: number;
  readonly #firsts = new Int32Array(SLOTS);
  readonly #counts = new Int32Array(SLOTS);

  /** Uses the words `firstWord` and `firstWord + 1` of the nodes. The dictionary is empty. */
  constructor(keys: Dict<Entry>, firstWord: number) {
    this.#keys = keys;
    this.#nextWord = firstWord;
    this.#previousWord = firstWord + 1;
  }

  /** The number of keys in a slot, including expired ones that are not deleted yet. */
  count(slot: number): number {
    return this.#counts[slot] as number;
  }

  /** The entry of the slot that was added last; 0 if there is none. */
  first(slot: number): Entry {
    return this.#firsts[slot] as Entry;
  }

  /** The next entry of the same slot, or 0. */
  following(entry: Entry): Entry {
    return this.#keys.word(entry, this.#nextWord) as Entry;
  }

  add(entry: Entry, key: Bytes): void {
    const slot = keySlot(key.buf, key.start, key.end);
    const next = this.first(slot);
    if (next !== 0) this.#keys.setWord(next, this.#previousWord, entry);
    this.#keys.setWord(entry, this.#nextWord, next);
    this.#firsts[slot] = entry;
    this.#counts[slot] = this.count(slot) + 1;
  }

  remove(entry: Entry): void {
    const keys = this.#keys;
    const { buf, start, end } = keys.key(entry, view);
    const slot = keySlot(buf, start, end);
    const next = this.following(entry);
    const previous = keys.word(entry, this.#previousWord) as Entry;
    if (next !== 0) keys.setWord(next, this.#previousWord, previous);
    if (previous !== 0) keys.setWord(previous, this.#nextWord, next);
    else this.#firsts[slot] = next;
    this.#counts[slot] = this.count(slot) - 1;
  }

  /** Bytes of its tables. The links are part of the nodes. */
  get tableBytes(): number {
    return this.#firsts.byteLength + this.#counts.byteLength;
  }
}

/** Words that the index uses in each node. */
export const SLOT_WORDS = 2;

const view = new Bytes();
