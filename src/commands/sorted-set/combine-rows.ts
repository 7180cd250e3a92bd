import { arg, at, type CommandRows, counted, key, keys } from '../row.js';

export const combineRows = {
  zdiff: {
    arity: -3,
    flags: ['readonly'],
    categories: ['sortedset'],
    keys: [keys(at(1), counted, 'RO', 'access')],
    keysOtherwise: 'counted-from-1',
    docs: {
      summary: 'Subtract multiple sorted sets',
      since: '6.2.0',
      group: 'sorted-set',
      complexity:
        'O(L + (N-K)log(N)) worst case where L is the total number of elements in all the sets, N is the size of the first set, and K is the size of the result set.',
      arguments: [
        arg.integer('numkeys'),
        arg.key('key', { multiple: true }),
        arg.token('withscores', { optional: true }),
      ],
    },
  },
  zdiffstore: {
    arity: -4,
    flags: ['write', 'denyoom'],
    categories: ['sortedset'],
    keys: [key(1, 'OW', 'update'), keys(at(2), counted, 'RO', 'access')],
    keysOtherwise: 'counted-and-destination',
    docs: {
      summary: 'Subtract multiple sorted sets and store the resulting sorted set in a new key',
      since: '6.2.0',
      group: 'sorted-set',
      complexity:
        'O(L + (N-K)log(N)) worst case where L is the total number of elements in all the sets, N is the size of the first set, and K is the size of the result set.',
      arguments: [
        arg.key('destination'),
        arg.integer('numkeys'),
        arg.key('key', { multiple: true, keySpec: 1 }),
      ],
    },
  },
  zinter: {
    arity: -3,
    flags: ['readonly'],
    categories: ['sortedset'],
    keys: [keys(at(1), counted, 'RO', 'access')],
    keysOtherwise: 'counted-from-1',
    docs: {
      summary: 'Intersect multiple sorted sets',
      since: '6.2.0',
      group: 'sorted-set',
      complexity:
        'O(N*K)+O(M*log(M)) worst case with N being the smallest input sorted set, K being the number of input sorted sets and M being the number of elements in the resulting sorted set.',
      arguments: [
        arg.integer('numkeys'),
        arg.key('key', { multiple: true }),
        arg.integer('weight', { token: 'WEIGHTS', optional: true, multiple: true }),
        arg.oneof('aggregate', [arg.token('sum'), arg.token('min'), arg.token('max')], {
          token: 'AGGREGATE',
          optional: true,
        }),
        arg.token('withscores', { optional: true }),
      ],
    },
  },
  zintercard: {
    arity: -3,
    flags: ['readonly'],
    categories: ['sortedset'],
    keys: [keys(at(1), counted, 'RO', 'access')],
    keysOtherwise: 'counted-from-1',
    docs: {
      summary: 'Intersect multiple sorted sets and return the cardinality of the result',
      since: '7.0.0',
      group: 'sorted-set',
      complexity:
        'O(N*K) worst case with N being the smallest input sorted set, K being the number of input sorted sets.',
      arguments: [
        arg.integer('numkeys'),
        arg.key('key', { multiple: true }),
        arg.integer('limit', { token: 'LIMIT', optional: true }),
      ],
    },
  },
  zinterstore: {
    arity: -4,
    flags: ['write', 'denyoom'],
    categories: ['sortedset'],
    keys: [key(1, 'OW', 'update'), keys(at(2), counted, 'RO', 'access')],
    keysOtherwise: 'counted-and-destination',
    docs: {
      summary: 'Intersect multiple sorted sets and store the resulting sorted set in a new key',
      since: '2.0.0',
      group: 'sorted-set',
      complexity:
        'O(N*K)+O(M*log(M)) worst case with N being the smallest input sorted set, K being the number of input sorted sets and M being the number of elements in the resulting sorted set.',
      arguments: [
        arg.key('destination'),
        arg.integer('numkeys'),
        arg.key('key', { multiple: true, keySpec: 1 }),
        arg.integer('weight', { token: 'WEIGHTS', optional: true, multiple: true }),
        arg.oneof('aggregate', [arg.token('sum'), arg.token('min'), arg.token('max')], {
          token: 'AGGREGATE',
          optional: true,
        }),
      ],
    },
  },
  zunion: {
    arity: -3,
    flags: ['readonly'],
    categories: ['sortedset'],
    keys: [keys(at(1), counted, 'RO', 'access')],
    keysOtherwise: 'counted-from-1',
    docs: {
      summary: 'Add multiple sorted sets',
      since: '6.2.0',
      group: 'sorted-set',
      complexity:
        'O(N)+O(M*log(M)) with N being the sum of the sizes of the input sorted sets, and M being the number of elements in the resulting sorted set.',
      arguments: [
        arg.integer('numkeys'),
        arg.key('key', { multiple: true }),
        arg.integer('weight', { token: 'WEIGHTS', optional: true, multiple: true }),
        arg.oneof('aggregate', [arg.token('sum'), arg.token('min'), arg.token('max')], {
          token: 'AGGREGATE',
          optional: true,
        }),
        arg.token('withscores', { optional: true }),
      ],
    },
  },
  zunionstore: {
    arity: -4,
    flags: ['write', 'denyoom'],
    categories: ['sortedset'],
    keys: [key(1, 'OW', 'update'), keys(at(2), counted, 'RO', 'access')],
    keysOtherwise: 'counted-and-destination',
    docs: {
      summary: 'Add multiple sorted sets and store the resulting sorted set in a new key',
      since: '2.0.0',
      group: 'sorted-set',
      complexity:
        'O(N)+O(M log(M)) with N being the sum of the sizes of the input sorted sets, and M being the number of elements in the resulting sorted set.',
      arguments: [
        arg.key('destination'),
        arg.integer('numkeys'),
        arg.key('key', { multiple: true, keySpec: 1 }),
        arg.integer('weight', { token: 'WEIGHTS', optional: true, multiple: true }),
        arg.oneof('aggregate', [arg.token('sum'), arg.token('min'), arg.token('max')], {
          token: 'AGGREGATE',
          optional: true,
        }),
      ],
    },
  },
} satisfies CommandRows;
