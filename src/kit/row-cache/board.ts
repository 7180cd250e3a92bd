import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows row caches. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'rows', title: 'Row caches', about: 'rows and when they are refreshed', prefix: 'rows' },
    parts: {
      due: {
        ...{ type: 'zset', title: 'Due' },
        columns: [{ title: 'Row' }, { title: 'Due', format: 'time' }],
      },
      every: { type: 'hash', title: 'Intervals', columns: [{ title: 'Row' }, { title: 'Every (ms)' }] },
      claims: { type: 'hash', title: 'Claims' },
    },
  }),
  keyBoard({
    ...{ kind: 'rows-row', title: 'Cached rows', about: 'one row each', prefix: 'rows-row' },
    parts: { json: { type: 'hash', title: 'Row' } },
  }),
];
