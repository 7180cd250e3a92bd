import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows views. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'views', title: 'Views', about: 'the most viewed items', prefix: 'views' },
    parts: {
      views: {
        ...{ type: 'zset', title: 'Items', isDescending: true },
        columns: [{ title: 'Item' }, { title: 'Weight', format: 'number' }],
      },
      meta: { type: 'hash', title: 'Periods' },
    },
  }),
];
