import { shardedHash } from '../../kit/sharded-hash/index.js';
import { shardedSet } from '../../kit/sharded-set/index.js';
import { open, type Store } from '../../store/index.js';
import { inSteps, type Lab, Measured, valuesOf } from './lab.js';

/** A visitor takes this many bytes in sets of short shards. */
const PUBLISHED_VISITOR = 8;
const AT_ONCE = 1_000;

/** Ids of 15 digits, as those of visitors are. */
const idOf = (i: number): string => String(100_000_000_000_000 + i * 7_919_003);

type Fill = (store: Store, count: number) => Promise<void>;

async function inPortions(count: number, add: (from: number, to: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) await add(from, Math.min(count, from + AT_ONCE));
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

const FILLS: Readonly<Record<string, Fill>> = {
  'one hash': (store, count) =>
    inPortions(count, (from, to) =>
      store.send('HSET', 'hash', ...range(from, to).flatMap((i) => [idOf(i), i])),
    ),
  'sharded hash': (store, count) => {
    const hash = shardedHash(store, 'lab', { expected: count, onWarning: () => {} });
    return inPortions(count, (from, to) =>
      Promise.all(range(from, to).map((i) => hash.set(idOf(i), String(i)))),
    );
  },
  'one set': (store, count) =>
    inPortions(count, (from, to) => store.send('SADD', 'set', ...range(from, to).map(idOf))),
  'sharded set': (store, count) => {
    const set = shardedSet(store, 'lab', { expected: count, onWarning: () => {} });
    return inPortions(count, (from, to) => Promise.all(range(from, to).map((i) => set.add(idOf(i)))));
  },
};

async function usedMemory(store: Store): Promise<number> {
  const info = await store.send<string>('INFO', 'memory');
  return Number(/used_memory_dataset:(\d+)/.exec(info)?.[1] ?? /used_memory:(\d+)/.exec(info)?.[1] ?? 0);
}

/** The experiment on the memory of sharded structures. */
export const memoryLab: Lab = {
  name: 'sharded',
  title: 'Memory of sharded structures',
  about: 'Bytes per element of one large hash or set, and of the same divided into short packed shards.',
  isOwnPlace: true,
  parameters: [
    {
      ...{ name: 'elements', label: 'Elements', isList: true, isWhole: true, min: 100, max: 5_000_000 },
      values: [1_000, 10_000, 100_000],
    },
  ],
  run(setting) {
    const { signal } = setting;
    const counts = valuesOf(setting, 'elements');
    const measured = new Measured(counts.length);
    const steps = counts.flatMap((count, at) =>
      Object.entries(FILLS).map(([name, fill]) => ({
        doing: `${name}, ${count} elements`,
        run: async () => {
          await using store = await open();
          const before = await usedMemory(store);
          await fill(store, count);
          measured.set(name, at, ((await usedMemory(store)) - before) / count);
        },
      })),
    );
    const chart = (
      title: string,
      names: readonly [string, string],
      published: readonly (number | null)[],
    ) => ({
      ...{ title, unit: 'bytes per element', axis: 'elements', positions: counts.map(String) },
      series: [
        { label: names[0], kind: 'guide', values: [...measured.of(names[0])] } as const,
        { label: names[1], kind: 'ours', values: [...measured.of(names[1])] } as const,
        ...(published.length === 0
          ? []
          : [{ label: 'published, visitor', kind: 'published', values: published } as const]),
      ],
    });
    return inSteps(steps, signal, () => ({
      tables: [],
      charts: [
        chart('Hash: memory', ['one hash', 'sharded hash'], []),
        chart(
          'Set: memory',
          ['one set', 'sharded set'],
          counts.map(() => PUBLISHED_VISITOR),
        ),
      ],
    }));
  },
};
