import type { Store } from '../../store/index.js';
import {
  Acquirer,
  type Acquisition,
  checkStore,
  EvictionGuard,
  keyNaming,
  newId,
  Wakeups,
} from '../foundation/index.js';
import {
  type CompletePermitOptions,
  type PermitOptions,
  permitOptionsOver,
  resolveLimit,
  resolveSemaphoresOptions,
  type SemaphoresOptions,
} from './options.js';
import { HeldPermit, type Permit } from './permit.js';
import {
  type PermitRequest,
  type PermitSteps,
  permitSteps,
  SEMAPHORE_PARTS,
  type SemaphoreStatus,
} from './permit-scripts.js';

/** Semaphores by name, in one store. Made by `semaphores`. */
export interface Semaphores {
  /**
   * Waits for a permit, after all current waiters, and holds it. Rejects with `TIMEOUT` after `wait` ms.
   *
   * @example
   * await using permit = await semaphores(store, { limit: 3 }).acquire('exports', { wait: 60_000 });
   */
  acquire(name: string, options?: PermitOptions): Promise<Permit>;

  /**
   * Holds a permit if one is free now and there is no waiter; otherwise undefined.
   *
   * @example
   * await using permit = await semaphores(store, { limit: 3 }).tryAcquire('exports');
   * if (permit === undefined) return 'busy, come back later';
   */
  tryAcquire(name: string, options?: Omit<PermitOptions, 'wait'>): Promise<Permit | undefined>;

  /**
   * Runs a function while holding a permit. Rejects with `LOST` if the permit is lost meanwhile, even if the function
   * succeeds.
   *
   * @example
   * await semaphores(store, { limit: 3 }).run('exports', (permit) => exportReport(permit.signal));
   */
  run<Result>(
    name: string,
    work: (permit: Permit) => Result | Promise<Result>,
    options?: PermitOptions,
  ): Promise<Result>;

  /**
   * Sets the number of permits of a name for all processes; undefined restores the option `limit`. A higher limit grants
   * permits to waiters at once. A lower limit does not take held permits away.
   *
   * @example
   * await semaphores(store, { limit: 3 }).setLimit('exports', 10);
   */
  setLimit(name: string, limit: number | undefined): Promise<void>;

  /**
   * The limit, the number of permits held, and the number of waiting acquisitions.
   *
   * @example
   * await semaphores(store, { limit: 3 }).status('exports'); // { limit: 3, held: 0, waiting: 0 }
   */
  status(name: string): Promise<SemaphoreStatus>;
}

/**
 * Semaphores across processes: at most `limit` permits of a name are held at a time, first come first served. The lease of
 * a permit is renewed while its holder lives.
 *
 * @example
 * import { open } from 'sorrel';
 * import { semaphores } from 'sorrel/kit/semaphores';
 *
 * await using store = await open();
 * await using permit = await semaphores(store, { limit: 3 }).acquire('exports');
 */
export function semaphores(store: Store, options: SemaphoresOptions): Semaphores {
  checkStore('semaphores', store);
  return new StoreSemaphores(store, options);
}

class StoreSemaphores
  extends Acquirer<PermitOptions, CompletePermitOptions, true, Permit>
  implements Semaphores
{
  readonly #steps: PermitSteps;
  readonly #keysOf;

  constructor(store: Store, given: SemaphoresOptions) {
    const options = resolveSemaphoresOptions(given);
    super(store, new Wakeups(store, options.prefix), permitOptionsOver(options));
    this.#steps = permitSteps(store, options.limit, new EvictionGuard(store, 'semaphores', options));
    this.#keysOf = keyNaming('semaphores', options.prefix, SEMAPHORE_PARTS);
  }

  protected describe(name: string): string {
    return `a permit of '${name}'`;
  }

  protected request(name: string, options: CompletePermitOptions): Acquisition<true, Permit> {
    const { permits: count, lease } = options;
    const steps = this.#steps;
    const request: PermitRequest = { name, keys: this.#keysOf(name), id: newId(), count, lease };
    return {
      id: request.id,
      claim: (claim) => steps.acquire(request, claim),
      grantIn: () => true,
      renew: (_, duration) => steps.renew(request, duration),
      release: () => steps.release(request),
      hold: (_, holding) => new HeldPermit(request, holding),
    };
  }

  async setLimit(name: string, limit: number | undefined): Promise<void> {
    await this.#steps.setLimit(this.#keysOf(name), limit === undefined ? undefined : resolveLimit(limit));
  }

  async status(name: string): Promise<SemaphoreStatus> {
    return this.#steps.status(this.#keysOf(name));
  }
}
