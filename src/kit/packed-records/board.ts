import { shardedBoard } from '../foundation/boards/sharded-board.js';
import type { BoardKind } from '../foundation/index.js';

/** How the console shows packed records. */
export const boards: readonly BoardKind[] = [
  shardedBoard({
    ...{ kind: 'packed-records', title: 'Packed records', about: 'a few bytes for each number' },
    ...{ prefix: 'packed-records', type: 'string' },
  }),
];
