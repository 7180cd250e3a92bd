import type { Store } from '../../../store/index.js';
import { KitError } from '../kit-error.js';
import { hash32 } from '../sharding/exact-id.js';
import {
  type Board,
  type BoardKind,
  type BoardPlace,
  type BoardView,
  type Detail,
  keyAt,
  nextOffset,
  offsetOf,
  type Row,
  type Rows,
  type RowsRequest,
  withoutShard,
} from './board.js';
import { keyRows, SIZE_COMMANDS } from './key-rows.js';

interface ShardedBoardOptions extends Pick<BoardKind, 'kind' | 'title' | 'about' | 'prefix'> {
  readonly type: 'hash' | 'set' | 'string';
}

/** Shards whose size is read for the estimate. */
const MAX_SAMPLE = 50;
const MAX_DETAIL = 200;

/** The board of a structure that is divided into short shards (`Shards`). */
export function shardedBoard({ type, ...options }: ShardedBoardOptions): BoardKind {
  return {
    ...options,
    nameOf: withoutShard,
    parts: { layout: 'hash', shards: 'set', shard: type },
    open: (store, place) => new ShardedBoard(store, place, type),
  };
}

class ShardedBoard implements Board {
  readonly #store: Store;
  readonly #place: BoardPlace;
  readonly #type: ShardedBoardOptions['type'];

  constructor(store: Store, place: BoardPlace, type: ShardedBoardOptions['type']) {
    this.#store = store;
    this.#place = place;
    this.#type = type;
  }

  async view(): Promise<BoardView> {
    const layout = await this.#layout();
    const total = await this.#count(layout);
    const shards = await this.#sizes(await this.#sample(layout, total));
    const elements = shards.reduce((sum, { size }) => sum + size, 0);
    const bytes = shards.reduce((sum, shard) => sum + (shard.bytes ?? 0), 0);
    const scale = shards.length === 0 ? 0 : total / shards.length;
    const isExact = scale <= 1;
    return {
      figures: [
        { label: 'Layout', value: layout.kind },
        { label: 'Shards', value: total, format: 'number' },
        {
          label: `${this.#type === 'string' ? 'Bytes stored' : 'Elements'}${isExact ? '' : ' (estimate)'}`,
          ...{ value: Math.round(elements * scale), format: 'number' },
        },
        { label: 'Memory (estimate)', value: Math.round(bytes * scale), format: 'bytes' },
        {
          label: 'Bytes per element',
          value: elements === 0 ? null : Number((bytes / elements).toFixed(1)),
        },
      ],
      charts: [],
      tables: [
        {
          ...{ id: 'shards', title: 'Shards', total, search: 'id of an element', hasDetail: true },
          columns: [
            { title: 'Shard', format: 'number' },
            { title: this.#type === 'string' ? 'Bytes' : 'Elements', format: 'number' },
            { title: 'Memory', format: 'bytes' },
            { title: 'Encoding' },
          ],
        },
      ],
      actions: [],
    };
  }

  async rows(table: string, { cursor, limit, search = '' }: RowsRequest): Promise<Rows> {
    if (table !== 'shards') throw new KitError('OPTION', `there is no table '${table}'`);
    const layout = await this.#layout();
    if (search !== '') return { rows: await this.#rowsOf(shardOf(layout, search)) };
    if (layout.kind === 'hashed') {
      const offset = offsetOf(cursor);
      const length = Math.max(0, Math.min(limit, layout.number - offset));
      const rows = await this.#rowsOf(Array.from({ length }, (_, i) => offset + i));
      return { rows, ...nextOffset(offset, rows.length, limit) };
    }
    const request = { limit, ...(cursor === undefined ? {} : { cursor }) };
    const page = await keyRows(this.#store, keyAt(this.#place, 'shards'), 'set', request);
    return { ...page, rows: await this.#rowsOf(page.rows.map(({ id }) => Number(id))) };
  }

  async #rowsOf(numbers: readonly number[]): Promise<Row[]> {
    const shards = await this.#sizes(numbers);
    return shards.map(({ number, size, bytes, encoding }) => ({
      id: String(number),
      cells: [number, size, bytes, encoding],
    }));
  }

  async detail(_table: string, id: string): Promise<Detail | undefined> {
    if (!/^\d+$/.test(id)) return undefined;
    const key = this.#key(Number(id));
    const { rows } = await keyRows(this.#store, key, this.#type, { limit: MAX_DETAIL });
    const columns = [{ title: 'Element' }, { title: 'Value' }];
    const cells = rows.slice(0, MAX_DETAIL).map((row) => row.cells);
    return {
      title: key,
      figures: [],
      sections: [{ kind: 'table', title: 'Elements', columns, rows: cells }],
    };
  }

  #key(number: number): string {
    return keyAt({ ...this.#place, name: `${this.#place.name}-${number}` }, 'shard');
  }

  async #layout(): Promise<Layout> {
    const reply = await this.#store.send('HMGET', keyAt(this.#place, 'layout'), 'kind', 'number');
    const [kind, number] = reply as (string | null)[];
    return { kind: kind ?? 'sequential', number: Number(number ?? 1) };
  }

  async #count({ kind, number }: Layout): Promise<number> {
    return kind === 'hashed' ? number : this.#store.send<number>('SCARD', keyAt(this.#place, 'shards'));
  }

  /** Some shards, spread over all of them. */
  async #sample({ kind }: Layout, total: number): Promise<number[]> {
    if (kind !== 'hashed') {
      const found = await this.#store.send<string[]>('SRANDMEMBER', keyAt(this.#place, 'shards'), MAX_SAMPLE);
      return found.map(Number);
    }
    const step = Math.max(1, Math.floor(total / MAX_SAMPLE));
    return Array.from({ length: Math.min(total, MAX_SAMPLE) }, (_, i) => i * step);
  }

  async #sizes(numbers: readonly number[]): Promise<ShardSize[]> {
    const command = SIZE_COMMANDS[this.#type] ?? 'STRLEN';
    const replies = await this.#store.pipeline(
      (queue) =>
        numbers.flatMap((number) => [
          queue.send(command, this.#key(number)),
          queue.send('MEMORY', 'USAGE', this.#key(number)),
          queue.send('OBJECT', 'ENCODING', this.#key(number)),
        ]),
      { settle: true },
    );
    return numbers.map((number, i) => {
      const [size, bytes, encoding] = replies.slice(3 * i, 3 * i + 3);
      return {
        number,
        size: typeof size === 'number' ? size : 0,
        bytes: typeof bytes === 'number' ? bytes : null,
        encoding: typeof encoding === 'string' ? encoding : null,
      };
    });
  }
}

interface Layout {
  readonly kind: string;
  readonly number: number;
}

interface ShardSize {
  readonly number: number;
  readonly size: number;
  readonly bytes: number | null;
  readonly encoding: string | null;
}

/** The shard that would hold an element. */
function shardOf({ kind, number }: Layout, id: string): number[] {
  if (kind === 'hashed') return [hash32(id) % number];
  return /^\d+$/.test(id) ? [Math.floor(Number(id) / number)] : [];
}
