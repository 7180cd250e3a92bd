import type { Bytes } from '../../bytes/bytes.js';
import { MAX_TIME } from '../../keyspace/expiry-queue.js';
import type { Call } from '../call.js';
import { invalidExpire } from '../errors.js';

/** The four ways to write when a key expires: `EX seconds`, `PX milliseconds`, `EXAT unix-seconds`, `PXAT unix-ms`. */
export const ExpiryForm = { none: 0, ex: 1, px: 2, exat: 3, pxat: 4 } as const;
export type ExpiryForm = (typeof ExpiryForm)[keyof typeof ExpiryForm];

/** The form that the word selects; `none` if it is another word. */
export function expiryForm(word: Bytes): ExpiryForm {
  if (word.is('ex')) return ExpiryForm.ex;
  if (word.is('px')) return ExpiryForm.px;
  if (word.is('exat')) return ExpiryForm.exat;
  if (word.is('pxat')) return ExpiryForm.pxat;
  return ExpiryForm.none;
}

/**
 * The time in argument `index`, as Unix ms. An error unless it is an integer, positive, and within 64 bits when it is
 * counted in milliseconds from 1970.
 */
export function expiryTime(call: Call, index: number, form: ExpiryForm): number {
  const written = call.integer(index);
  if (written > 0 && written <= MAX_FAST) {
    const milliseconds = form === ExpiryForm.ex || form === ExpiryForm.exat ? written * 1000 : written;
    return form <= ExpiryForm.px ? milliseconds + call.now : milliseconds;
  }
  let exact = written <= 0 ? 0n : call.integer64(index);
  if (form === ExpiryForm.ex || form === ExpiryForm.exat) exact *= 1000n;
  if (form <= ExpiryForm.px && exact > 0n) exact += BigInt(call.now);
  if (exact <= 0n || exact > MAX_INT64) throw invalidExpire(call.command.fullName);
  return Math.min(Number(exact), MAX_TIME);
}

/** Up to this value nothing overflows or loses precision. */
const MAX_FAST = 4_000_000_000_000;
const MAX_INT64 = 2n ** 63n - 1n;
