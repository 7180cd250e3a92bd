import type { Store, Value } from '../../../store/index.js';
import { cellOf, nextOffset, offsetOf, type Row, type Rows, type RowsRequest } from './board.js';

/** The size commands of the types. */
export const SIZE_COMMANDS: Readonly<Record<string, string>> = {
  string: 'STRLEN',
  list: 'LLEN',
  hash: 'HLEN',
  set: 'SCARD',
  zset: 'ZCARD',
  stream: 'XLEN',
};

const MAX_TEXT = 10_000;

/**
 * A page of a key's elements: id and the cells that are shown. Sorted sets are read by rank (`isDescending`: the highest score
 * first), lists by index, streams newest first, hashes and sets by cursors. `search` finds elements that contain the text.
 */
export async function keyRows(
  store: Store,
  key: string,
  type: string,
  request: RowsRequest,
  isDescending = false,
): Promise<Rows> {
  const { cursor, limit, search = '' } = request;
  const offset = offsetOf(cursor);
  switch (type) {
    case 'string': {
      const text = await store.send<string>('GETRANGE', key, 0, MAX_TEXT - 1);
      return { rows: [{ id: key, cells: [cellOf(text), null] }] };
    }
    case 'list': {
      const items = await store.send<string[]>('LRANGE', key, offset, offset + limit - 1);
      const rows = items.map((item, i) => ({ id: String(offset + i), cells: [offset + i, cellOf(item)] }));
      return { rows, ...nextOffset(offset, rows.length, limit) };
    }
    case 'zset': {
      if (search !== '') return scanned(store, 'ZSCAN', key, request);
      const order = isDescending ? ['REV'] : [];
      const range = ['ZRANGE', key, offset, offset + limit - 1, ...order, 'WITHSCORES'] as const;
      const rows = pairRows(await store.send<string[]>(...range), true);
      return { rows, ...nextOffset(offset, rows.length, limit) };
    }
    case 'stream':
      return streamRows(store, key, request);
    case 'hash':
      return scanned(store, 'HSCAN', key, request);
    case 'set':
      return scanned(store, 'SSCAN', key, request);
    default:
      return { rows: [] };
  }
}

async function scanned(store: Store, command: string, key: string, request: RowsRequest): Promise<Rows> {
  const { cursor = '0', limit, search = '' } = request;
  const match = search === '' ? [] : ['MATCH', `*${escapeGlob(search)}*`];
  const reply = await store.send(command, key, /^\d+$/.test(cursor) ? cursor : '0', ...match, 'COUNT', limit);
  const [next, items] = reply as readonly [string, string[]];
  const rows =
    command === 'SSCAN'
      ? items.map((item) => ({ id: item, cells: [cellOf(item), null] }))
      : pairRows(items, command === 'ZSCAN');
  return next === '0' ? { rows } : { rows, next };
}

function pairRows(items: readonly string[], areScores: boolean): Row[] {
  const rows: Row[] = [];
  for (let i = 0; i < items.length; i += 2) {
    const [first = '', second = ''] = [items[i], items[i + 1]];
    rows.push({ id: first, cells: [cellOf(first), areScores ? scoreOf(second) : cellOf(second)] });
  }
  return rows;
}

/** JSON has no infinity. */
function scoreOf(text: string): number | string {
  const score = Number(text);
  return Number.isFinite(score) ? score : text;
}

async function streamRows(store: Store, key: string, { cursor, limit }: RowsRequest): Promise<Rows> {
  const end = cursor === undefined ? '+' : `(${cursor}`;
  const entries = (await store.send('XREVRANGE', key, end, '-', 'COUNT', limit)) as Value[][];
  const rows = entries.map((entry) => {
    const [id, fields] = entry as unknown as [string, string[]];
    return { id, cells: [id, cellOf(pairsText(fields))] };
  });
  const last = rows.at(-1);
  return rows.length < limit || last === undefined ? { rows } : { rows, next: last.id };
}

function pairsText(fields: readonly string[]): string {
  const parts: string[] = [];
  for (let i = 0; i < fields.length; i += 2) parts.push(`${fields[i]}: ${fields[i + 1]}`);
  return parts.join(', ');
}

export function escapeGlob(text: string): string {
  return text.replace(/[*?[\]\\^]/g, '\\$&');
}
