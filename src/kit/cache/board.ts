import { type BoardKind, keyBoard } from '../foundation/index.js';

/** How the console shows caches. */
export const boards: readonly BoardKind[] = [
  keyBoard({
    ...{ kind: 'cache', title: 'Caches', about: 'values that expire', prefix: 'cache' },
    parts: {
      entry: { type: 'hash', title: 'Entry' },
      producer: { type: 'string', title: 'Producer' },
      waiters: { type: 'hash', title: 'Waiters' },
    },
    actions: [
      {
        ...{ id: 'drop', label: 'Drop the entry', target: 'board' },
        confirm:
          'The value is produced again when it is asked for. Copies in processes stay until they expire.',
        run: async ({ store, key }) => {
          await store.send('UNLINK', key('entry'));
          return { message: 'The entry is dropped.' };
        },
      },
    ],
  }),
  keyBoard({
    ...{ kind: 'cache-tag', title: 'Tags of caches', about: 'entries by tag', prefix: 'cache-tag' },
    parts: {
      entries: {
        ...{ type: 'zset', title: 'Entries' },
        columns: [{ title: 'Entry' }, { title: 'Expires', format: 'time' }],
      },
      era: { type: 'string', title: 'Last invalidation' },
    },
  }),
];
