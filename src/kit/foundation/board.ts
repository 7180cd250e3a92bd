import type { Store } from '../../store/index.js';

/**
 * How a component describes itself to the console. A `BoardKind` says by which keys the component is found in a store; a `Board`
 * reads one instance. Both are plain data and a few functions of a store, so the console knows no component: the next one
 * is shown when its `board.ts` is in the list of `kit/boards.ts`.
 */

/** How a value is shown. Times are Unix ms. */
export type Format = 'text' | 'number' | 'milliseconds' | 'bytes' | 'time' | 'json' | 'state';

/** Null: there is no value. */
export type Cell = string | number | boolean | null;

export type Tone = 'plain' | 'good' | 'warning' | 'bad';

export interface Figure {
  readonly label: string;
  readonly value: Cell;
  readonly format?: Format;
  readonly tone?: Tone;
}

/** Values over time; null where there is none. */
export interface Chart {
  readonly title: string;
  readonly format: Format;
  /** Unix ms, ascending. */
  readonly times: readonly number[];
  readonly series: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
}

export interface Column {
  readonly title: string;
  readonly format?: Format;
}

/** A table, which is read page by page. */
export interface Table {
  readonly id: string;
  readonly title: string;
  readonly columns: readonly Column[];
  /** Undefined if counting would take long. */
  readonly total?: number;
  /** What can be searched for, as a hint; undefined if nothing can. */
  readonly search?: string;
  /** Rows can be opened. */
  readonly hasDetail?: boolean;
}

export interface Row {
  readonly id: string;
  readonly cells: readonly Cell[];
  /** Actions on this row. */
  readonly actions?: readonly string[];
}

export interface RowsRequest {
  /** `next` of the page before; undefined for the first one. */
  readonly cursor?: string;
  readonly limit: number;
  readonly search?: string;
}

export interface Rows {
  readonly rows: readonly Row[];
  /** Undefined: there are no more. A page can be empty and still have a next one. */
  readonly next?: string;
}

export interface ActionInput {
  readonly name: string;
  readonly label: string;
  readonly format: 'text' | 'number' | 'json';
  readonly value?: string;
  readonly isOptional?: boolean;
}

/** A change that a person can ask for. */
export interface Action {
  readonly id: string;
  readonly label: string;
  /** What it acts on: the whole board, or a row. */
  readonly target: 'board' | 'row';
  /** The question asked before; undefined for actions that can be undone. */
  readonly confirm?: string;
  readonly isDangerous?: boolean;
  readonly inputs?: readonly ActionInput[];
}

export interface ActionRequest {
  /** The row, for actions on rows. */
  readonly id?: string;
  readonly inputs: Readonly<Record<string, string>>;
}

export interface ActionResult {
  /** What was done, as a sentence. */
  readonly message: string;
  /** How many elements it was done to. */
  readonly count?: number;
  /** There is more to do: the same request again goes on. Long work is done in short steps, so that it can be stopped. */
  readonly hasMore?: boolean;
}

/** Things and what leads from one to another, to be drawn. */
export interface Graph {
  readonly nodes: readonly { readonly id: string; readonly label: string; readonly state: string }[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly label?: string }[];
}

export type Section =
  | { readonly kind: 'json'; readonly title: string; readonly text: string }
  | { readonly kind: 'lines'; readonly title: string; readonly lines: readonly string[] }
  | { readonly kind: 'graph'; readonly title: string; readonly graph: Graph }
  | {
      readonly kind: 'table';
      readonly title: string;
      readonly columns: readonly Column[];
      readonly rows: readonly (readonly Cell[])[];
    };

/** One row, opened. */
export interface Detail {
  readonly title: string;
  readonly figures: readonly Figure[];
  readonly sections: readonly Section[];
  readonly actions?: readonly string[];
}

/** What is shown of an instance at a glance. Reading it takes a bounded number of commands, whatever the size. */
export interface BoardView {
  readonly figures: readonly Figure[];
  readonly charts: readonly Chart[];
  readonly tables: readonly Table[];
  readonly actions: readonly Action[];
  /** Hints for the person, in sentences. */
  readonly notes?: readonly string[];
}

/** One instance of a component. Only `act` and `rows` of `writingTables` change the store. */
export interface Board {
  /** Tables that cannot be read without writing (a search that keeps its result): refused where actions are. */
  readonly writingTables?: readonly string[];
  view(): Promise<BoardView>;
  rows(table: string, request: RowsRequest): Promise<Rows>;
  /** Undefined if the row does not exist (any more). */
  detail?(table: string, id: string): Promise<Detail | undefined>;
  act?(action: string, request: ActionRequest): Promise<ActionResult>;
}

/** Where an instance is: its keys are `prefix:{name}:part`. */
export interface BoardPlace {
  readonly prefix: string;
  readonly name: string;
  /** Parts that were seen, for components whose parts have no fixed names. */
  readonly parts: readonly string[];
}

export type KeyType = 'string' | 'list' | 'hash' | 'set' | 'zset' | 'stream' | 'any';

export interface BoardKind {
  readonly kind: string;
  /** In the plural: `Queues`. */
  readonly title: string;
  readonly about: string;
  /** The default prefix of its keys. */
  readonly prefix: string;
  /**
   * The first words of the parts of its keys, and their types; '#' stands for any number, '*' for any text. An instance with
   * another prefix is recognised by them.
   */
  readonly parts: Readonly<Record<string, KeyType>>;
  /**
   * The instance that a key belongs to, for components that spread an instance over names: `users-12` is a shard of `users`.
   * Default: the name.
   */
  nameOf?(name: string, part: string): string;
  open(store: Store, place: BoardPlace): Board;
}

/** Removes the number of a shard from a name: `users-12` → `users`. */
export function withoutShard(name: string, part: string): string {
  return part === 'shard' ? name.replace(/-\d+$/, '') : name;
}

/** The key of a part of an instance. */
export function keyAt({ prefix, name }: BoardPlace, part: string): string {
  return `${prefix}:{${name}}:${part}`;
}

const MAX_CELL = 2_000;

/** Text as a cell: a long one is cut. */
export function cellOf(text: unknown): string {
  const whole = typeof text === 'string' ? text : String(text);
  return whole.length > MAX_CELL ? `${whole.slice(0, MAX_CELL)}…` : whole;
}

/** The offset that a cursor of a table with numbered rows stands for. */
export function offsetOf(cursor: string | undefined): number {
  const offset = Number(cursor ?? 0);
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0;
}

/** The page's cursor: undefined if it was the last one. */
export function nextOffset(offset: number, found: number, limit: number): { readonly next?: string } {
  return found < limit ? {} : { next: String(offset + found) };
}

/** The store's own time in ms. */
export async function serverNow(store: Store): Promise<number> {
  const [seconds, micros] = (await store.send('TIME')) as readonly [string, string];
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
}
