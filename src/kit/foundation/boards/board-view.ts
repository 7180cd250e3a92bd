/** What boards show, as plain data: it is sent to browsers as JSON. */

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
  /** What the inputs of its actions are now, by their names. An action that asks for JSON is offered only if it is among them. */
  readonly inputs?: Readonly<Record<string, string>>;
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
