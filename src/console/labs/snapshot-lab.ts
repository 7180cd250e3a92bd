import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open, type Store } from '../../store/index.js';
import { inSteps, type Lab, Measured, oneValue, turn, valuesOf } from './lab.js';
import { findRedisServer, startRedisServer } from './redis-server.js';

/** A fork takes 200 to 300 ms for each GB. */
const PUBLISHED_MS_PER_GB = 250;
const GB = 1024 ** 3;
const AT_ONCE = 1_000;

async function fill(store: Store, keys: number, bytes: number): Promise<void> {
  const value = 'x'.repeat(bytes);
  for (let from = 0; from < keys; from += AT_ONCE) {
    const pairs = Array.from({ length: Math.min(AT_ONCE, keys - from) }, (_, i) => [
      `key:${from + i}`,
      value,
    ]);
    await store.send('MSET', ...pairs.flat());
  }
}

async function infoOf(store: Store, section: string, field: string): Promise<number> {
  const info = await store.send<string>('INFO', section);
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
}

/** Saves twice, and measures the second time: code is compiled in the first. */
async function longestWrite(store: Store, keys: number, signal: AbortSignal): Promise<number> {
  await saveAndWrite(store, keys, signal);
  return saveAndWrite(store, keys, signal);
}

/** Saves in the background, writes all the while, and returns the longest time between two writes, in ms. */
async function saveAndWrite(store: Store, keys: number, signal: AbortSignal): Promise<number> {
  let longest = 0;
  let isSaving = true;
  const probe = async (): Promise<void> => {
    let last = performance.now();
    for (let i = 0; isSaving && !signal.aborted; i++) {
      await store.send('SET', `key:${(i * 7_919) % keys}`, 'changed');
      await turn();
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }
  };
  const probing = probe();
  try {
    await store.send('BGSAVE');
    while (!signal.aborted && (await infoOf(store, 'persistence', 'rdb_bgsave_in_progress')) === 1)
      await turn();
  } finally {
    isSaving = false;
    await probing;
  }
  return longest;
}

/** The experiment on snapshots: a fork, and ours, which copies nothing. */
export const snapshotLab: Lab = {
  name: 'snapshot',
  title: 'Stall of a snapshot',
  about:
    'The longest time that a write waits while a snapshot is taken. Redis forks, which takes longer the more data there is; ours takes short steps. A redis-server is measured if it is installed.',
  isOwnPlace: true,
  parameters: [
    {
      ...{ name: 'keys', label: 'Keys', isList: true, isWhole: true, min: 100, max: 5_000_000 },
      values: [10_000, 100_000, 300_000],
    },
    { name: 'bytes', label: 'Bytes of a value', values: [100], min: 1, max: 10_000, isWhole: true },
  ],
  async *run(setting) {
    const { signal } = setting;
    const counts = valuesOf(setting, 'keys');
    const bytes = oneValue(setting, 'bytes');
    const measured = new Measured(counts.length);
    const redis = await findRedisServer();
    const steps = counts.flatMap((count, at) => [
      {
        doing: `ours, ${count} keys`,
        run: async () => {
          const folder = await mkdtemp(join(tmpdir(), 'sorrel-lab-'));
          try {
            await using store = await open(`file:${folder}`);
            await fill(store, count, bytes);
            measured.set(
              'published',
              at,
              (PUBLISHED_MS_PER_GB * (await infoOf(store, 'memory', 'used_memory'))) / GB,
            );
            measured.set('ours', at, await longestWrite(store, count, signal));
          } finally {
            await rm(folder, { recursive: true, force: true });
          }
        },
      },
      ...(redis === undefined
        ? []
        : [
            {
              doing: `redis-server, ${count} keys`,
              run: async () => {
                await using server = await startRedisServer(redis);
                await using store = await open(server.address);
                await fill(store, count, bytes);
                measured.set('redis-server', at, await longestWrite(store, count, signal));
                measured.set('fork', at, (await infoOf(store, 'stats', 'latest_fork_usec')) / 1_000);
              },
            },
          ]),
    ]);
    yield* inSteps(steps, signal, () => ({
      tables: [],
      charts: [
        {
          ...{ title: 'Longest wait of a write', unit: 'ms', axis: 'keys', positions: counts.map(String) },
          series: [
            { label: 'ours', kind: 'ours', values: [...measured.of('ours')] },
            ...(redis === undefined
              ? []
              : ([
                  { label: 'redis-server', kind: 'other', values: [...measured.of('redis-server')] },
                  { label: 'redis-server, fork alone', kind: 'other', values: [...measured.of('fork')] },
                ] as const)),
            { label: 'published, fork', kind: 'published', values: [...measured.of('published')] },
          ],
        },
      ],
    }));
  },
};
