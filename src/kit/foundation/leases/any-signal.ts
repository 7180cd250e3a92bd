/** Keeps the signals alive that another one depends on. */
const sources = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/**
 * A signal that aborts when one of these does. Use it instead of `AbortSignal.any`, which in Node 20 does not keep its sources
 * alive: an `AbortSignal.timeout(…)` that the caller does not hold can be collected and then never aborts.
 */
export function anySignal(...signals: readonly AbortSignal[]): AbortSignal {
  const any = AbortSignal.any([...signals]);
  sources.set(any, signals);
  return any;
}
