import { arg, at, type CommandRows, counted, key, keys, through } from '../row.js';

export const rows = {
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
  zadd: {
    arity: -4,
    flags: ['write', 'denyoom', 'fast'],
    categories: ['sortedset'],
    keys: [key(1, 'RW', 'update')],
    docs: {
      summary: 'Add one or more members to a sorted set, or update its score if it already exists',
      since: '1.2.0',
      group: 'sorted-set',
      complexity: 'O(log(N)) for each item added, where N is the number of elements in the sorted set.',
      history: [
        ['2.4.0', 'Accepts multiple elements.'],
        ['3.0.2', 'Added the `XX`, `NX`, `CH` and `INCR` options.'],
        ['6.2.0', 'Added the `GT` and `LT` options.'],
      ],
      arguments: [
        arg.key('key'),
        arg.oneof('condition', [arg.token('nx'), arg.token('xx')], { since: '3.0.2', optional: true }),
        arg.oneof('comparison', [arg.token('gt'), arg.token('lt')], { since: '6.2.0', optional: true }),
        arg.token('change', { token: 'CH', since: '3.0.2', optional: true }),
        arg.token('increment', { token: 'INCR', since: '3.0.2', optional: true }),
        arg.block('score_member', [arg.double('score'), arg.string('member')], { multiple: true }),
      ],
    },
  },
  zcard: {
    arity: 2,
    flags: ['readonly', 'fast'],
    categories: ['sortedset'],
    keys: [key(1, 'RO')],
    docs: {
      summary: 'Get the number of members in a sorted set',
      since: '1.2.0',
      group: 'sorted-set',
      complexity: 'O(1)',
      arguments: [arg.key('key')],
    },
  },
  zcount: {
    arity: 4,
    flags: ['readonly', 'fast'],
    categories: ['sortedset'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Count the members in a sorted set with scores within the given values',
      since: '2.0.0',
      group: 'sorted-set',
      complexity: 'O(log(N)) with N being the number of elements in the sorted set.',
      arguments: [arg.key('key'), arg.double('min'), arg.double('max')],
    },
  },
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
  zincrby: {
    arity: 4,
    flags: ['write', 'denyoom', 'fast'],
    categories: ['sortedset'],
    keys: [key(1, 'RW', 'access', 'update')],
    docs: {
      summary: 'Increment the score of a member in a sorted set',
      since: '1.2.0',
      group: 'sorted-set',
      complexity: 'O(log(N)) where N is the number of elements in the sorted set.',
      arguments: [arg.key('key'), arg.integer('increment'), arg.string('member')],
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
  zlexcount: {
    arity: 4,
    flags: ['readonly', 'fast'],
    categories: ['sortedset'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Count the number of members in a sorted set between a given lexicographical range',
      since: '2.8.9',
      group: 'sorted-set',
      complexity: 'O(log(N)) with N being the number of elements in the sorted set.',
      arguments: [arg.key('key'), arg.string('min'), arg.string('max')],
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
  zmscore: {
    arity: -3,
    flags: ['readonly', 'fast'],
    categories: ['sortedset'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Get the score associated with the given members in a sorted set',
      since: '6.2.0',
      group: 'sorted-set',
      complexity: 'O(N) where N is the number of members being requested.',
      arguments: [arg.key('key'), arg.string('member', { multiple: true })],
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
  zrandmember: {
    arity: -2,
    flags: ['readonly'],
    categories: ['sortedset'],
    tips: ['nondeterministic_output'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Get one or multiple random elements from a sorted set',
      since: '6.2.0',
      group: 'sorted-set',
      complexity: 'O(N) where N is the number of elements returned',
      arguments: [
        arg.key('key'),
        arg.block('options', [arg.integer('count'), arg.token('withscores', { optional: true })], {
          optional: true,
        }),
      ],
    },
  },
  zrange: {
    arity: -4,
    flags: ['readonly'],
    categories: ['sortedset'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Return a range of members in a sorted set',
      since: '1.2.0',
      group: 'sorted-set',
      complexity:
        'O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements returned.',
      history: [['6.2.0', 'Added the `REV`, `BYSCORE`, `BYLEX` and `LIMIT` options.']],
      arguments: [
        arg.key('key'),
        arg.string('start'),
        arg.string('stop'),
        arg.oneof('sortby', [arg.token('byscore'), arg.token('bylex')], { since: '6.2.0', optional: true }),
        arg.token('rev', { since: '6.2.0', optional: true }),
        arg.block('offset_count', [arg.integer('offset'), arg.integer('count')], {
          token: 'LIMIT',
          since: '6.2.0',
          optional: true,
        }),
        arg.token('withscores', { optional: true }),
      ],
    },
  },
  zrangebylex: {
    arity: -4,
    flags: ['readonly'],
    categories: ['sortedset'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Return a range of members in a sorted set, by lexicographical range',
      since: '2.8.9',
      group: 'sorted-set',
      complexity:
        'O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements being returned. If M is constant (e.g. always asking for the first 10 elements with LIMIT), you can consider it O(log(N)).',
      deprecatedSince: '6.2.0',
      replacedBy: '`ZRANGE` with the `BYLEX` argument',
      arguments: [
        arg.key('key'),
        arg.string('min'),
        arg.string('max'),
        arg.block('offset_count', [arg.integer('offset'), arg.integer('count')], {
          token: 'LIMIT',
          optional: true,
        }),
      ],
    },
  },
  zrangebyscore: {
    arity: -4,
    flags: ['readonly'],
    categories: ['sortedset'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Return a range of members in a sorted set, by score',
      since: '1.0.5',
      group: 'sorted-set',
      complexity:
        'O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements being returned. If M is constant (e.g. always asking for the first 10 elements with LIMIT), you can consider it O(log(N)).',
      deprecatedSince: '6.2.0',
      replacedBy: '`ZRANGE` with the `BYSCORE` argument',
      history: [['2.0.0', 'Added the `WITHSCORES` modifier.']],
      arguments: [
        arg.key('key'),
        arg.double('min'),
        arg.double('max'),
        arg.token('withscores', { since: '2.0.0', optional: true }),
        arg.block('offset_count', [arg.integer('offset'), arg.integer('count')], {
          token: 'LIMIT',
          optional: true,
        }),
      ],
    },
  },
  zrangestore: {
    arity: -5,
    flags: ['write', 'denyoom'],
    categories: ['sortedset'],
    keys: [key(1, 'OW', 'update'), key(2, 'RO', 'access')],
    docs: {
      summary: 'Store a range of members from sorted set into another key',
      since: '6.2.0',
      group: 'sorted-set',
      complexity:
        'O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements stored into the destination key.',
      arguments: [
        arg.key('dst'),
        arg.key('src', { keySpec: 1 }),
        arg.string('min'),
        arg.string('max'),
        arg.oneof('sortby', [arg.token('byscore'), arg.token('bylex')], { optional: true }),
        arg.token('rev', { optional: true }),
        arg.block('offset_count', [arg.integer('offset'), arg.integer('count')], {
          token: 'LIMIT',
          optional: true,
        }),
      ],
    },
  },
  zrank: {
    arity: 3,
    flags: ['readonly', 'fast'],
    categories: ['sortedset'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Determine the index of a member in a sorted set',
      since: '2.0.0',
      group: 'sorted-set',
      complexity: 'O(log(N))',
      arguments: [arg.key('key'), arg.string('member')],
    },
  },
  zrem: {
    arity: -3,
    flags: ['write', 'fast'],
    categories: ['sortedset'],
    keys: [key(1, 'RW', 'delete')],
    docs: {
      summary: 'Remove one or more members from a sorted set',
      since: '1.2.0',
      group: 'sorted-set',
      complexity:
        'O(M*log(N)) with N being the number of elements in the sorted set and M the number of elements to be removed.',
      history: [['2.4.0', 'Accepts multiple elements.']],
      arguments: [arg.key('key'), arg.string('member', { multiple: true })],
    },
  },
  zremrangebylex: {
    arity: 4,
    flags: ['write'],
    categories: ['sortedset'],
    keys: [key(1, 'RW', 'delete')],
    docs: {
      summary: 'Remove all members in a sorted set between the given lexicographical range',
      since: '2.8.9',
      group: 'sorted-set',
      complexity:
        'O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements removed by the operation.',
      arguments: [arg.key('key'), arg.string('min'), arg.string('max')],
    },
  },
  zremrangebyrank: {
    arity: 4,
    flags: ['write'],
    categories: ['sortedset'],
    keys: [key(1, 'RW', 'delete')],
    docs: {
      summary: 'Remove all members in a sorted set within the given indexes',
      since: '2.0.0',
      group: 'sorted-set',
      complexity:
        'O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements removed by the operation.',
      arguments: [arg.key('key'), arg.integer('start'), arg.integer('stop')],
    },
  },
  zremrangebyscore: {
    arity: 4,
    flags: ['write'],
    categories: ['sortedset'],
    keys: [key(1, 'RW', 'delete')],
    docs: {
      summary: 'Remove all members in a sorted set within the given scores',
      since: '1.2.0',
      group: 'sorted-set',
      complexity:
        'O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements removed by the operation.',
      arguments: [arg.key('key'), arg.double('min'), arg.double('max')],
    },
  },
  zrevrange: {
    arity: -4,
    flags: ['readonly'],
    categories: ['sortedset'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Return a range of members in a sorted set, by index, with scores ordered from high to low',
      since: '1.2.0',
      group: 'sorted-set',
      complexity:
        'O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements returned.',
      deprecatedSince: '6.2.0',
      replacedBy: '`ZRANGE` with the `REV` argument',
      arguments: [
        arg.key('key'),
        arg.integer('start'),
        arg.integer('stop'),
        arg.token('withscores', { optional: true }),
      ],
    },
  },
  zrevrangebylex: {
    arity: -4,
    flags: ['readonly'],
    categories: ['sortedset'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary:
        'Return a range of members in a sorted set, by lexicographical range, ordered from higher to lower strings.',
      since: '2.8.9',
      group: 'sorted-set',
      complexity:
        'O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements being returned. If M is constant (e.g. always asking for the first 10 elements with LIMIT), you can consider it O(log(N)).',
      deprecatedSince: '6.2.0',
      replacedBy: '`ZRANGE` with the `REV` and `BYLEX` arguments',
      arguments: [
        arg.key('key'),
        arg.string('max'),
        arg.string('min'),
        arg.block('offset_count', [arg.integer('offset'), arg.integer('count')], {
          token: 'LIMIT',
          optional: true,
        }),
      ],
    },
  },
  zrevrangebyscore: {
    arity: -4,
    flags: ['readonly'],
    categories: ['sortedset'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Return a range of members in a sorted set, by score, with scores ordered from high to low',
      since: '2.2.0',
      group: 'sorted-set',
      complexity:
        'O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements being returned. If M is constant (e.g. always asking for the first 10 elements with LIMIT), you can consider it O(log(N)).',
      deprecatedSince: '6.2.0',
      replacedBy: '`ZRANGE` with the `REV` and `BYSCORE` arguments',
      history: [['2.1.6', '`min` and `max` can be exclusive.']],
      arguments: [
        arg.key('key'),
        arg.double('max'),
        arg.double('min'),
        arg.token('withscores', { optional: true }),
        arg.block('offset_count', [arg.integer('offset'), arg.integer('count')], {
          token: 'LIMIT',
          optional: true,
        }),
      ],
    },
  },
  zrevrank: {
    arity: 3,
    flags: ['readonly', 'fast'],
    categories: ['sortedset'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Determine the index of a member in a sorted set, with scores ordered from high to low',
      since: '2.0.0',
      group: 'sorted-set',
      complexity: 'O(log(N))',
      arguments: [arg.key('key'), arg.string('member')],
    },
  },
  zscan: {
    arity: -3,
    flags: ['readonly'],
    categories: ['sortedset'],
    tips: ['nondeterministic_output'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Incrementally iterate sorted sets elements and associated scores',
      since: '2.8.0',
      group: 'sorted-set',
      complexity:
        'O(1) for every call. O(N) for a complete iteration, including enough command calls for the cursor to return back to 0. N is the number of elements inside the collection..',
      arguments: [
        arg.key('key'),
        arg.integer('cursor'),
        arg.pattern('pattern', { token: 'MATCH', optional: true }),
        arg.integer('count', { token: 'COUNT', optional: true }),
      ],
    },
  },
  zscore: {
    arity: 3,
    flags: ['readonly', 'fast'],
    categories: ['sortedset'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Get the score associated with the given member in a sorted set',
      since: '1.2.0',
      group: 'sorted-set',
      complexity: 'O(1)',
      arguments: [arg.key('key'), arg.string('member')],
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
