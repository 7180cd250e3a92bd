import { arg, at, type CommandRows, keys, through } from '../row.js';

export const rows = {
  discard: {
    arity: 1,
    flags: ['noscript', 'loading', 'stale', 'fast', 'allow_busy'],
    categories: ['transaction'],
    docs: {
      summary: 'Discard all commands issued after MULTI',
      since: '2.0.0',
      group: 'transactions',
      complexity: 'O(N), when N is the number of queued commands',
    },
  },
  exec: {
    arity: 1,
    flags: ['noscript', 'loading', 'stale', 'skip_slowlog'],
    categories: ['transaction'],
    docs: {
      summary: 'Execute all commands issued after MULTI',
      since: '1.2.0',
      group: 'transactions',
      complexity: 'Depends on commands in the transaction',
    },
  },
  multi: {
    arity: 1,
    flags: ['noscript', 'loading', 'stale', 'fast', 'allow_busy'],
    categories: ['transaction'],
    docs: {
      summary: 'Mark the start of a transaction block',
      since: '1.2.0',
      group: 'transactions',
      complexity: 'O(1)',
    },
  },
  unwatch: {
    arity: 1,
    flags: ['noscript', 'loading', 'stale', 'fast', 'allow_busy'],
    categories: ['transaction'],
    docs: {
      summary: 'Forget about all watched keys',
      since: '2.2.0',
      group: 'transactions',
      complexity: 'O(1)',
    },
  },
  watch: {
    arity: -2,
    flags: ['noscript', 'loading', 'stale', 'fast', 'allow_busy'],
    categories: ['transaction'],
    keys: [keys(at(1), through(-1), 'RO')],
    docs: {
      summary: 'Watch the given keys to determine execution of the MULTI/EXEC block',
      since: '2.2.0',
      group: 'transactions',
      complexity: 'O(1) for every key.',
      arguments: [arg.key('key', { multiple: true })],
    },
  },
} satisfies CommandRows;
