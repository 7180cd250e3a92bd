import { shardedBoard } from '../foundation/boards/sharded-board.js';
import type { BoardKind } from '../foundation/index.js';

/** How the console shows sharded sets. */
export const boards: readonly BoardKind[] = [
  shardedBoard({
    ...{ kind: 'sharded-set', title: 'Sharded sets', about: 'a set in short parts' },
    ...{ prefix: 'sharded-set', type: 'set' },
  }),
];
