import { arg, type CommandRows } from '../row.js';

export const persistenceRows = {
  bgrewriteaof: {
    arity: 1,
    flags: ['admin', 'noscript', 'no_async_loading'],
    docs: {
      summary: 'Asynchronously rewrite the append-only file',
      since: '1.0.0',
      group: 'server',
      complexity: 'O(1)',
    },
  },
  bgsave: {
    arity: -1,
    flags: ['admin', 'noscript', 'no_async_loading'],
    docs: {
      summary: 'Asynchronously save the dataset to disk',
      since: '1.0.0',
      group: 'server',
      complexity: 'O(1)',
      history: [['3.2.2', 'Added the `SCHEDULE` option.']],
      arguments: [arg.token('schedule', { since: '3.2.2', optional: true })],
    },
  },
  lastsave: {
    arity: 1,
    flags: ['loading', 'stale', 'fast'],
    categories: ['admin', 'dangerous'],
    tips: ['nondeterministic_output'],
    docs: {
      summary: 'Get the UNIX time stamp of the last successful save to disk',
      since: '1.0.0',
      group: 'server',
      complexity: 'O(1)',
    },
  },
  save: {
    arity: 1,
    flags: ['admin', 'noscript', 'no_async_loading', 'no_multi'],
    docs: {
      summary: 'Synchronously save the dataset to disk',
      since: '1.0.0',
      group: 'server',
      complexity: 'O(N) where N is the total number of keys in all databases',
    },
  },
} satisfies CommandRows;
