import { shardedBoard } from '../foundation/boards/sharded-board.js';
import type { BoardKind } from '../foundation/index.js';

/** How the console shows sharded hashes. */
export const boards: readonly BoardKind[] = [
  shardedBoard({
    ...{ kind: 'sharded-hash', title: 'Sharded hashes', about: 'a hash in short parts' },
    ...{ prefix: 'sharded-hash', type: 'hash' },
  }),
];
