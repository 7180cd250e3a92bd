/**
 * A 64-bit count: a number while that is exact, else a bigint. Only commands that set a count explicitly (XSETID,
 * XGROUP SETID, XCLAIM RETRYCOUNT) need a bigint.
 */
export type Counter = number | bigint;

/** A number if that is exact, else the bigint. */
export function counter(value: bigint): Counter {
  const near = Number(value);
  return Number.isSafeInteger(near) ? near : value;
}

export function add(a: Counter, b: Counter): Counter {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return counter(BigInt.asIntN(64, BigInt(a) + BigInt(b)));
}

export function subtract(a: Counter, b: Counter): Counter {
  return add(a, -b);
}
