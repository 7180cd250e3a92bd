import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows logs. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'log', title: 'Logs', about: 'recent and common messages', prefix: 'log' },
    parts: {
      recent: { type: 'list', title: 'Recent' },
      common: {
        ...{ type: 'zset', title: 'Common', isDescending: true },
        columns: [{ title: 'Message' }, { title: 'Number', format: 'number' }],
      },
    },
  }),
];
