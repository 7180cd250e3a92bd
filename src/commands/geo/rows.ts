import { after, arg, type CommandRows, key, keys, single } from '../row.js';

export const rows = {
  geoadd: {
    arity: -5,
    flags: ['write', 'denyoom'],
    categories: ['geo'],
    keys: [key(1, 'RW', 'update')],
    docs: {
      summary: 'Add one or more geospatial items in the geospatial index represented using a sorted set',
      since: '3.2.0',
      group: 'geo',
      complexity: 'O(log(N)) for each item added, where N is the number of elements in the sorted set.',
      history: [['6.2.0', 'Added the `CH`, `NX` and `XX` options.']],
      arguments: [
        arg.key('key'),
        arg.oneof('condition', [arg.token('nx'), arg.token('xx')], { since: '6.2.0', optional: true }),
        arg.token('change', { token: 'CH', since: '6.2.0', optional: true }),
        arg.block(
          'longitude_latitude_member',
          [arg.double('longitude'), arg.double('latitude'), arg.string('member')],
          { multiple: true },
        ),
      ],
    },
  },
  geodist: {
    arity: -4,
    flags: ['readonly'],
    categories: ['geo'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Returns the distance between two members of a geospatial index',
      since: '3.2.0',
      group: 'geo',
      complexity: 'O(log(N))',
      arguments: [
        arg.key('key'),
        arg.string('member1'),
        arg.string('member2'),
        arg.oneof('unit', [arg.token('m'), arg.token('km'), arg.token('ft'), arg.token('mi')], {
          optional: true,
        }),
      ],
    },
  },
  geohash: {
    arity: -2,
    flags: ['readonly'],
    categories: ['geo'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Returns members of a geospatial index as standard geohash strings',
      since: '3.2.0',
      group: 'geo',
      complexity: 'O(log(N)) for each member requested, where N is the number of elements in the sorted set.',
      arguments: [arg.key('key'), arg.string('member', { multiple: true })],
    },
  },
  geopos: {
    arity: -2,
    flags: ['readonly'],
    categories: ['geo'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'Returns longitude and latitude of members of a geospatial index',
      since: '3.2.0',
      group: 'geo',
      complexity: 'O(N) where N is the number of members requested.',
      arguments: [arg.key('key'), arg.string('member', { multiple: true })],
    },
  },
  georadius: {
    arity: -6,
    flags: ['write', 'denyoom'],
    categories: ['geo'],
    keys: [
      key(1, 'RO', 'access'),
      keys(after('STORE', 6), single, 'OW', 'update'),
      keys(after('STOREDIST', 6), single, 'OW', 'update'),
    ],
    docs: {
      summary:
        'Query a sorted set representing a geospatial index to fetch members matching a given maximum distance from a point',
      since: '3.2.0',
      group: 'geo',
      complexity:
        'O(N+log(M)) where N is the number of elements inside the bounding box of the circular area delimited by center and radius and M is the number of items inside the index.',
      deprecatedSince: '6.2.0',
      replacedBy: '`GEOSEARCH` and `GEOSEARCHSTORE` with the `BYRADIUS` argument',
      history: [
        ['6.2.0', 'Added the `ANY` option for `COUNT`.'],
        ['7.0.0', 'Added support for uppercase unit names.'],
      ],
      arguments: [
        arg.key('key'),
        arg.double('longitude'),
        arg.double('latitude'),
        arg.double('radius'),
        arg.oneof('unit', [arg.token('m'), arg.token('km'), arg.token('ft'), arg.token('mi')]),
        arg.token('withcoord', { optional: true }),
        arg.token('withdist', { optional: true }),
        arg.token('withhash', { optional: true }),
        arg.block(
          'count',
          [arg.integer('count', { token: 'COUNT' }), arg.token('any', { since: '6.2.0', optional: true })],
          { optional: true },
        ),
        arg.oneof('order', [arg.token('asc'), arg.token('desc')], { optional: true }),
        arg.key('key', { token: 'STORE', optional: true, keySpec: 1 }),
        arg.key('key', { token: 'STOREDIST', optional: true, keySpec: 2 }),
      ],
    },
  },
  georadius_ro: {
    arity: -6,
    flags: ['readonly'],
    categories: ['geo'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'A read-only variant for GEORADIUS',
      since: '3.2.10',
      group: 'geo',
      complexity:
        'O(N+log(M)) where N is the number of elements inside the bounding box of the circular area delimited by center and radius and M is the number of items inside the index.',
      deprecatedSince: '6.2.0',
      replacedBy: '`GEOSEARCH` with the `BYRADIUS` argument',
      history: [['6.2.0', 'Added the `ANY` option for `COUNT`.']],
      arguments: [
        arg.key('key'),
        arg.double('longitude'),
        arg.double('latitude'),
        arg.double('radius'),
        arg.oneof('unit', [arg.token('m'), arg.token('km'), arg.token('ft'), arg.token('mi')]),
        arg.token('withcoord', { optional: true }),
        arg.token('withdist', { optional: true }),
        arg.token('withhash', { optional: true }),
        arg.block(
          'count',
          [arg.integer('count', { token: 'COUNT' }), arg.token('any', { since: '6.2.0', optional: true })],
          { optional: true },
        ),
        arg.oneof('order', [arg.token('asc'), arg.token('desc')], { optional: true }),
      ],
    },
  },
  georadiusbymember: {
    arity: -5,
    flags: ['write', 'denyoom'],
    categories: ['geo'],
    keys: [
      key(1, 'RO', 'access'),
      keys(after('STORE', 5), single, 'OW', 'update'),
      keys(after('STOREDIST', 5), single, 'OW', 'update'),
    ],
    docs: {
      summary:
        'Query a sorted set representing a geospatial index to fetch members matching a given maximum distance from a member',
      since: '3.2.0',
      group: 'geo',
      complexity:
        'O(N+log(M)) where N is the number of elements inside the bounding box of the circular area delimited by center and radius and M is the number of items inside the index.',
      deprecatedSince: '6.2.0',
      replacedBy: '`GEOSEARCH` and `GEOSEARCHSTORE` with the `BYRADIUS` and `FROMMEMBER` arguments',
      history: [['7.0.0', 'Added support for uppercase unit names.']],
      arguments: [
        arg.key('key'),
        arg.string('member'),
        arg.double('radius'),
        arg.oneof('unit', [arg.token('m'), arg.token('km'), arg.token('ft'), arg.token('mi')]),
        arg.token('withcoord', { optional: true }),
        arg.token('withdist', { optional: true }),
        arg.token('withhash', { optional: true }),
        arg.block('count', [arg.integer('count', { token: 'COUNT' }), arg.token('any', { optional: true })], {
          optional: true,
        }),
        arg.oneof('order', [arg.token('asc'), arg.token('desc')], { optional: true }),
        arg.key('key', { token: 'STORE', optional: true, keySpec: 1 }),
        arg.key('key', { token: 'STOREDIST', optional: true, keySpec: 2 }),
      ],
    },
  },
  georadiusbymember_ro: {
    arity: -5,
    flags: ['readonly'],
    categories: ['geo'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary: 'A read-only variant for GEORADIUSBYMEMBER',
      since: '3.2.10',
      group: 'geo',
      complexity:
        'O(N+log(M)) where N is the number of elements inside the bounding box of the circular area delimited by center and radius and M is the number of items inside the index.',
      deprecatedSince: '6.2.0',
      replacedBy: '`GEOSEARCH` with the `BYRADIUS` and `FROMMEMBER` arguments',
      arguments: [
        arg.key('key'),
        arg.string('member'),
        arg.double('radius'),
        arg.oneof('unit', [arg.token('m'), arg.token('km'), arg.token('ft'), arg.token('mi')]),
        arg.token('withcoord', { optional: true }),
        arg.token('withdist', { optional: true }),
        arg.token('withhash', { optional: true }),
        arg.block('count', [arg.integer('count', { token: 'COUNT' }), arg.token('any', { optional: true })], {
          optional: true,
        }),
        arg.oneof('order', [arg.token('asc'), arg.token('desc')], { optional: true }),
      ],
    },
  },
  geosearch: {
    arity: -7,
    flags: ['readonly'],
    categories: ['geo'],
    keys: [key(1, 'RO', 'access')],
    docs: {
      summary:
        'Query a sorted set representing a geospatial index to fetch members inside an area of a box or a circle.',
      since: '6.2.0',
      group: 'geo',
      complexity:
        'O(N+log(M)) where N is the number of elements in the grid-aligned bounding box area around the shape provided as the filter and M is the number of items inside the shape',
      history: [['7.0.0', 'Added support for uppercase unit names.']],
      arguments: [
        arg.key('key'),
        arg.oneof('from', [
          arg.string('member', { token: 'FROMMEMBER' }),
          arg.block('longitude_latitude', [arg.double('longitude'), arg.double('latitude')], {
            token: 'FROMLONLAT',
          }),
        ]),
        arg.oneof('by', [
          arg.block('circle', [
            arg.double('radius', { token: 'BYRADIUS' }),
            arg.oneof('unit', [arg.token('m'), arg.token('km'), arg.token('ft'), arg.token('mi')]),
          ]),
          arg.block('box', [
            arg.double('width', { token: 'BYBOX' }),
            arg.double('height'),
            arg.oneof('unit', [arg.token('m'), arg.token('km'), arg.token('ft'), arg.token('mi')]),
          ]),
        ]),
        arg.oneof('order', [arg.token('asc'), arg.token('desc')], { optional: true }),
        arg.block('count', [arg.integer('count', { token: 'COUNT' }), arg.token('any', { optional: true })], {
          optional: true,
        }),
        arg.token('withcoord', { optional: true }),
        arg.token('withdist', { optional: true }),
        arg.token('withhash', { optional: true }),
      ],
    },
  },
  geosearchstore: {
    arity: -8,
    flags: ['write', 'denyoom'],
    categories: ['geo'],
    keys: [key(1, 'OW', 'update'), key(2, 'RO', 'access')],
    docs: {
      summary:
        'Query a sorted set representing a geospatial index to fetch members inside an area of a box or a circle, and store the result in another key.',
      since: '6.2.0',
      group: 'geo',
      complexity:
        'O(N+log(M)) where N is the number of elements in the grid-aligned bounding box area around the shape provided as the filter and M is the number of items inside the shape',
      history: [['7.0.0', 'Added support for uppercase unit names.']],
      arguments: [
        arg.key('destination'),
        arg.key('source', { keySpec: 1 }),
        arg.oneof('from', [
          arg.string('member', { token: 'FROMMEMBER' }),
          arg.block('longitude_latitude', [arg.double('longitude'), arg.double('latitude')], {
            token: 'FROMLONLAT',
          }),
        ]),
        arg.oneof('by', [
          arg.block('circle', [
            arg.double('radius', { token: 'BYRADIUS' }),
            arg.oneof('unit', [arg.token('m'), arg.token('km'), arg.token('ft'), arg.token('mi')]),
          ]),
          arg.block('box', [
            arg.double('width', { token: 'BYBOX' }),
            arg.double('height'),
            arg.oneof('unit', [arg.token('m'), arg.token('km'), arg.token('ft'), arg.token('mi')]),
          ]),
        ]),
        arg.oneof('order', [arg.token('asc'), arg.token('desc')], { optional: true }),
        arg.block('count', [arg.integer('count', { token: 'COUNT' }), arg.token('any', { optional: true })], {
          optional: true,
        }),
        arg.token('storedist', { optional: true }),
      ],
    },
  },
} satisfies CommandRows;
