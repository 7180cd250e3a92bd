import { StoreError } from '../../store/index.js';
import type { StoreServer } from '../../store/servers.js';
import type { CallOptions, Reply } from '../../store/transport.js';

/** How many calls took up to each number of µs, since the server started. */
export type Histogram = ReadonlyMap<number, number>;

export const emptyHistogram = (): Histogram => new Map();

/** All commands of LATENCY HISTOGRAM together. Empty if the server does not have it or the user may not ask. */
export async function histogramOf(server: StoreServer, options: CallOptions): Promise<Histogram> {
  let reply: Reply;
  try {
    reply = await server.send('LATENCY HISTOGRAM', [], options);
  } catch (error) {
    if (error instanceof StoreError && (error.code === 'ERR' || error.code === 'NOPERM')) return new Map();
    throw error;
  }
  let sum: Histogram = new Map();
  const commands = reply as readonly (Buffer | readonly Reply[])[];
  for (let i = 1; i < commands.length; i += 2) {
    const fields = commands[i] as readonly Reply[];
    sum = addHistograms(sum, bucketsOf(fields[3] as readonly number[]));
  }
  return sum;
}

/** The reply counts calls up to each limit; here each bucket has its own. */
function bucketsOf(cumulated: readonly number[]): Histogram {
  const buckets = new Map<number, number>();
  let before = 0;
  for (let i = 0; i < cumulated.length; i += 2) {
    const calls = Number(cumulated[i + 1]);
    buckets.set(Number(cumulated[i]), calls - before);
    before = calls;
  }
  return buckets;
}

export function addHistograms(one: Histogram, other: Histogram): Histogram {
  const sum = new Map(one);
  for (const [limit, calls] of other) sum.set(limit, (sum.get(limit) ?? 0) + calls);
  return sum;
}

/** The calls between two moments. */
export function since(before: Histogram, now: Histogram): Histogram {
  const calls = new Map<number, number>();
  for (const [limit, total] of now) calls.set(limit, Math.max(0, total - (before.get(limit) ?? 0)));
  return calls;
}

/** The limit in µs that this share of the calls did not exceed; null without calls. */
export function percentile(histogram: Histogram, share: number): number | null {
  const buckets = [...histogram].sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, calls]) => sum + calls, 0);
  if (total === 0) return null;
  let seen = 0;
  for (const [limit, calls] of buckets) {
    seen += calls;
    if (seen >= total * share) return limit;
  }
  return buckets.at(-1)?.[0] ?? null;
}
