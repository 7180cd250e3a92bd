import { type BoardKind, type Chart, keyBoard, type OpenedBoard, serverNow } from '../foundation/index.js';

/** Slices drawn at most. */
const MAX_SLICES = 120;

/** A chart for each precision. */
async function charts({ store, place, key }: OpenedBoard): Promise<Chart[]> {
  const precisions = place.parts.filter((part) => /^\d+$/.test(part)).map(Number);
  precisions.sort((a, b) => a - b);
  const now = await serverNow(store);
  return Promise.all(
    precisions.map(async (precision): Promise<Chart> => {
      const last = Math.floor(now / precision);
      const slices = Array.from({ length: MAX_SLICES }, (_, i) => last - MAX_SLICES + 1 + i);
      const counts = await store.send<(string | null)[]>('HMGET', key(String(precision)), ...slices);
      return {
        title: `Per ${lengthText(precision)}`,
        format: 'number',
        times: slices.map((slice) => slice * precision),
        series: [{ label: 'count', values: counts.map((count) => Number(count ?? 0)) }],
      };
    }),
  );
}

const UNITS: readonly (readonly [number, string])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
];

/** 300000 → '5 minutes'. */
function lengthText(ms: number): string {
  const [length, word] = UNITS.find(([unit]) => ms % unit === 0) ?? [1, 'ms'];
  const number = ms / length;
  return number === 1 ? word : `${number} ${word}${word === 'ms' ? '' : 's'}`;
}

/** How the console shows counters. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'counter', title: 'Counters', about: 'counts over time', prefix: 'counter', charts },
    parts: { '#': { type: 'hash', title: 'Slices', columns: [{ title: 'Slice' }, { title: 'Count' }] } },
    actions: [
      {
        ...{ id: 'remove', label: 'Remove the counter', target: 'board', isDangerous: true },
        confirm: 'All its series are deleted.',
        run: async ({ store, place, key }) => {
          await store.send('UNLINK', ...place.parts.map(key));
          return { message: 'The counter is removed.' };
        },
      },
    ],
  }),
];
