import type { Store } from '../../../store/index.js';
import type { ActionRequest, ActionResult, BoardView, Detail, Rows, RowsRequest } from './board-view.js';

export type * from './board-view.js';

/**
 * How a component describes itself to the console. A `BoardKind` says by which keys the component is found in a store; a `Board`
 * reads one instance. Both are plain data and a few functions of a store, so the console knows no component: the next one
 * is shown when its `board.ts` is in the list of `kit/boards.ts`.
 */

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

/** What most boards are made of. */
export abstract class PlacedBoard {
  protected readonly store: Store;
  protected readonly place: BoardPlace;

  constructor(store: Store, place: BoardPlace) {
    this.store = store;
    this.place = place;
  }

  /** The key of a part of the instance. */
  protected key(part: string): string {
    return keyAt(this.place, part);
  }
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
  /** The board does not read `place.parts`, so they need not be searched for to open it. Default false. */
  readonly hasFixedParts?: boolean;
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
