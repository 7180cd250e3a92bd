import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows streams of events. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'streaming', title: 'Streaming', about: 'events for many readers', prefix: 'streaming' },
    parts: {
      events: { type: 'stream', title: 'Events' },
      known: { type: 'zset', title: 'Messages', isInternal: true },
      places: { type: 'hash', title: 'Places', isInternal: true },
    },
  }),
];
