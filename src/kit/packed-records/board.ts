import type { BoardKind } from '../foundation/index.js';
import { shardedBoard } from '../foundation/sharded-board.js';

/** How the console shows packed records. */
export const boards: readonly BoardKind[] = [
  shardedBoard({
    ...{ kind: 'packed-records', title: 'Packed records', about: 'a few bytes for each number' },
    ...{ prefix: 'packed-records', type: 'string' },
  }),
];
