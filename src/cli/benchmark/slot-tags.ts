import { crc16 } from '../../bytes/crc16.js';

/** A key with this text in it gets a hash tag of a slot in its place. */
export const TAG = '{tag}';
/** The length of a tag without its braces. */
export const TAG_LENGTH = 3;

const SLOTS = 16_384;
const LETTERS = Buffer.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');

let tags: Buffer | undefined;

/** Tags for all slots, one after the other: a key with `{abc}` in it is in the slot of `abc`. */
export function slotTags(): Buffer {
  tags ??= findTags();
  return tags;
}

function findTags(): Buffer {
  const found = Buffer.alloc(SLOTS * TAG_LENGTH);
  const word = Buffer.alloc(TAG_LENGTH);
  for (let number = 0; number < LETTERS.length ** TAG_LENGTH; number++) {
    let rest = number;
    for (let at = 0; at < TAG_LENGTH; at++) {
      word[at] = LETTERS[rest % LETTERS.length] as number;
      rest = Math.floor(rest / LETTERS.length);
    }
    word.copy(found, (crc16(word, 0, TAG_LENGTH) & (SLOTS - 1)) * TAG_LENGTH);
  }
  return found;
}

/** The slots of one node. The requests to it take turns among them. */
export class NodeSlots {
  #slots: readonly number[];
  #next = 0;

  constructor(slots: readonly number[]) {
    this.#slots = slots;
  }

  replace(slots: readonly number[]): void {
    this.#slots = slots;
    this.#next = 0;
  }

  /** Writes the tag of the next slot at each of the places. */
  writeTag(bytes: Buffer, places: readonly number[]): void {
    const slot = this.#slots[this.#next] as number;
    this.#next = (this.#next + 1) % this.#slots.length;
    const start = slot * TAG_LENGTH;
    for (const place of places) slotTags().copy(bytes, place, start, start + TAG_LENGTH);
  }
}
