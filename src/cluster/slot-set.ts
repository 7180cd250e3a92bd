import { SLOTS } from '../bytes/crc16.js';

export { SLOTS };

/** Consecutive slots, both ends included. */
export interface SlotRange {
  readonly start: number;
  readonly end: number;
}

/** A set of slots, with the bytes that nodes send each other: bit `slot & 7` of byte `slot >> 3`. */
export class SlotSet {
  readonly bytes: Uint8Array = new Uint8Array(SLOTS / 8);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  has(slot: number): boolean {
    return hasSlot(this.bytes, slot);
  }

  /** False if the slot was there. */
  add(slot: number): boolean {
    if (this.has(slot)) return false;
    this.bytes[slot >> 3] = (this.bytes[slot >> 3] as number) | (1 << (slot & 7));
    this.#count++;
    return true;
  }

  /** False if the slot was not there. */
  delete(slot: number): boolean {
    if (!this.has(slot)) return false;
    this.bytes[slot >> 3] = (this.bytes[slot >> 3] as number) & ~(1 << (slot & 7));
    this.#count--;
    return true;
  }

  clear(): void {
    this.bytes.fill(0);
    this.#count = 0;
  }

  *ranges(): Generator<SlotRange> {
    let start = -1;
    for (let slot = 0; slot <= SLOTS; slot++) {
      // Most bytes continue what the one before them began.
      const unchanged = start === -1 ? 0 : 0xff;
      while ((slot & 7) === 0 && this.bytes[slot >> 3] === unchanged) slot += 8;
      const isIn = slot < SLOTS && this.has(slot);
      if (isIn && start === -1) start = slot;
      if (isIn || start === -1) continue;
      yield { start, end: slot - 1 };
      start = -1;
    }
  }

  *[Symbol.iterator](): Generator<number> {
    for (const slot of slotsIn(this.bytes)) yield slot;
  }
}

/** Whether the bit of the slot is set in the bytes of a slot set. */
export function hasSlot(bytes: Uint8Array, slot: number): boolean {
  return ((bytes[slot >> 3] as number) & (1 << (slot & 7))) !== 0;
}

/** The slots in the bytes of a slot set. */
export function* slotsIn(bytes: Uint8Array): Generator<number> {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === 0) continue;
    for (let bit = 0; bit < 8; bit++) if ((byte & (1 << bit)) !== 0) yield at * 8 + bit;
  }
}
