import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../store/index.js';
import { type StoreServer, serversOf } from '../../store/servers.js';
import type { CallOptions } from '../../store/transport.js';
import { type ApiRoute, type ConsoleContext, type Emit, read, stream } from '../frame/route.js';
import type { OverviewState, Sample, ServerSummary } from '../types/overview.js';
import { infoOf, pairsOf, type ServerInfo, versionIn } from './info.js';
import { addHistograms, emptyHistogram, type Histogram, histogramOf, percentile, since } from './latency.js';
import { warningsOf } from './warnings.js';

const SECTIONS = ['server', 'clients', 'memory', 'stats', 'replication', 'keyspace', 'persistence'];
const INTERVAL_MS = 1000;
/** A server that does not answer for this long is in trouble, and the page says so. */
const PATIENCE_MS = 2000;

export const overviewRoutes: readonly ApiRoute[] = [
  read('overview', async ({ store, signal }): Promise<OverviewState> => {
    const servers = serversOf(store);
    const infos = await Promise.all(servers.map((server) => infoOf(server, SECTIONS, { signal })));
    const warnings = await Promise.all(
      servers.map((server, index) => warningsOf(server, infos[index] as ServerInfo, { signal })),
    );
    return {
      servers: servers.map((server, index) => summary(server, infos[index] as ServerInfo)),
      warnings: warnings.flat(),
    };
  }),

  stream('overview/live', async ({ context, signal }, emit) => {
    const sampler = samplers.get(context) ?? new Sampler(context.store);
    samplers.set(context, sampler);
    await sampler.listen(signal, emit);
  }),
];

const samplers = new WeakMap<ConsoleContext, Sampler>();

/** Takes a sample each second while a page listens; all pages get the same ones. */
class Sampler {
  readonly #store: Store;
  readonly #listeners = new Set<(event: string, data: unknown) => void>();
  #isRunning = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Until the signal is aborted. */
  async listen(signal: AbortSignal, emit: Emit): Promise<void> {
    let isFree = true;
    // A browser that takes no more misses samples; the others do not wait for it.
    const listener = (event: string, data: unknown): void => {
      if (!isFree) return;
      isFree = false;
      void emit(event, data).then(() => {
        isFree = true;
      });
    };
    this.#listeners.add(listener);
    void this.#run();
    if (!signal.aborted) await once(signal, 'abort');
    this.#listeners.delete(listener);
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    let before: Counters | undefined;
    while (this.#listeners.size > 0) {
      try {
        const now = await countersOf(serversOf(this.#store), { timeout: PATIENCE_MS });
        if (before !== undefined) this.#tell('sample', sampleBetween(before, now));
        before = now;
      } catch (error) {
        this.#tell('trouble', { message: error instanceof Error ? error.message : String(error) });
      }
      await sleep(INTERVAL_MS, undefined, { ref: false });
    }
    this.#isRunning = false;
  }

  #tell(event: string, data: unknown): void {
    for (const listener of this.#listeners) listener(event, data);
  }
}

function summary({ name }: StoreServer, info: ServerInfo): ServerSummary {
  return {
    name,
    version: versionIn(info),
    role: info.text('role'),
    uptime: info.number('uptime_in_seconds') * 1000,
    memory: info.number('used_memory'),
    keys: keysIn(info),
    clients: info.number('connected_clients'),
  };
}

/** The keys of all databases. */
export function keysIn(info: ServerInfo): number {
  let keys = 0;
  for (const [database, text] of info.startingWith('db')) {
    if (/^\d+$/.test(database)) keys += Number(pairsOf(text)['keys'] ?? 0);
  }
  return keys;
}

const SUMMED = {
  commands: 'total_commands_processed',
  hits: 'keyspace_hits',
  misses: 'keyspace_misses',
  received: 'total_net_input_bytes',
  sent: 'total_net_output_bytes',
  expired: 'expired_keys',
  evicted: 'evicted_keys',
} as const;
const CURRENT = {
  memory: 'used_memory',
  maxMemory: 'maxmemory',
  resident: 'used_memory_rss',
  clients: 'connected_clients',
  blocked: 'blocked_clients',
} as const;

type Figures<Names> = { -readonly [Name in keyof Names]: number };

interface Counters {
  readonly at: number;
  readonly summed: Figures<typeof SUMMED>;
  readonly current: Figures<typeof CURRENT>;
  readonly keys: number;
  readonly latencies: Histogram;
}

async function countersOf(servers: readonly StoreServer[], options: CallOptions): Promise<Counters> {
  const answers = await Promise.all(
    servers.map(async (server) => ({
      info: await infoOf(server, ['clients', 'memory', 'stats', 'keyspace'], options),
      latencies: await histogramOf(server, options),
    })),
  );
  const total = (field: string): number => answers.reduce((sum, { info }) => sum + info.number(field), 0);
  const totals = <Names extends Readonly<Record<string, string>>>(names: Names): Figures<Names> =>
    Object.fromEntries(Object.entries(names).map(([name, field]) => [name, total(field)])) as Figures<Names>;
  return {
    at: Date.now(),
    summed: totals(SUMMED),
    current: totals(CURRENT),
    keys: answers.reduce((sum, { info }) => sum + keysIn(info), 0),
    latencies: answers.reduce((sum, { latencies }) => addHistograms(sum, latencies), emptyHistogram()),
  };
}

function sampleBetween(before: Counters, now: Counters): Sample {
  const seconds = Math.max(0.001, (now.at - before.at) / 1000);
  // After CONFIG RESETSTAT or a failover the counters begin again.
  const rate = (name: keyof typeof SUMMED): number =>
    Math.max(0, now.summed[name] - before.summed[name]) / seconds;
  const latencies = since(before.latencies, now.latencies);
  return {
    at: now.at,
    ...now.current,
    keys: now.keys,
    commands: rate('commands'),
    hits: rate('hits'),
    misses: rate('misses'),
    received: rate('received'),
    sent: rate('sent'),
    expired: rate('expired'),
    evicted: rate('evicted'),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}
