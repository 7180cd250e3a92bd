import type { BoardKind } from '../foundation/index.js';
import { QueueBoard } from './board/queue-board.js';

/** How the console shows queues. */
export const boards: readonly BoardKind[] = [
  {
    kind: 'queue',
    title: 'Queues',
    about: 'background tasks',
    prefix: 'queue',
    parts: {
      meta: 'hash',
      tasks: 'hash',
      waiting: 'any',
      prioritized: 'zset',
      aside: 'zset',
      delayed: 'zset',
      blocked: 'any',
      active: 'any',
      holders: 'hash',
      notes: 'hash',
      unique: 'any',
      completed: 'list',
      dead: 'zset',
      outcomes: 'hash',
      schedules: 'hash',
      occurrences: 'zset',
      wake: 'list',
      events: 'stream',
      starts: 'list',
      receipt: 'string',
    },
    hasFixedParts: true,
    open: (store, place) => new QueueBoard(store, place),
  },
];
