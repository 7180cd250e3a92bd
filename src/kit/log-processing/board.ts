import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows processed logs. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'log-processing', title: 'Processed logs', about: 'counts of log files', prefix: 'logs' },
    parts: {
      progress: { type: 'hash', title: 'Progress' },
      keys: { type: 'set', title: 'Keys', isInternal: true },
      count: { type: 'hash', title: 'Count' },
      rank: { type: 'zset', title: 'Rank', isDescending: true },
      unique: { type: 'string', title: 'Unique' },
      own: { type: 'any', title: 'Own' },
    },
  }),
];
