import { SLOTS } from '../../bytes/crc16.js';
import type { Call } from '../call.js';
import { CommandError } from '../errors.js';

const INVALID = new CommandError('ERR Invalid or out of range slot');

/** The slot in an argument. */
export function slotArgument(call: Call, index: number): number {
  const slot = call.integer(index, INVALID);
  if (slot < 0 || slot >= SLOTS) throw INVALID;
  return slot;
}
