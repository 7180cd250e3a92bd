/** CRC-16/XMODEM, and the cluster slot of a key, which is computed from it. */

/** The number of slots of a cluster. */
export const SLOTS = 16384;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 8;
  for (let bit = 0; bit < 8; bit++) remainder = (remainder << 1) ^ (remainder & 0x8000 ? 0x1021 : 0);
  return remainder;
});

export function crc16(buffer: Uint8Array, start: number, end: number): number {
  let remainder = 0;
  for (let at = start; at < end; at++) {
    remainder = ((remainder << 8) & 0xffff) ^ (TABLE[(remainder >>> 8) ^ (buffer[at] as number)] as number);
  }
  return remainder;
}

/**
 * The cluster slot of a key, 0 to 16383. Only the bytes between the first `{` and the first `}` after it count, if
 * there are any: keys that share them share a slot.
 */
export function keySlot(buffer: Uint8Array, start: number, end: number): number {
  let remainder = 0;
  // Most keys have no brace: their bytes are read once.
  for (let at = start; at < end; at++) {
    const byte = buffer[at] as number;
    if (byte === OPEN_BRACE) return slotOfTagged(buffer, start, at, end);
    remainder = ((remainder << 8) & 0xffff) ^ (TABLE[(remainder >>> 8) ^ byte] as number);
  }
  return remainder & (SLOTS - 1);
}

function slotOfTagged(buffer: Uint8Array, start: number, open: number, end: number): number {
  let close = open + 1;
  while (close < end && buffer[close] !== CLOSE_BRACE) close++;
  const isTagged = close < end && close > open + 1;
  return (isTagged ? crc16(buffer, open + 1, close) : crc16(buffer, start, end)) & (SLOTS - 1);
}
