import type { RandomSource } from '../bytes/random.js';
import { randomId } from './world.js';

/**
 * Which history the data has: an id, and how many bytes of the replication stream led to it. A server that is promoted begins
 * a new history and remembers the one it comes from, so that replicas of its former master can continue with it.
 */
export class History {
  id: string;
  /** Bytes of the stream so far: `master_repl_offset`. */
  offset = 0;
  /** The history before this one, valid up to `secondOffset`. */
  secondId = NO_ID;
  secondOffset = -1;
  readonly #random: RandomSource;

  constructor(random: RandomSource) {
    this.#random = random;
    this.id = randomId(random);
  }

  /** Begins an unrelated history: no replica can continue an earlier one. */
  renew(): void {
    this.id = randomId(this.#random);
    this.forgetSecond();
  }

  /** Begins a history that continues the present one: a replica becomes master. */
  fork(): void {
    this.remember(this.id, this.offset);
    this.id = randomId(this.#random);
  }

  /** The data is now that of another server's history, after a full synchronisation. */
  adopt(id: string, offset: number): void {
    this.id = id;
    this.offset = offset;
    this.forgetSecond();
  }

  /** The master continues the present history under a new id. */
  rename(id: string): void {
    this.remember(this.id, this.offset);
    this.id = id;
  }

  /** Another history led to the data up to this offset. */
  remember(id: string, offset: number): void {
    this.secondId = id;
    this.secondOffset = offset + 1;
  }

  forgetSecond(): void {
    this.secondId = NO_ID;
    this.secondOffset = -1;
  }

  /** Whether a server with the bytes before `next` of the history `id` can continue with this one. `next` counts from 1. */
  continues(id: string, next: number): boolean {
    const wanted = id.toLowerCase();
    return wanted === this.id || (wanted === this.secondId && next <= this.secondOffset);
  }
}

export const NO_ID = '0'.repeat(40);
