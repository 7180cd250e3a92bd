import { Bytes } from '../../bytes/bytes.js';
import { keySlot, SLOTS } from '../../bytes/crc16.js';
import type { Call } from '../call.js';
import { CommandError } from '../errors.js';

const INVALID_SLOT = new CommandError('ERR Invalid slot');
const INVALID_SLOT_OR_COUNT = new CommandError('ERR Invalid slot or number of keys');

export function keySlotCommand(call: Call): void {
  const { buf, start, end } = call.arg(2);
  call.reply.integer(keySlot(buf, start, end));
}

/** CLUSTER COUNTKEYSINSLOT slot */
export function countKeysInSlot(call: Call): void {
  const slot = call.integerWithin(2, 0, SLOTS - 1, INVALID_SLOT);
  call.reply.integer(call.keyspace.slotKeys.count(slot));
}

/** CLUSTER GETKEYSINSLOT slot count */
export function getKeysInSlot(call: Call): void {
  const slot = call.integer(2);
  const max = call.integer(3);
  if (slot < 0 || slot >= SLOTS || max < 0) throw INVALID_SLOT_OR_COUNT;
  const { slotKeys } = call.keyspace;
  const count = Math.min(max, slotKeys.count(slot));
  call.reply.array(count);
  let entry = slotKeys.first(slot);
  for (let i = 0; i < count; i++) {
    call.reply.bulk(call.db.key(entry, keyView));
    entry = slotKeys.following(entry);
  }
}

const keyView = new Bytes();
