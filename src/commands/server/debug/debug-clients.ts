import type { Call } from '../../call.js';
import { clientBytes } from '../../connection/client-line.js';
import { CommandError } from '../../errors.js';

const DISABLED = new CommandError('ERR maxmemory-clients is disabled.');

/** DEBUG CLIENT-EVICTION: how many clients use how much memory, by powers of two. Clients that are never evicted are left out. */
export function debugClientEviction(call: Call): void {
  const { settings, sessions } = call.engine;
  const limit = settings.text('maxmemory-clients');
  const isOff = limit.endsWith('%') ? settings.number('maxmemory') === 0 : limit === '0';
  if (isOff) throw DISABLED;
  const sums = new Array<number>(BUCKETS).fill(0);
  const counts = new Array<number>(BUCKETS).fill(0);
  for (const session of sessions.values()) {
    if (session.noEvict || session.kind === 'master' || session.kind === 'replica') continue;
    const bytes = clientBytes(session);
    const bucket = Math.min(BUCKETS - 1, Math.max(0, Math.floor(Math.log2(bytes)) - MIN_LOG + 1));
    sums[bucket] = (sums[bucket] as number) + bytes;
    counts[bucket] = (counts[bucket] as number) + 1;
  }
  const lines = sums.map((sum, i) => `${rangeOf(i)}: tot-mem: ${padded(sum)}, clients: ${counts[i]}\n`);
  call.reply.verbatim('txt', lines.join(''));
}

function rangeOf(bucket: number): string {
  const from = bucket === 0 ? 0 : 2 ** (bucket - 1 + MIN_LOG);
  const to = bucket === BUCKETS - 1 ? '+            ' : ` - ${padded(2 ** (bucket + MIN_LOG) - 1)}`;
  return `bucket ${padded(from)}${to}`;
}

function padded(value: number): string {
  return String(value).padStart(10);
}

/** The first bucket is below 32 KB, the last one from 4 GB on. */
const MIN_LOG = 15;
const BUCKETS = 19;
