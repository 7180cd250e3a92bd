import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows carts. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'cart', title: 'Carts', about: 'items of users', prefix: 'cart' },
    parts: {
      items: { type: 'hash', title: 'Items', columns: [{ title: 'Item' }, { title: 'Number' }] },
      merged: { type: 'zset', title: 'Merged offers', isInternal: true },
    },
  }),
];
