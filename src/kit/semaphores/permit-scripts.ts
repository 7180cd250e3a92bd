import type { Store } from '../../store/index.js';
import {
  CLOCK,
  type Claim,
  type ClaimReply,
  type EvictionGuard,
  KitError,
  LINE,
  LIVE_WAITERS,
  readLua,
  WAITER_ALIVE,
} from '../foundation/index.js';

export interface SemaphoreKeys {
  readonly permits: string;
  readonly limit: string;
  readonly queue: string;
  readonly waiters: string;
}

export const SEMAPHORE_PARTS = ['permits', 'limit', 'queue', 'waiters'] as const;

const STATE = [LINE, 'permit-state.lua'];

const ACQUIRE = {
  keys: SEMAPHORE_PARTS,
  args: ['id', 'attempt', 'count', 'lease', 'channel', 'alive', 'defaultLimit'],
  repeatable: true,
  lua: readLua(import.meta.url, CLOCK, 'take-free.lua', ...STATE, 'acquire.lua'),
  reply: (reply: unknown) => reply as readonly [outcome: number, value: number],
} as const;

const RENEW = {
  keys: ['permits'],
  args: ['id', 'count', 'lease'],
  repeatable: true,
  lua: readLua(import.meta.url, CLOCK, 'renew.lua'),
  reply: (reply: unknown) => reply === 1,
} as const;

const RELEASE = {
  keys: SEMAPHORE_PARTS,
  args: ['id', 'count', 'defaultLimit'],
  repeatable: true,
  lua: readLua(import.meta.url, 'drop.lua', CLOCK, ...STATE, 'release.lua'),
  reply: (reply: unknown) => reply === 1,
} as const;

const SET_LIMIT = {
  keys: SEMAPHORE_PARTS,
  args: ['newLimit', 'defaultLimit'],
  repeatable: true,
  lua: readLua(import.meta.url, CLOCK, ...STATE, 'set-limit.lua'),
} as const;

const STATUS = {
  keys: SEMAPHORE_PARTS,
  args: ['defaultLimit'],
  repeatable: true,
  readOnly: true,
  lua: readLua(import.meta.url, CLOCK, LINE, LIVE_WAITERS, 'status.lua'),
  reply: (reply: unknown): SemaphoreStatus => {
    const [limit, held, waiting] = reply as readonly [number, number, number];
    return { limit, held, waiting };
  },
} as const;

/** The state of one semaphore. */
export interface SemaphoreStatus {
  readonly limit: number;
  /** Permits held. Can be more than the limit after it was lowered. */
  readonly held: number;
  /** Number of waiting acquisitions whose process has shown a sign of life in the last 15 s. */
  readonly waiting: number;
}

/** A request for permits: the arguments of the scripts. */
export interface PermitRequest {
  readonly name: string;
  readonly keys: SemaphoreKeys;
  readonly id: string;
  readonly count: number;
  readonly lease: number;
}

/** The operations on a semaphore. Each is atomic and takes one round trip. */
export interface PermitSteps {
  acquire(request: PermitRequest, claim: Claim): Promise<ClaimReply<true>>;
  /** False if they are no longer held. */
  renew(request: PermitRequest, lease: number): Promise<boolean>;
  /** False if they were not held. */
  release(request: PermitRequest): Promise<boolean>;
  /** Undefined restores the default. */
  setLimit(keys: SemaphoreKeys, limit: number | undefined): Promise<void>;
  status(keys: SemaphoreKeys): Promise<SemaphoreStatus>;
}

export function permitSteps(store: Store, defaultLimit: number, guard: EvictionGuard): PermitSteps {
  const acquire = guard.before(store.script(ACQUIRE));
  const renew = store.script(RENEW);
  const release = store.script(RELEASE);
  const setLimit = store.script(SET_LIMIT);
  const status = store.script(STATUS);
  return {
    acquire: async ({ name, keys, id, count, lease }, { channel, attempt }) => {
      const [outcome, value] = await acquire({
        ...keys,
        id,
        attempt,
        count,
        lease,
        channel,
        alive: WAITER_ALIVE,
        defaultLimit,
      });
      if (outcome < 0) throw tooMany(name, count, value);
      return outcome === 1 ? { isGranted: true, grant: true } : { isGranted: false, retryIn: value };
    },
    renew: ({ keys: { permits }, id, count }, lease) => renew({ permits, id, count, lease }),
    release: ({ keys, id, count }) => release({ ...keys, id, count, defaultLimit }),
    setLimit: async (keys, limit) => {
      await setLimit({ ...keys, newLimit: limit ?? '', defaultLimit });
    },
    status: (keys) => status({ ...keys, defaultLimit }),
  };
}

function tooMany(name: string, count: number, limit: number): KitError {
  return new KitError(
    'OPTION',
    `'${name}' has ${limit} permits, so ${count} can never be acquired: ask for fewer, or raise the limit`,
  );
}
