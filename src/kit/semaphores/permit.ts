import { type Held, Holding, type HoldingOptions } from '../foundation/index.js';
import type { PermitRequest } from './permit-scripts.js';

/**
 * One or more held permits. Release them, or let `await using` do so.
 *
 * @example
 * await using permit = await semaphores(store, { limit: 3 }).acquire('exports');
 * await exportReport({ signal: permit.signal });
 */
export interface Permit extends Held {
  /** Number of permits. */
  readonly permits: number;
}

/** The holding of permits. */
export class HeldPermit extends Holding implements Permit {
  readonly permits: number;

  constructor({ name, count }: PermitRequest, options: HoldingOptions) {
    super(name, `the permit of '${name}'`, options);
    this.permits = count;
  }
}
