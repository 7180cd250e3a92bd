import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows generators of ids. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'ids', title: 'Ids', about: 'unique, ascending numbers', prefix: 'ids' },
    parts: { last: { type: 'string', title: 'Last id taken' } },
  }),
];
