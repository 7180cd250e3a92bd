import { withoutPassword } from '../address.js';
import type { StoreReplication } from '../embedded-store.js';
import { StoreError } from '../store-error.js';
import { type StoreTime, throwIfAborted } from '../time.js';

export interface ConnectLimits {
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
}

/** Resolves when all data of the master at `address` has arrived. Rejects with `UNREACHABLE` after `timeout` ms. */
export function untilConnected(
  replication: StoreReplication,
  time: StoreTime,
  address: string,
  { timeout, signal }: ConnectLimits,
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    throwIfAborted(signal);
    const stop = replication.on('change', () => {
      if (replication.state === 'connected') end();
    });
    const end = (error?: unknown): void => {
      stop();
      cancel();
      signal?.removeEventListener('abort', onAbort);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onAbort = (): void => {
      try {
        throwIfAborted(signal);
      } catch (error) {
        end(error);
      }
    };
    const cancel = time.after(timeout, () => {
      const reason = `the data of ${withoutPassword(address)} did not arrive within ${timeout} ms: the replica is ${replication.state}`;
      end(new StoreError('UNREACHABLE', reason));
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    if (replication.state === 'connected') end();
  });
}
