import { Holding, type HoldingOptions } from '../foundation/index.js';
import type { PermitWish } from './permit-scripts.js';

/**
 * One or more permits that are held. Release them, or let `await using` do so.
 *
 * @example
 * await using permit = await semaphores(store, { limit: 3 }).acquire('exports');
 * await exportReport({ signal: permit.signal });
 */
export interface Permit extends AsyncDisposable {
  readonly name: string;
  /** How many it stands for. */
  readonly permits: number;
  /** Whether it is still held, as far as this side can know without asking. */
  readonly isHeld: boolean;
  /** Aborts with a `LOST` error as reason when it is lost; not when it is released. */
  readonly signal: AbortSignal;
  /** Asks the server now for a new lease, of this length in ms or the usual one. False if it is lost. */
  renew(lease?: number): Promise<boolean>;
  /** Gives it back, only if it is still held. False if it was lost before. Twice is no error. */
  release(): Promise<boolean>;
}

/** A holding that is a permit. */
export class HeldPermit extends Holding implements Permit {
  readonly name: string;
  readonly permits: number;

  constructor({ name, count }: PermitWish, options: Omit<HoldingOptions, 'what'>) {
    super({ ...options, what: `the permit of '${name}'` });
    this.name = name;
    this.permits = count;
  }
}
