import type { Store } from '../../store/index.js';
import { type ClaimReply, KitError, readLua, WAITER_ALIVE } from '../foundation/index.js';

/** What the scripts of a lock are sent, whatever the store. */
export interface LockKeys {
  readonly holds: string;
  readonly fence: string;
  readonly queue: string;
  readonly waiters: string;
}

export const LOCK_PARTS = ['holds', 'fence', 'queue', 'waiters'] as const;

const LINE = '../foundation/waiting-line.lua';

const ACQUIRE = {
  keys: ['holds', 'fence', 'queue', 'waiters'],
  args: ['id', 'mode', 'holder', 'lease', 'fair', 'channel', 'alive', 'fence_memory'],
  lua: readLua(import.meta.url, LINE, 'lock-state.lua', 'acquire.lua'),
  reply: (reply: unknown) => reply as readonly [outcome: number, value: number],
} as const;

const RENEW = {
  keys: ['holds', 'fence'],
  args: ['id', 'lease', 'token', 'fence_memory'],
  lua: readLua(import.meta.url, 'renew.lua'),
  reply: (reply: unknown) => reply === 1,
} as const;

const RELEASE = {
  keys: ['holds', 'fence', 'queue', 'waiters'],
  args: ['id', 'fence_memory'],
  lua: readLua(import.meta.url, LINE, 'lock-state.lua', 'release.lua'),
  reply: (reply: unknown) => reply === 1,
} as const;

/** One wish for one lock, as the scripts take it. */
export interface LockWish {
  readonly name: string;
  readonly keys: LockKeys;
  readonly id: string;
  readonly holder: string;
  readonly lease: number;
  readonly fair: boolean;
  readonly shared: boolean;
}

/** The steps that change a lock, each one round trip and atomic. */
export interface LockSteps {
  acquire(wish: LockWish, channel: string): Promise<ClaimReply<number>>;
  /** False if it is not held any more. The fence is raised to the token at least. */
  renew(wish: LockWish, token: number, lease: number): Promise<boolean>;
  /** False if it was not held. */
  release(wish: LockWish): Promise<boolean>;
}

export function lockSteps(store: Store, fenceMemory: number): LockSteps {
  const acquire = store.script(ACQUIRE);
  const renew = store.script(RENEW);
  const release = store.script(RELEASE);
  const fence_memory = fenceMemory;
  return {
    acquire: async (wish, channel) => {
      const { keys, id, holder, lease, shared } = wish;
      // Those who share it keep the order, else a writer might wait for ever.
      const fair = wish.fair || shared ? 1 : 0;
      const mode = shared ? 's' : 'x';
      const alive = WAITER_ALIVE;
      const [outcome, value] = await acquire({
        ...keys,
        id,
        mode,
        holder,
        lease,
        fair,
        channel,
        alive,
        fence_memory,
      });
      if (outcome < 0) throw wouldWaitForItself(wish.name);
      return outcome === 1 ? { isGranted: true, grant: value } : { isGranted: false, retryIn: value };
    },
    renew: ({ keys: { holds, fence }, id }, token, lease) =>
      renew({ holds, fence, id, lease, token, fence_memory }),
    release: ({ keys, id }) => release({ ...keys, id, fence_memory }),
  };
}

function wouldWaitForItself(name: string): KitError {
  return new KitError(
    'UPGRADE',
    `the holder shares the lock '${name}' with others, and cannot wait for them to go while it stays: ` +
      'release the shared lock first, or acquire it exclusively from the start',
  );
}
