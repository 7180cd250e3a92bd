import type { BoardView, Figure } from '../../kit/foundation/boards/board-view.js';

export type {
  Action,
  ActionInput,
  ActionResult,
  BoardView,
  Cell,
  Chart,
  Column,
  Detail,
  Figure,
  Format,
  Graph,
  Row,
  Rows,
  Section,
  Table,
  Tone,
} from '../../kit/foundation/boards/board-view.js';

/** A component, as the page lists it. */
export interface KindInfo {
  readonly kind: string;
  readonly title: string;
  readonly about: string;
  readonly prefix: string;
  readonly count: number;
  /** There are at least as many. */
  readonly isCut: boolean;
}

export interface KindsAnswer {
  readonly kinds: readonly KindInfo[];
  /** A search has come to its end. */
  readonly isComplete: boolean;
}

/** How far a search for components has come. */
export interface DiscoveryProgress {
  /** From 0 to 1. */
  readonly share: number;
  readonly isDone: boolean;
  readonly kinds: readonly KindInfo[];
}

/** An instance in the list of a kind. */
export interface InstanceInfo {
  readonly prefix: string;
  readonly name: string;
  readonly figures: readonly Figure[];
}

export interface InstancesAnswer {
  readonly instances: readonly InstanceInfo[];
  readonly total: number;
}

export interface ViewAnswer extends BoardView {
  /** The title of the kind. */
  readonly title: string;
  readonly writingTables: readonly string[];
}
