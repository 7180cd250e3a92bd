import { waiterRows } from '../foundation/boards/waiter-rows.js';
import {
  type Action,
  type Board,
  type BoardKind,
  type BoardView,
  cellOf,
  KitError,
  PlacedBoard,
  type Rows,
  type RowsRequest,
} from '../foundation/index.js';
import { locks } from './locks.js';

const ACTIONS: readonly Action[] = [
  {
    ...{ id: 'release', label: 'Take it away', target: 'row', isDangerous: true },
    confirm:
      'The holder loses the lock at once, and the next waiter gets it. Its work is not stopped by this.',
  },
];

class LockBoard extends PlacedBoard implements Board {
  async view(): Promise<BoardView> {
    const { holders, waiting } = await this.#locks().status(this.place.name);
    const isShared = holders.some((holder) => holder.isShared);
    return {
      figures: [
        {
          ...{ label: 'State', format: 'state' },
          value: holders.length === 0 ? 'free' : isShared ? 'shared' : 'held',
        },
        { label: 'Holders', value: holders.length, format: 'number' },
        { label: 'Waiters', value: waiting, format: 'number', tone: waiting > 0 ? 'warning' : 'plain' },
      ],
      charts: [],
      tables: [
        {
          ...{ id: 'holders', title: 'Holders', total: holders.length },
          columns: [
            { title: 'Holder' },
            { title: 'Mode' },
            { title: 'Lease left', format: 'milliseconds' },
            { title: 'Fencing token' },
            { title: 'Acquisitions', format: 'number' },
          ],
        },
        {
          ...{ id: 'waiters', title: 'Waiters', total: waiting },
          columns: [{ title: 'Waiter' }, { title: 'Alive until', format: 'time' }, { title: 'Request' }],
        },
      ],
      actions: ACTIONS,
    };
  }

  async rows(table: string, request: RowsRequest): Promise<Rows> {
    if (table === 'waiters') {
      return waiterRows(this.store, { queue: this.key('queue'), waiters: this.key('waiters') }, request);
    }
    if (table !== 'holders') throw new KitError('OPTION', `a lock has no table '${table}'`);
    const { holders } = await this.#locks().status(this.place.name);
    const rows = holders
      .slice(0, request.limit)
      .map(({ holder, isShared, leaseLeft, token, acquisitions }) => ({
        id: holder,
        cells: [cellOf(holder), isShared ? 'shared' : 'exclusive', leaseLeft, String(token), acquisitions],
        actions: ['release'],
      }));
    return { rows };
  }

  async act(action: string, { id = '' }: { readonly id?: string }): Promise<{ readonly message: string }> {
    if (action !== 'release' || id === '') throw new KitError('OPTION', `a lock has no action '${action}'`);
    const lost = await this.#locks().forceRelease(this.place.name, { holder: id });
    return { message: lost === 0 ? 'It does not hold the lock any more.' : 'The lock is taken away.' };
  }

  #locks() {
    return locks(this.store, { prefix: this.place.prefix, onWarning: () => {} });
  }
}

/** How the console shows locks. */
export const boards: readonly BoardKind[] = [
  {
    ...{ kind: 'lock', title: 'Locks', about: 'at most one holder at a time', prefix: 'lock' },
    parts: { state: 'hash', queue: 'zset', waiters: 'hash', fence: 'string' },
    hasFixedParts: true,
    open: (store, place) => new LockBoard(store, place),
  },
];
