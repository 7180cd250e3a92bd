import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows dictionaries and contacts. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'autocomplete', title: 'Dictionaries', about: 'texts by prefix', prefix: 'autocomplete' },
    parts: {
      plain: { type: 'zset', title: 'Without weight' },
      weighted: { type: 'zset', title: 'With weight' },
      best: { type: 'zset', title: 'Heaviest', isDescending: true },
    },
  }),
  keyBoard({
    ...{ kind: 'contacts', title: 'Contacts', about: 'most recent first', prefix: 'contacts' },
    parts: { recent: { type: 'list', title: 'Contacts' } },
  }),
];
