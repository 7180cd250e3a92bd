import type { Store } from '../../store/index.js';
import { KitError, milliseconds } from '../foundation/index.js';
import { type Lock, locks } from '../locks/index.js';
import { RECEIVE_RULES, type ReceiveOptions } from './receiving.js';

export interface ReceiveMailOptions extends ReceiveOptions {
  /**
   * How long to wait while another client receives from the mailbox, in ms; then the loop fails with `IN_USE`. `Infinity` is allowed:
   * the client takes over when the other one stops or dies. Default 15,000, which is longer than a dead receiver keeps the mailbox.
   */
  readonly wait?: number;
}

export const RECEIVE_MAIL_RULES = { ...RECEIVE_RULES, wait: milliseconds(15_000, { infinite: true }) };

/** Lets one client at a time receive from a mailbox. */
export class Receivers {
  readonly #locks;

  constructor(store: Store, prefix: string, lease: number) {
    this.#locks = locks(store, { prefix, lease, onWarning: () => {} });
  }

  /** The right to receive; undefined if the signal aborts first. */
  async next(of: string, wait: number, signal: AbortSignal | undefined): Promise<Lock | undefined> {
    try {
      return await this.#locks.acquire(of, { wait, fair: true, ...(signal === undefined ? {} : { signal }) });
    } catch (error) {
      if (signal?.aborted === true) return undefined;
      if (error instanceof KitError && error.code === 'TIMEOUT' && error.cause === undefined)
        throw inUse(of, wait);
      throw error;
    }
  }
}

function inUse(of: string, wait: number): KitError {
  return new KitError(
    'IN_USE',
    `another client has received from the mailbox of '${of}' for ${wait} ms: stop it, or raise \`wait\` to take over when it stops`,
  );
}

/** The error of a receiver that was paused or cut off for so long that another one has the mailbox. */
export function takenOver(of: string): KitError {
  return new KitError(
    'LOST',
    `another client receives from the mailbox of '${of}' now: this one did not answer for too long. Its last message was not ` +
      'acknowledged, and is given to the other one',
  );
}
