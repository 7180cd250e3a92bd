import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows sessions. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'session', title: 'Sessions', about: 'shards of sessions', prefix: 'session' },
    parts: {
      recent: {
        ...{ type: 'zset', title: 'Sessions', isDescending: true, detail: 'record' },
        columns: [{ title: 'Session' }, { title: 'Last seen', format: 'time' }],
      },
      record: { type: 'hash', title: 'Session', isInternal: true },
      viewed: { type: 'zset', title: 'Viewed', isInternal: true },
      revoked: { type: 'string', title: 'Revoked', isInternal: true },
      cart: { type: 'hash', title: 'Cart', isInternal: true },
    },
  }),
  keyBoard({
    ...{ kind: 'session-user', title: 'Sessions of users', about: 'by user', prefix: 'session-user' },
    parts: {
      sessions: {
        ...{ type: 'zset', title: 'Sessions' },
        columns: [{ title: 'Session' }, { title: 'Ends at the latest', format: 'time' }],
      },
    },
  }),
];
