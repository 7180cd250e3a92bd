import { type Store, StoreError } from '../../store/index.js';
import type { Entry, ValueComparison } from './copy-comparison.js';

/** Batches grow and shrink between these, so that large values do not fill the memory. */
const FEWEST = 1;
const MOST = 500;
const BATCH_BYTES = 16 << 20;

/** Handles a batch of keys; returns its size in bytes. */
type Work = (keys: readonly Buffer[]) => Promise<number>;

/** Hands over all keys of the source's servers in batches. Stops between two batches when the signal is aborted. */
export async function forEachBatch(
  servers: readonly Store[],
  signal: AbortSignal,
  work: Work,
): Promise<void> {
  let size = 100;
  for (const server of servers) {
    let batch: Buffer[] = [];
    const flush = async (): Promise<void> => {
      signal.throwIfAborted();
      const bytes = await work(batch);
      size = bytes > BATCH_BYTES ? Math.max(FEWEST, size >> 1) : Math.min(MOST, size << 1);
      batch = [];
    };
    for await (const key of server.bytes.scan({ count: MOST })) {
      batch.push(key);
      if (batch.length >= size) await flush();
    }
    if (batch.length > 0) await flush();
  }
}

/** Writes the keys to the target as they are at the source. Keys that no longer exist are left out. */
export async function copyKeys(source: Store, target: Store, keys: readonly Buffer[]): Promise<number> {
  const entries = await readEntries(source, keys);
  await writeEntries(target, keys, entries);
  return bytesOf(entries);
}

/** Compares the keys at both places and copies those again that differ; gives how many did. */
export async function repairKeys(
  source: Store,
  target: Store,
  keys: readonly Buffer[],
  comparison: ValueComparison,
): Promise<{ readonly bytes: number; readonly differing: number }> {
  const [wanted, found] = await Promise.all([readEntries(source, keys), readEntries(target, keys)]);
  const differing = wanted.map((entry, i) => {
    const other = found[i];
    if (entry === undefined) return undefined;
    return other !== undefined && comparison.areEqual(entry, other) ? undefined : entry;
  });
  await writeEntries(target, keys, differing);
  return { bytes: bytesOf(wanted), differing: differing.filter((entry) => entry !== undefined).length };
}

export async function deleteKeys(store: Store, keys: readonly Buffer[]): Promise<void> {
  await store.pipeline((queue) => keys.map((key) => queue.send('UNLINK', key)));
}

/** The keys that the store does not have. */
export async function missingKeys(store: Store, keys: readonly Buffer[]): Promise<Buffer[]> {
  const found = await store.pipeline((queue) => keys.map((key) => queue.send<number>('EXISTS', key)));
  return keys.filter((_, i) => found[i] === 0);
}

async function readEntries(store: Store, keys: readonly Buffer[]): Promise<(Entry | undefined)[]> {
  const replies = await store.bytes.pipeline((queue) =>
    keys.flatMap((key) => [queue.send('DUMP', key), queue.send('PEXPIRETIME', key)]),
  );
  return keys.map((_, i) => entryOf(replies[2 * i], Number(replies[2 * i + 1])));
}

/** The results of DUMP and PEXPIRETIME for a key; undefined if one of them reports that it does not exist. */
export function entryOf(payload: unknown, expiresAt: number): Entry | undefined {
  // The key expired between the two commands: without a time to live it would stay forever.
  if (!Buffer.isBuffer(payload) || expiresAt === GONE) return undefined;
  return { payload, expiresAt: Math.max(0, expiresAt) };
}

/** The reply of PEXPIRETIME for a missing key. */
const GONE = -2;

/** Overwrites: SCAN may bring a key twice. */
async function writeEntries(
  store: Store,
  keys: readonly Buffer[],
  entries: readonly (Entry | undefined)[],
): Promise<void> {
  try {
    await store.pipeline((queue) =>
      entries.flatMap((entry, i) =>
        entry === undefined
          ? []
          : [queue.send('RESTORE', keys[i] as Buffer, entry.expiresAt, entry.payload, 'ABSTTL', 'REPLACE')],
      ),
    );
  } catch (error) {
    throw error instanceof StoreError ? explained(error) : error;
  }
}

function explained(error: StoreError): Error {
  if (/payload version or checksum|Bad data format/.test(error.message)) {
    return new Error(`the target is older than the source and does not know its format (${error.message})`, {
      cause: error,
    });
  }
  return error;
}

function bytesOf(entries: readonly (Entry | undefined)[]): number {
  return entries.reduce((sum, entry) => sum + (entry?.payload.length ?? 0), 0);
}
