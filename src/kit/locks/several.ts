import { anySignal, KitError } from '../foundation/index.js';
import type { Lock } from './lock.js';

/** Several locks held together. */
export interface LockSet extends AsyncDisposable {
  /** In the order in which they were taken. */
  readonly locks: readonly Lock[];
  /** The lock of this name. Throws if it is not in this set. */
  get(name: string): Lock;
  /** Whether all are still held. */
  readonly isHeld: boolean;
  /** Aborts with a `LOST` error as reason as soon as one of them is lost. */
  readonly signal: AbortSignal;
  /** Releases all locks. False if one was lost before. */
  release(): Promise<boolean>;
}

/**
 * Takes locks one by one in the order of their names. All clients use the same order, so there is no deadlock,
 * even if the names are on different servers.
 */
export async function acquireInOrder(
  names: readonly string[],
  acquire: (name: string) => Promise<Lock>,
): Promise<LockSet> {
  if (!Array.isArray(names) || names.length === 0) {
    throw new KitError(
      'OPTION',
      "acquireAll: names must be a list with at least one name, such as ['a', 'b']",
    );
  }
  const locks: Lock[] = [];
  try {
    for (const name of [...new Set(names)].sort()) locks.push(await acquire(name));
  } catch (error) {
    await releaseAll(locks).catch(() => {});
    throw error;
  }
  return new HeldSet(locks);
}

class HeldSet implements LockSet {
  readonly locks: readonly Lock[];
  readonly signal: AbortSignal;

  constructor(locks: readonly Lock[]) {
    this.locks = locks;
    this.signal = anySignal(...locks.map((lock) => lock.signal));
  }

  get(name: string): Lock {
    const found = this.locks.find((lock) => lock.name === name);
    if (found !== undefined) return found;
    throw new KitError(
      'OPTION',
      `'${name}' is not one of these locks: ${this.locks.map((lock) => lock.name).join(', ')}`,
    );
  }

  get isHeld(): boolean {
    return this.locks.every((lock) => lock.isHeld);
  }

  release(): Promise<boolean> {
    return releaseAll(this.locks);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}

/** Tries to release all before it throws the first error. */
async function releaseAll(locks: readonly Lock[]): Promise<boolean> {
  const outcomes = await Promise.allSettled(locks.map((lock) => lock.release()));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return outcomes.every((outcome) => outcome.status === 'fulfilled' && outcome.value);
}
