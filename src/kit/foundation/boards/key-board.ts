import type { Store } from '../../../store/index.js';
import { KitError } from '../kit-error.js';
import {
  type Action,
  type ActionRequest,
  type ActionResult,
  type Board,
  type BoardKind,
  type BoardPlace,
  type BoardView,
  type Chart,
  type Column,
  type Detail,
  type Figure,
  type KeyType,
  keyAt,
  type Rows,
  type RowsRequest,
  type Section,
  type Table,
} from './board.js';
import { keyRows, SIZE_COMMANDS } from './key-rows.js';

/** A part of a component's keys, shown as a table. */
export interface KeyTable {
  readonly type: KeyType;
  readonly title: string;
  /** The two columns. Default: the words of the type. */
  readonly columns?: readonly [Column, Column];
  /** Sorted sets: the highest score first. Default false. */
  readonly isDescending?: boolean;
  /** The part whose key `part:ID` holds more of a row. */
  readonly detail?: string;
  /** Not worth a table of its own; it is still in the list of keys. */
  readonly isInternal?: boolean;
}

/** An instance that is being read. */
export interface OpenedBoard {
  readonly store: Store;
  readonly place: BoardPlace;
  readonly key: (part: string) => string;
}

export interface KeyAction extends Action {
  run(board: OpenedBoard, request: ActionRequest): Promise<ActionResult>;
}

/** The description of a component whose keys say all that there is to show. */
export interface KeyBoardOptions extends Omit<BoardKind, 'parts' | 'open'> {
  /** By the first word of the part; see `BoardKind.parts`. */
  readonly parts: Readonly<Record<string, KeyTable>>;
  readonly figures?: (board: OpenedBoard) => Promise<readonly Figure[]>;
  readonly charts?: (board: OpenedBoard) => Promise<readonly Chart[]>;
  readonly notes?: (board: OpenedBoard) => Promise<readonly string[]>;
  readonly actions?: readonly KeyAction[];
}

/**
 * The board of a component that is shown by its keys: a table for each part, and one of all keys.
 *
 * @example
 * const board = keyBoard({
 *   kind: 'ids', title: 'Ids', about: 'unique numbers', prefix: 'ids',
 *   parts: { last: { type: 'string', title: 'Last id' } },
 * });
 */
export function keyBoard(options: KeyBoardOptions): BoardKind {
  const { kind, title, about, prefix, parts, nameOf } = options;
  return {
    ...{ kind, title, about, prefix },
    ...(nameOf === undefined ? {} : { nameOf }),
    parts: Object.fromEntries(Object.entries(parts).map(([part, { type }]) => [part, type])),
    open: (store, place) => new KeyBoard(store, place, options),
  };
}

/** Parts of an instance that are shown at most. */
const MAX_PARTS = 50;
const MAX_DETAIL = 100;

/** The columns of a type. */
const COLUMNS: Readonly<Record<string, readonly [Column, Column]>> = {
  string: [{ title: 'Value' }, { title: '' }],
  list: [{ title: 'Index', format: 'number' }, { title: 'Element' }],
  hash: [{ title: 'Field' }, { title: 'Value' }],
  set: [{ title: 'Member' }, { title: '' }],
  zset: [{ title: 'Member' }, { title: 'Score', format: 'number' }],
  stream: [{ title: 'Id' }, { title: 'Fields' }],
};

const KEY_TABLE: Table = {
  id: 'keys',
  title: 'Keys',
  columns: [
    { title: 'Key' },
    { title: 'Type' },
    { title: 'Elements', format: 'number' },
    { title: 'Memory', format: 'bytes' },
    { title: 'Time to live', format: 'milliseconds' },
  ],
};

interface KeyState {
  readonly part: string;
  readonly type: string;
  readonly size: number;
  readonly bytes: number | null;
  readonly ttl: number | null;
}

class KeyBoard implements Board, OpenedBoard {
  readonly store: Store;
  readonly place: BoardPlace;
  readonly #options: KeyBoardOptions;

  constructor(store: Store, place: BoardPlace, options: KeyBoardOptions) {
    this.store = store;
    this.place = place;
    this.#options = options;
  }

  readonly key = (part: string): string => keyAt(this.place, part);

