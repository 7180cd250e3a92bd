import type { Store } from '../../../store/index.js';
import { cellOf, nextOffset, offsetOf, type Rows, type RowsRequest } from './board.js';

/** Waiters in a queue (see waiting-line.lua), in order: id, until when it counts as alive, its request. */
export async function waiterRows(
  store: Store,
  { queue, waiters }: { readonly queue: string; readonly waiters: string },
  { cursor, limit }: RowsRequest,
): Promise<Rows> {
  const offset = offsetOf(cursor);
  const ids = await store.send<string[]>('ZRANGE', queue, offset, offset + limit - 1);
  const records = ids.length === 0 ? [] : await store.send<(string | null)[]>('HMGET', waiters, ...ids);
  const rows = ids.map((id, i) => {
    const [alive, , ...request] = (records[i] ?? '').split(' ');
    return { id, cells: [id, alive === '' ? null : Number(alive), cellOf(request.join(' '))] };
  });
  return { rows, ...nextOffset(offset, rows.length, limit) };
}
