import { parseInteger, parseInteger64 } from '../../bytes/numbers/integer.js';
import type { Call } from '../call.js';
import { CommandError } from '../errors.js';

const invalidOffset = new CommandError('ERR bit offset is not an integer or out of range');

/**
 * The bit offset in argument `index`. With `width` above 0, `#n` is the offset of the nth field of `width` bits. The byte
 * it is in must be one that a string can have.
 */
export function bitOffset(call: Call, index: number, width = 0): number {
  const { buf, start, end } = call.arg(index);
  const isCounted = width > 0 && buf[start] === HASH && end > start;
  const offset = scaled(buf, isCounted ? start + 1 : start, end, isCounted ? width : 1);
  const isTooFar = offset >= call.keyspace.limits.protoMaxBulkLen * 8 && call.session.kind !== 'master';
  if (offset < 0 || isTooFar) throw invalidOffset;
  return offset;
}

/** Multiplies as C does: the product wraps around at 64 bits. */
function scaled(buf: Buffer, start: number, end: number, factor: number): number {
  const product = parseInteger(buf, start, end) * factor;
  if (Number.isSafeInteger(product)) return product;
  const exact = parseInteger64(buf, start, end);
  if (exact === undefined) throw invalidOffset;
  return Number(BigInt.asIntN(64, exact * BigInt(factor)));
}

const HASH = 35;
