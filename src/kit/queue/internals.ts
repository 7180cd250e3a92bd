import type { QueueCore } from './lua/scripts.js';
import type { Results } from './results.js';

/** What the parts of this component know of a queue. */
export interface QueueInternals {
  readonly core: QueueCore;
  readonly results: Results;
}

const known = new WeakMap<object, QueueInternals>();

export function remember(queue: object, internals: QueueInternals): void {
  known.set(queue, internals);
}

export function internalsOf(queue: object): QueueInternals | undefined {
  return known.get(queue);
}

/** Undefined if the value is not a queue. */
export function coreOf(queue: unknown): QueueCore | undefined {
  return typeof queue === 'object' && queue !== null ? known.get(queue)?.core : undefined;
}
