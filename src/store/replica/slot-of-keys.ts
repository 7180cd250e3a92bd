import type { Bytes } from '../../bytes/bytes.js';
import { keySlot } from '../../bytes/crc16.js';
import type { KeyVisitor } from '../../commands/key-positions.js';

/** The keys of a command, and the slot that they are in. */
export class SlotOfKeys implements KeyVisitor {
  /** -1 if there are no keys. */
  slot = -1;
  count = 0;
  areInSeveralSlots = false;
  /** Valid until the next command; only the first `count` belong to this one. */
  readonly found: Bytes[] = [];

  clear(): void {
    this.slot = -1;
    this.count = 0;
    this.areInSeveralSlots = false;
  }

  visit(key: Bytes): void {
    const slot = keySlot(key.buf, key.start, key.end);
    if (this.slot >= 0 && slot !== this.slot) this.areInSeveralSlots = true;
    this.slot = slot;
    this.found[this.count++] = key;
  }
}
