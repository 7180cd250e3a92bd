import { type BoardKind, type Figure, keyBoard, type OpenedBoard } from '../foundation/index.js';

const MAX_PERIODS = 8;

/** Count and mean of each type and period. */
async function figures({ store, place, key }: OpenedBoard): Promise<Figure[]> {
  const parts = [...place.parts].sort().slice(-MAX_PERIODS);
  const found = await store.pipeline((queue) =>
    parts.map((part) => queue.send<(string | null)[]>('HMGET', key(part), 'count', 'mean', 'max')),
  );
  return parts.flatMap((part, i): Figure[] => {
    const [count = null, mean = null, max = null] = found[i] ?? [];
    if (count === null) return [];
    const text = `${count} × ${Number(mean).toPrecision(4)}, max ${Number(max).toPrecision(4)}`;
    return [{ label: part, value: text }];
  });
}

/** How the console shows statistics. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'statistics', title: 'Statistics', about: 'mean, deviation and percentiles', prefix: 'stats' },
    figures,
    parts: { '*': { type: 'hash', title: 'Period', columns: [{ title: 'Figure' }, { title: 'Value' }] } },
  }),
  keyBoard({
    ...{ kind: 'slowest', title: 'Slowest', about: 'the slowest contexts', prefix: 'stats-slowest' },
    parts: {
      means: {
        ...{ type: 'zset', title: 'Mean', isDescending: true },
        columns: [{ title: 'Context' }, { title: 'Mean', format: 'milliseconds' }],
      },
      counts: { type: 'hash', title: 'Number', columns: [{ title: 'Context' }, { title: 'Values' }] },
    },
  }),
];
