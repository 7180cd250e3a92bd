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

/** The keys of a lock. */
export interface LockKeys {
  readonly state: string;
  readonly queue: string;
  readonly waiters: string;
}

export const LOCK_PARTS = ['state', 'queue', 'waiters'] as const;

const KEYS = ['lock', 'queue', 'waiters'] as const;

const ACQUIRE = {
  keys: KEYS,
  args: ['id', 'claim', 'lease', 'keep', 'first', 'request', 'channel'],
  repeatable: true,
  lua: readLua(import.meta.url, CLOCK, 'take-free.lua', LINE, 'lock-state.lua', 'acquire.lua'),
  reply: Number,
} as const;

const RENEW = {
  keys: ['lock'],
  args: ['id', 'lease', 'token', 'keep'],
  repeatable: true,
  lua: readLua(import.meta.url, CLOCK, 'renew.lua'),
  reply: isOne,
} as const;

const RELEASE = {
  keys: KEYS,
  args: ['id', 'keep'],
  repeatable: true,
  lua: readLua(
    import.meta.url,
    'drop.lua',
    CLOCK,
    'leave-free.lua',
    LINE,
    'read-state.lua',
    'lock-state.lua',
    'release.lua',
  ),
  reply: Number,
} as const;

const SERVE = {
  keys: KEYS,
  args: ['keep'],
  repeatable: true,
  lua: readLua(import.meta.url, CLOCK, LINE, 'read-state.lua', 'lock-state.lua', 'serve.lua'),
  reply: Number,
} as const;

const STATUS = {
  keys: KEYS,
  readOnly: true,
  lua: readLua(import.meta.url, CLOCK, LINE, LIVE_WAITERS, 'status.lua'),
  reply: toStatus,
} as const;

const FORCE_RELEASE = {
  keys: KEYS,
  args: ['only', 'keep'],
  lua: readLua(import.meta.url, CLOCK, LINE, 'read-state.lua', 'lock-state.lua', 'force-release.lua'),
  reply: Number,
} as const;

function isOne(reply: unknown): boolean {
  return reply === 1;
}

/** A holder of a lock. */
export interface LockHolder {
  /** See `Lock.holder`. */
  readonly holder: string;
  readonly token: number;
  readonly isShared: boolean;
  /** The number of times that it has acquired the lock. */
  readonly acquisitions: number;
  /** Ms until its lease ends, unless it is renewed. */
  readonly leaseLeft: number;
}

/** The state of one lock. */
export interface LockStatus {
  /** In no particular order; several only of a shared lock. */
  readonly holders: readonly LockHolder[];
  /** Number of waiting acquisitions whose process has shown a sign of life in the last 15 s. */
  readonly waiting: number;
}

/** One entry for each holder, whatever the number of its acquisitions. */
function toStatus(reply: unknown): LockStatus {
  const [waiting, ...fields] = reply as readonly [number, ...(string | number)[]];
  const holders = new Map<string, LockHolder>();
  for (let at = 0; at < fields.length; at += 4) {
    const [mode, leaseLeft, token, holder] = fields.slice(at, at + 4) as [string, number, string, string];
    const other = holders.get(holder);
    holders.set(holder, {
      holder,
      token: Number(token),
      isShared: mode === 's' && other?.isShared !== false,
      acquisitions: (other?.acquisitions ?? 0) + 1,
      leaseLeft: Math.max(leaseLeft, other?.leaseLeft ?? 0),
    });
  }
  return { holders: [...holders.values()], waiting };
}

/** How a waiter gets the lock: see serveLine in lock-state.lua. */
const TURNS = {
  /** It is handed the lock. */
  given: 'g',
  /** It is handed the lock if its process listens; otherwise it is skipped. */
  givenIfListening: 'l',
  /** It is woken and tries again. */
  woken: 'w',
} as const;

export type Turn = keyof typeof TURNS;

/** A request for one lock: the arguments of the scripts. */
export interface LockRequest {
  readonly name: string;
  readonly keys: LockKeys;
  readonly id: string;
  readonly holder: string;
  readonly lease: number;
  readonly fair: boolean;
  readonly shared: boolean;
  readonly turn: Turn;
  /** For this many ms, a waiter lets others overtake it. */
  readonly patience: number;
}

/** The operations on a lock. Each is atomic and takes one round trip. */
export interface LockSteps {
  /** The grant is the token. */
  acquire(request: LockRequest, claim: Claim): Promise<ClaimReply<number>>;
  /** False if it is no longer held. The fence is raised to at least the token. */
  renew(request: LockRequest, token: number, lease: number): Promise<boolean>;
  /**
   * 0 if it was not held; 1 if it is free, or handed to a waiter; from 2 on: it is free, but clients wait. They let others overtake for that many µs
   * less 2; if no client does, they should be served.
   * @param leave the first waiter is known to let others overtake: leave it free, without looking
   */
  release(request: LockRequest, leave?: boolean): Promise<number>;
  /** Hands it to the next waiters, if it is free. */
  serve(keys: LockKeys): Promise<unknown>;
  status(keys: LockKeys): Promise<LockStatus>;
  /** From one holder or all; the number of holders that lost it. */
  forceRelease(keys: LockKeys, holder: string | undefined): Promise<number>;
}

export function lockSteps(store: Store, fenceMemory: number, guard: EvictionGuard): LockSteps {
  const acquire = guard.before(store.script(ACQUIRE));
  const renew = store.script(RENEW);
  const release = store.script(RELEASE);
  const serve = store.script(SERVE);
  const status = store.script(STATUS);
  const forceRelease = store.script(FORCE_RELEASE);
  const keep = fenceMemory;
  return {
    acquire: async (
      { name, keys, id, holder, lease, fair, shared, turn, patience },
      { attempt, channel },
    ) => {
      const outcome = await acquire({
        lock: keys.state,
        queue: keys.queue,
        waiters: keys.waiters,
        id,
        claim: shared ? `s ${holder}` : `x ${holder}`,
        lease,
        keep: Math.max(lease, fenceMemory),
        first: attempt === 1 && !fair ? 1 : 0,
        request: `${TURNS[turn]} ${fair ? 1 : 0} ${attempt} ${WAITER_ALIVE} ${patience}`,
        channel,
      });
      if (outcome === 0) throw wouldWaitForItself(name);
      return outcome > 0 ? { isGranted: true, grant: outcome } : { isGranted: false, retryIn: -outcome };
    },
    renew: ({ keys, id }, token, lease) => renew({ lock: keys.state, id, lease, token, keep }),
    release: ({ keys: { state, queue, waiters }, id }, leave = false) =>
      release({ lock: state, queue, waiters, id, keep: leave ? '' : keep }),
    serve: ({ state, queue, waiters }) => serve({ lock: state, queue, waiters, keep }),
    status: ({ state, queue, waiters }) => status({ lock: state, queue, waiters }),
    forceRelease: ({ state, queue, waiters }, holder) =>
      forceRelease({ lock: state, queue, waiters, only: holder ?? '', keep }),
  };
}

function wouldWaitForItself(name: string): KitError {
  return new KitError(
    'UPGRADE',
    `the holder shares the lock '${name}' with other holders and cannot get it exclusively: ` +
      'release the shared lock first, or acquire it exclusively from the start',
  );
}
