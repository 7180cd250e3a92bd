import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows stock. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'stock', title: 'Stock', about: 'units, reserved and sold', prefix: 'stock' },
    figures: async ({ store, key }) => {
      const units = await store.send<(string | null)[]>('HMGET', key('units'), 'total', 'reserved', 'sold');
      const [total, reserved, sold] = units.map(Number);
      return [
        { label: 'Units', value: total ?? 0, format: 'number' },
        { label: 'Reserved', value: reserved ?? 0, format: 'number' },
        { label: 'Sold', value: sold ?? 0, format: 'number' },
      ];
    },
    parts: {
      units: { type: 'hash', title: 'Units', isInternal: true },
      holds: {
        ...{ type: 'zset', title: 'Reservations' },
        columns: [{ title: 'Buyer' }, { title: 'Lapses', format: 'time' }],
      },
      reservations: {
        ...{ type: 'hash', title: 'Reserved' },
        columns: [{ title: 'Buyer' }, { title: 'Quantity and id' }],
      },
      sales: { type: 'hash', title: 'Sales', columns: [{ title: 'Buyer' }, { title: 'Quantity and id' }] },
    },
  }),
];
