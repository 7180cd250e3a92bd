import { type BoardKind, type Chart, keyBoard, type OpenedBoard } from '../foundation/index.js';

const DAY = 86_400_000;
const MAX_DAYS = 31;
/** Shards of one day that are read; the rest is estimated from them. */
const MAX_SAMPLE = 20;

/** Visitors of each day. */
async function charts({ store, place, key }: OpenedBoard): Promise<Chart[]> {
  const found = await store.send<string[]>('HGETALL', key('days'));
  const days: (readonly [number, number])[] = [];
  for (let i = 0; i < found.length; i += 2) days.push([Number(found[i]), Number(found[i + 1])]);
  days.sort(([one], [other]) => one - other);
  const last = days.slice(-MAX_DAYS);
  const values = await Promise.all(
    last.map(async ([day, shards]) => {
      const read = Math.min(shards, MAX_SAMPLE);
      const sizes = await store.pipeline((queue) =>
        Array.from({ length: read }, (_, i) =>
          queue.send<number>('SCARD', `${place.prefix}:{${place.name}-${day}-${i}}:visitors`),
        ),
      );
      const sum = sizes.reduce((total, size) => total + size, 0);
      return read === 0 ? 0 : Math.round((sum * shards) / read);
    }),
  );
  const exact =
    last.length === 0 ? [] : [{ title: 'Visitors per day', values, days: last.map(([day]) => day) }];
  return [...exact, ...(await estimates({ store, place, key }))].map(
    ({ title, values: counts, days: of }) => ({
      ...{ title, format: 'number' },
      times: of.map((day) => day * DAY),
      series: [{ label: 'visitors', values: counts }],
    }),
  );
}

async function estimates({ store, place, key }: OpenedBoard) {
  const parts = place.parts.filter((part) => part.startsWith('estimate:')).sort();
  const last = parts.slice(-MAX_DAYS);
  if (last.length === 0) return [];
  // PFCOUNT of one key stores what it has counted; of two it only reads.
  const values = await store.pipeline((queue) =>
    last.map((part) => queue.send<number>('PFCOUNT', key(part), key(part))),
  );
  const days = last.map((part) => Number(part.slice('estimate:'.length)));
  return [{ title: 'Visitors per day (estimate)', values: [...values], days }];
}

/** How the console shows unique visitors. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{
      kind: 'unique-visitors',
      title: 'Unique visitors',
      about: 'by day',
      prefix: 'unique-visitors',
      charts,
    },
    nameOf: (name, part) => (part === 'visitors' ? name.replace(/-\d+-\d+$/, '') : name),
    parts: {
      days: { type: 'hash', title: 'Days', columns: [{ title: 'Day' }, { title: 'Shards' }] },
      visitors: { type: 'set', title: 'Visitors', isInternal: true },
      estimate: { type: 'string', title: 'Estimate', isInternal: true },
    },
  }),
];
