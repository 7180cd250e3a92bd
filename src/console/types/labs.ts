/** A number, or a list of numbers, that a person can change before an experiment. */
export interface LabParameter {
  readonly name: string;
  readonly label: string;
  /** Several for a list: the experiment is done with each. */
  readonly values: readonly number[];
  readonly isList?: boolean;
  readonly min: number;
  readonly max: number;
  readonly isWhole?: boolean;
}

export interface LabInfo {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly parameters: readonly LabParameter[];
  /** It brings its own engine: it cannot be run on another store. */
  readonly isOwnPlace: boolean;
}

/** One curve. `guide`: the simple way that the guide describes; `published`: figures from the literature, not measured here. */
export interface LabSeries {
  readonly label: string;
  readonly kind: 'ours' | 'guide' | 'published' | 'other';
  readonly values: readonly (number | null)[];
}

export interface LabChart {
  readonly title: string;
  readonly unit: string;
  /** What the positions are: clients, elements … */
  readonly axis: string;
  readonly positions: readonly string[];
  readonly series: readonly LabSeries[];
}

export interface LabTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What is known so far. */
export interface LabResult {
  readonly charts: readonly LabChart[];
  readonly tables: readonly LabTable[];
}

export interface LabUpdate {
  /** From 0 to 1. */
  readonly share: number;
  /** What is being measured. */
  readonly doing: string;
  readonly result: LabResult;
}
