import type { Call } from './call.js';
import { CommandError, errors } from './errors.js';

/** An integer argument that will be negated, which the lowest 64-bit integer cannot be. */
export function negatableInteger(call: Call, index: number): number {
  const value = call.integer(index);
  if (value <= LOWEST && call.text(index) === String(LOWEST_EXACT)) throw outOfRange;
  return value;
}

const LOWEST_EXACT = -(2n ** 63n);
const LOWEST = Number(LOWEST_EXACT);
const outOfRange = new CommandError(
  'ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807',
);

/**
 * A negative count asks for that many random elements, with repetition. A count that no reply can hold is refused at
 * once; Redis tries until it runs out of memory. If the client has a limit, the reply ends there, and with it the connection.
 */
export function refuseEndless({ session }: Call, count: number): void {
  if (count >= -MAX_REPEATED) return;
  const isCut = session.sink.mayReply?.(-count * MIN_ELEMENT_BYTES) === false;
  if (!isCut) throw errors.outOfRange;
}

const MAX_REPEATED = 1 << 29;
/** `$0\r\n\r\n` */
const MIN_ELEMENT_BYTES = 6;
