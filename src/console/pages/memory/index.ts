import { StoreError } from '../../../store/index.js';
import { type StoreServer, serversOf } from '../../../store/servers.js';
import type { Store } from '../../../store/store.js';
import type { CallOptions } from '../../../store/transport.js';
import { type ApiRoute, stream } from '../../frame/route.js';
import type { MemoryReport } from '../../types/memory.js';
import { Pace } from '../pace.js';
import { MemorySample, type SampledKey } from './sample.js';
import { Savings } from './savings.js';

/** Fewer than a search takes: each key is measured, too, and other clients wait for that. */
const MAX_KEYS = 100;
const REPORT_MS = 500;
const MAX_SAMPLE = 100_000_000;

/**
 * Measures keys in the order of the servers' hash tables, which has nothing to do with their names: the first ones are a random sample.
 * Of a Cluster, each server contributes by its number of keys.
 */
export const memoryRoutes: readonly ApiRoute[] = [
  stream('memory/sample', async ({ store, inputs, signal }, emit) => {
    const size = inputs.integer('size', { min: 1, max: MAX_SAMPLE, default: 10_000 });
    const sample = new MemorySample(
      inputs.text('separator', ':'),
      inputs.integer('depth', { min: 1, max: 5, default: 1 }),
    );
    const savings = new Savings(store);
    const servers = serversOf(store);
    const sizes = await Promise.all(
      servers.map(async (server) => Number(await server.send('DBSIZE', [], { signal }))),
    );
    const total = sizes.reduce((sum, keys) => sum + keys, 0);
    let reportedAt = performance.now();
    const report = async (isDone: boolean): Promise<void> => {
      const saved = isDone ? await savings.report(total, sample.size) : [];
      const result: MemoryReport = { ...sample.report(total, isDone), savings: saved };
      await emit('report', result);
      reportedAt = performance.now();
    };
    for (const [index, server] of servers.entries()) {
      const share = total === 0 ? 0 : (sizes[index] as number) / total;
      for await (const keys of sampledKeys(store, server, Math.ceil(size * share), { signal })) {
        for (const key of keys) {
          sample.add(key);
          await savings.add(key);
        }
        if (performance.now() - reportedAt > REPORT_MS) await report(false);
        if (signal.aborted) return;
      }
    }
    await report(true);
  }),
];

/** The first `wanted` keys of a server, measured. */
async function* sampledKeys(
  store: Store,
  server: StoreServer,
  wanted: number,
  options: CallOptions & { readonly signal: AbortSignal },
): AsyncGenerator<readonly SampledKey[]> {
  let cursor = '0';
  let found = 0;
  const pace = new Pace(options.signal, 'gentle');
  do {
    const keysOfStep = Math.min(MAX_KEYS, pace.begin());
    const reply = await server.send('SCAN', [cursor, 'COUNT', keysOfStep], options);
    const [next, keys] = reply as unknown as [Buffer, Buffer[]];
    cursor = String(next);
    const measured = await measure(store, keys.slice(0, wanted - found));
    found += measured.length;
    yield measured;
    await pace.pause();
  } while (cursor !== '0' && found < wanted && !options.signal.aborted);
}

async function measure(store: Store, keys: readonly Buffer[]): Promise<SampledKey[]> {
  if (keys.length === 0) return [];
  const replies = await store.pipeline(
    (queue) =>
      keys.flatMap((key) => [
        queue.send('TYPE', key),
        queue.send('OBJECT ENCODING', key),
        queue.send('MEMORY USAGE', key),
      ]),
    { settle: true },
  );
  return keys.flatMap((key, index) => {
    const [type, encoding, bytes] = replies.slice(3 * index, 3 * index + 3);
    // The user may not ask, which is worth an error; or the key is gone.
    if (bytes instanceof StoreError) throw bytes;
    if (bytes === null || encoding instanceof StoreError) return [];
    return [{ key, type: String(type), encoding: String(encoding), bytes: Number(bytes) }];
  });
}
