import { arg, type CommandRows, key } from '../row.js';

export const rangeRows = {
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
} satisfies CommandRows;
