import type { Store } from '../../store/index.js';
import { KitError } from './kit-error.js';
import { callback, flag, optional, type Resolved } from './options.js';
import { isReplica, runsHere } from './runs-here.js';

/** What a component does about a server that evicts keys when its memory is full. */
export interface EvictionOptions {
  /**
   * With `true`, calls that write reject with `EVICTION` if the server may evict keys, or does not report its policy.
   * Default false: it warns.
   */
  readonly requireNoEviction?: boolean;
  /** Called once if the server may evict keys. Default: a process warning of code `EVICTION`, once per store. */
  readonly onWarning?: (warning: KitError) => void;
}

export const EVICTION_RULES = {
  requireNoEviction: flag(false),
  onWarning: optional(callback<NonNullable<EvictionOptions['onWarning']>>()),
};

/** Stores that a process warning was issued for. */
const warned = new WeakSet<Store>();

/**
 * Checks once, before the first write, whether the server may evict the component's keys. A server that does not report its
 * policy passes, unless `requireNoEviction` is set.
 *
 * @example
 * const guard = new EvictionGuard(store, 'counter', { requireNoEviction: true, onWarning: undefined });
 * const count = guard.before(store.script({ keys: ['visits'], lua: `return redis.call('INCR', visits)` }));
 * await count({ visits: 'visits' }); // 1
 */
export class EvictionGuard {
  readonly #store: Store;
  readonly #owner: string;
  readonly #options: Resolved<typeof EVICTION_RULES>;
  #isSettled = false;
  #checking: Promise<void> | undefined;

  constructor(store: Store, owner: string, options: Resolved<typeof EVICTION_RULES>) {
    this.#store = store;
    this.#owner = owner;
    this.#options = options;
  }

  /** Wraps a call with the check. The call waits for the check only with `requireNoEviction`. */
  before<Inputs, Result>(call: (inputs: Inputs) => Promise<Result>): (inputs: Inputs) => Promise<Result> {
    return (inputs) => {
      if (this.#isSettled) return call(inputs);
      const checked = this.#check();
      if (this.#options.requireNoEviction) return checked.then(() => call(inputs));
      checked.catch(() => {});
      return call(inputs);
    };
  }

  /** One check at a time. After an error the next call checks again. */
  #check(): Promise<void> {
    this.#checking ??= this.#look().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #look(): Promise<void> {
    const policies = await evictionPolicies(this.#store);
    const evicting = policies?.find((policy) => policy !== 'noeviction');
    if (this.#options.requireNoEviction) {
      if (policies === undefined) throw unknownPolicy(this.#owner);
      if (evicting !== undefined) throw evicts(this.#owner, evicting);
    }
    this.#isSettled = true;
    if (evicting !== undefined) this.#warn(evicts(this.#owner, evicting));
  }

  #warn(warning: KitError): void {
    const { onWarning } = this.#options;
    if (onWarning !== undefined) {
      onWarning(warning);
    } else if (!warned.has(this.#store)) {
      warned.add(this.#store);
      process.emitWarning(warning);
    }
  }
}

/**
 * The `maxmemory-policy` of the servers; undefined if they do not report it. On a server INFO is tried first: in a Cluster
 * it asks every server, and managed servers often forbid CONFIG. In an embedded store CONFIG GET is much cheaper.
 */
async function evictionPolicies(store: Store): Promise<readonly string[] | undefined> {
  for (const way of waysFor(store)) {
    const policies = await way(store);
    if (policies.length > 0) return policies;
  }
  return undefined;
}

function waysFor(store: Store): readonly ((store: Store) => Promise<string[]>)[] {
  if (isReplica(store)) return [infoOfMaster];
  return runsHere(store) ? [settingOf, infoOf] : [infoOf, settingOf];
}

async function infoOf(store: Store): Promise<string[]> {
  return policiesIn(await answerOf(() => store.send('INFO', 'memory')));
}

/** A replica runs INFO itself, but forwards scripts, which may write. Of a Cluster, one master answers. */
async function infoOfMaster(store: Store): Promise<string[]> {
  return policiesIn(await answerOf(() => store.send('EVAL', `return redis.call('INFO', 'memory')`, 0)));
}

function policiesIn(info: unknown): string[] {
  return [...JSON.stringify(info ?? '').matchAll(/maxmemory_policy:([a-z-]+)/g)].map(
    ([, policy]) => policy ?? '',
  );
}

async function settingOf(store: Store): Promise<string[]> {
  const setting = await answerOf(() => store.send('CONFIG', 'GET', 'maxmemory-policy'));
  const [, policy] = Array.isArray(setting) ? (setting as readonly unknown[]).flat() : [];
  return typeof policy === 'string' ? [policy] : [];
}

/** Undefined if the server refuses the command: it is forbidden (NOPERM) or renamed (ERR). */
async function answerOf(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'NOPERM' || code === 'ERR') return undefined;
    throw error;
  }
}

function evicts(owner: string, policy: string): KitError {
  return new KitError(
    'EVICTION',
    `${owner}: the server's maxmemory-policy is ${policy}: when its memory is full it drops keys, ` +
      'including those of this component. Set maxmemory-policy to noeviction, or keep caches on another server',
  );
}

function unknownPolicy(owner: string): KitError {
  return new KitError(
    'EVICTION',
    `${owner}: the server reports its maxmemory-policy neither by INFO nor by CONFIG GET: allow one of them, or ` +
      'leave out `requireNoEviction`',
  );
}