  async view(): Promise<BoardView> {
    const { figures, charts, notes, actions = [] } = this.#options;
    const [shown, drawn, said, keys] = await Promise.all([
      figures?.(this) ?? [],
      charts?.(this) ?? [],
      notes?.(this) ?? [],
      this.#keys(),
    ]);
    const tables = keys.flatMap((state) => this.#tableOf(state) ?? []);
    return {
      figures: shown,
      charts: drawn,
      notes: said,
      tables: [...tables, { ...KEY_TABLE, total: keys.length }],
      actions: actions.map(({ run: _, ...action }) => action),
    };
  }

  async rows(table: string, request: RowsRequest): Promise<Rows> {
    if (table === KEY_TABLE.id) {
      const keys = await this.#keys();
      return {
        rows: keys.map(({ part, type, size, bytes, ttl }) => ({
          id: this.key(part),
          cells: [this.key(part), type, size, bytes, ttl],
        })),
      };
    }
    const described = this.#described(table);
    if (described === undefined) throw noTable(table);
    const key = this.key(table);
    const type = await this.store.send<string>('TYPE', key);
    if (type === 'none' && described === this.#options.parts['*']) throw noTable(table);
    const page = await keyRows(this.store, key, type, request, described.isDescending);
    const actions = (this.#options.actions ?? [])
      .filter(({ target, id }) => target === 'row' && id.startsWith(`${table}:`))
      .map(({ id }) => id);
    return actions.length === 0 ? page : { ...page, rows: page.rows.map((row) => ({ ...row, actions })) };
  }

  async detail(table: string, id: string): Promise<Detail | undefined> {
    const part = this.#described(table)?.detail;
    if (part === undefined) throw noTable(table);
    const key = this.key(`${part}:${id}`);
    const type = await this.store.send<string>('TYPE', key);
    if (type === 'none') return undefined;
    const { rows } = await keyRows(this.store, key, type, { limit: MAX_DETAIL });
    const columns = COLUMNS[type] ?? [];
    const sections: Section[] = [
      { kind: 'table', title: key, columns, rows: rows.slice(0, MAX_DETAIL).map(({ cells }) => cells) },
    ];
    return { title: id, figures: [], sections };
  }

  async act(action: string, request: ActionRequest): Promise<ActionResult> {
    const found = (this.#options.actions ?? []).find(({ id }) => id === action);
    if (found === undefined) throw new KitError('OPTION', `there is no action '${action}'`);
    return found.run(this, request);
  }

  #described(part: string): KeyTable | undefined {
    const { parts } = this.#options;
    const word = part.split(':', 1)[0] ?? '';
    return (
      parts[part] ??
      parts[word] ??
      (/^\d+$/.test(word) ? parts['#'] : undefined) ??
      (part === '' ? undefined : parts['*'])
    );
  }

  #tableOf({ part, type, size }: KeyState): Table | undefined {
    const described = this.#described(part);
    if (described === undefined || described.isInternal) return undefined;
    const rest = part.includes(':') ? part.slice(part.indexOf(':') + 1) : '';
    const isFixed = Object.hasOwn(this.#options.parts, part);
    return {
      id: part,
      title: isFixed ? described.title : `${described.title}: ${rest === '' ? part : rest}`,
      columns: described.columns ?? COLUMNS[type] ?? [],
      total: type === 'string' ? 1 : size,
      ...(type === 'hash' || type === 'set' || type === 'zset' ? { search: 'contains' } : {}),
      ...(described.detail === undefined ? {} : { hasDetail: true }),
    };
  }

  /** The keys of the instance that exist: those with fixed names, and those that were seen. */
  async #keys(): Promise<KeyState[]> {
    const fixed = Object.keys(this.#options.parts).filter((part) => part !== '#' && part !== '*');
    const parts = [...new Set([...fixed, ...this.place.parts])].slice(0, MAX_PARTS);
    const { store } = this;
    const types = await store.pipeline((queue) => parts.map((part) => queue.send('TYPE', this.key(part))));
    const found = parts.flatMap((part, i) => (types[i] === 'none' ? [] : [{ part, type: String(types[i]) }]));
    // A user who may not ask for memory sees the rest.
    const facts = await store.pipeline(
      (queue) =>
        found.flatMap(({ part, type }) => [
          queue.send(SIZE_COMMANDS[type] ?? 'EXISTS', this.key(part)),
          queue.send('PTTL', this.key(part)),
          queue.send('MEMORY', 'USAGE', this.key(part)),
        ]),
      { settle: true },
    );
    return found.map(({ part, type }, i) => {
      const [size, ttl, bytes] = facts.slice(3 * i, 3 * i + 3);
      const left = typeof ttl === 'number' && ttl >= 0 ? ttl : null;
      return {
        ...{ part, type, ttl: left },
        size: typeof size === 'number' ? size : 0,
        bytes: typeof bytes === 'number' ? bytes : null,
      };
    });
  }
}

function noTable(table: string): KitError {
  return new KitError('OPTION', `there is no table '${table}'`);
}
