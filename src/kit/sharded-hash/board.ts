import type { BoardKind } from '../foundation/index.js';
import { shardedBoard } from '../foundation/sharded-board.js';

/** How the console shows sharded hashes. */
export const boards: readonly BoardKind[] = [
  shardedBoard({
    ...{ kind: 'sharded-hash', title: 'Sharded hashes', about: 'a hash in short parts' },
    ...{ prefix: 'sharded-hash', type: 'hash' },
  }),
];
