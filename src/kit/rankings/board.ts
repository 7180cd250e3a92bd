import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows rankings. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'ranking', title: 'Rankings', about: 'articles by votes', prefix: 'ranking' },
    parts: {
      'by-score': {
        ...{ type: 'zset', title: 'By score', isDescending: true, detail: 'article' },
        columns: [{ title: 'Article' }, { title: 'Score', format: 'number' }],
      },
      'by-time': {
        ...{ type: 'zset', title: 'By time', isDescending: true, detail: 'article' },
        columns: [{ title: 'Article' }, { title: 'Posted', format: 'time' }],
      },
      article: { type: 'hash', title: 'Article', isInternal: true },
      votes: { type: 'hash', title: 'Votes', isInternal: true },
      group: { type: 'set', title: 'Group' },
      ranked: { type: 'zset', title: 'Ranked', isDescending: true },
      last: { type: 'string', title: 'Last number', isInternal: true },
    },
  }),
];
