import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows markets. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'market', title: 'Markets', about: 'items for sale', prefix: 'market' },
    figures: async ({ store, key }) => [
      { label: 'Listings', value: await store.zcard(key('prices')), format: 'number' },
      { label: 'Money of all users', value: Number((await store.get(key('total'))) ?? 0), format: 'number' },
    ],
    parts: {
      prices: {
        ...{ type: 'zset', title: 'Listings', detail: 'listing' },
        columns: [{ title: 'Listing' }, { title: 'Price', format: 'number' }],
      },
      listing: { type: 'hash', title: 'Listing', isInternal: true },
      funds: { type: 'string', title: 'Funds of' },
      items: { type: 'hash', title: 'Items of' },
      total: { type: 'string', title: 'Total', isInternal: true },
    },
  }),
];
