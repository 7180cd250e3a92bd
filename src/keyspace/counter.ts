/**
 * A 64-bit count: a number as long as that is exact, a bigint beyond. Only commands that set a count by hand (XSETID,
 * XGROUP SETID, XCLAIM RETRYCOUNT) get there.
 */
export type Counter = number | bigint;

/** The shorter form of the two. */
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
