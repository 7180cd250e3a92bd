import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows marks of durable writes. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'durable', title: 'Durable writes', about: 'marks of the last minute', prefix: 'durable' },
    parts: { mark: { type: 'string', title: 'Mark' } },
  }),
];
