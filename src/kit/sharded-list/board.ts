import { waiterRows } from '../foundation/boards/waiter-rows.js';
import {
  type Board,
  type BoardKind,
  type BoardView,
  cellOf,
  KitError,
  nextOffset,
  offsetOf,
  PlacedBoard,
  type Rows,
  type RowsRequest,
} from '../foundation/index.js';
import { shardedList } from './sharded-list.js';

class ListBoard extends PlacedBoard implements Board {
  async view(): Promise<BoardView> {
    const meta = this.key('meta');
    const found = await this.store.send<(string | null)[]>('HMGET', meta, 'first', 'last', 'length', 'size');
    const [first = 0, last = 0, length = 0, size = 0] = found.map(Number);
    const waiting = await this.store.zcard(this.key('queue'));
    return {
      figures: [
        { label: 'Elements', value: length, format: 'number' },
        { label: 'Shards', value: length === 0 ? 0 : last - first + 1, format: 'number' },
        { label: 'Elements of a shard', value: size, format: 'number' },
        { label: 'Waiters', value: waiting, format: 'number' },
      ],
      charts: [],
      tables: [
        {
          ...{ id: 'elements', title: 'Elements', total: length },
          columns: [{ title: 'Index', format: 'number' }, { title: 'Element' }],
        },
        {
          ...{ id: 'waiters', title: 'Waiters', total: waiting },
          columns: [{ title: 'Waiter' }, { title: 'Alive until', format: 'time' }, { title: 'Request' }],
        },
      ],
      actions: [],
    };
  }

  async rows(table: string, request: RowsRequest): Promise<Rows> {
    const { prefix, name } = this.place;
    if (table === 'waiters') {
      const keys = { queue: this.key('queue'), waiters: this.key('waiters') };
      return waiterRows(this.store, keys, request);
    }
    if (table !== 'elements') throw new KitError('OPTION', `a list has no table '${table}'`);
    const offset = offsetOf(request.cursor);
    const list = shardedList(this.store, name, { prefix, onWarning: () => {} });
    const elements = await list.range(offset, offset + request.limit - 1);
    const rows = elements.map((element, i) => ({
      id: String(offset + i),
      cells: [offset + i, cellOf(element)],
    }));
    return { rows, ...nextOffset(offset, rows.length, request.limit) };
  }
}

/** How the console shows sharded lists. */
export const boards: readonly BoardKind[] = [
  {
    ...{
      kind: 'sharded-list',
      title: 'Sharded lists',
      about: 'a list in short parts',
      prefix: 'sharded-list',
    },
    parts: { meta: 'hash', shard: 'list', queue: 'zset', waiters: 'hash' },
    hasFixedParts: true,
    open: (store, place) => new ListBoard(store, place),
  },
];
