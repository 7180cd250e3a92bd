import { arg, at, type CommandRows, counted, key, keys, through } from '../row.js';

export const popRows = {
  bzmpop: {
    arity: -5,
    flags: ['write', 'blocking'],
    categories: ['sortedset'],
    keys: [keys(at(2), counted, 'RW', 'access', 'delete')],
    keysOtherwise: 'counted-from-2',
    docs: {
      summary: 'Remove and return members with scores in a sorted set or block until one is available',
      since: '7.0.0',
      group: 'sorted-set',
      complexity:
        'O(K) + O(M*log(N)) where K is the number of provided keys, N being the number of elements in the sorted set, and M being the number of elements popped.',
      arguments: [
        arg.double('timeout'),
        arg.integer('numkeys'),
        arg.key('key', { multiple: true }),
        arg.oneof('where', [arg.token('min'), arg.token('max')]),
        arg.integer('count', { token: 'COUNT', optional: true }),
      ],
    },
  },
  bzpopmax: {
    arity: -3,
    flags: ['write', 'noscript', 'blocking', 'fast'],
    categories: ['sortedset'],
    keys: [keys(at(1), through(-2), 'RW', 'access', 'delete')],
    docs: {
      summary:
        'Remove and return the member with the highest score from one or more sorted sets, or block until one is available',
      since: '5.0.0',
      group: 'sorted-set',
      complexity: 'O(log(N)) with N being the number of elements in the sorted set.',
      history: [['6.0.0', '`timeout` is interpreted as a double instead of an integer.']],
      arguments: [arg.key('key', { multiple: true }), arg.double('timeout')],
    },
  },
  bzpopmin: {
    arity: -3,
    flags: ['write', 'noscript', 'blocking', 'fast'],
    categories: ['sortedset'],
    keys: [keys(at(1), through(-2), 'RW', 'access', 'delete')],
    docs: {
      summary:
        'Remove and return the member with the lowest score from one or more sorted sets, or block until one is available',
      since: '5.0.0',
      group: 'sorted-set',
      complexity: 'O(log(N)) with N being the number of elements in the sorted set.',
      history: [['6.0.0', '`timeout` is interpreted as a double instead of an integer.']],
      arguments: [arg.key('key', { multiple: true }), arg.double('timeout')],
    },
  },
  zmpop: {
    arity: -4,
    flags: ['write'],
    categories: ['sortedset'],
    keys: [keys(at(1), counted, 'RW', 'access', 'delete')],
    keysOtherwise: 'counted-from-1',
    docs: {
      summary: 'Remove and return members with scores in a sorted set',
      since: '7.0.0',
      group: 'sorted-set',
      complexity:
        'O(K) + O(M*log(N)) where K is the number of provided keys, N being the number of elements in the sorted set, and M being the number of elements popped.',
      arguments: [
        arg.integer('numkeys'),
        arg.key('key', { multiple: true }),
        arg.oneof('where', [arg.token('min'), arg.token('max')]),
        arg.integer('count', { token: 'COUNT', optional: true }),
      ],
    },
  },
  zpopmax: {
    arity: -2,
    flags: ['write', 'fast'],
    categories: ['sortedset'],
    keys: [key(1, 'RW', 'access', 'delete')],
    docs: {
      summary: 'Remove and return members with the highest scores in a sorted set',
      since: '5.0.0',
      group: 'sorted-set',
      complexity:
        'O(log(N)*M) with N being the number of elements in the sorted set, and M being the number of elements popped.',
      arguments: [arg.key('key'), arg.integer('count', { optional: true })],
    },
  },
  zpopmin: {
    arity: -2,
    flags: ['write', 'fast'],
    categories: ['sortedset'],
    keys: [key(1, 'RW', 'access', 'delete')],
    docs: {
      summary: 'Remove and return members with the lowest scores in a sorted set',
      since: '5.0.0',
      group: 'sorted-set',
      complexity:
        'O(log(N)*M) with N being the number of elements in the sorted set, and M being the number of elements popped.',
      arguments: [arg.key('key'), arg.integer('count', { optional: true })],
    },
  },
} satisfies CommandRows;
