import { type Example, example } from './example.js';

const EVENTS: Example['given'] = [
  async (store) => store.xadd('events', '1-0', { type: 'login' }),
  async (store) => store.xadd('events', '2-0', { type: 'logout' }),
  async (store) => store.xgroupCreate('events', 'mail', '0'),
  async (store) => store.xreadgroup('mail', 'one', { events: '>' }, { count: 1 }),
];
const PLACE: Example['given'] = [async (store) => store.geoadd('g', 15.087269, 37.502669, 'Catania')];
const RANKING: Example['given'] = [
  async (store) =>
    store.zadd('z', [
      { score: 1.5, member: 'a' },
      { score: Number.POSITIVE_INFINITY, member: 'b' },
    ]),
];
const HASH: Example['given'] = [async (store) => store.hset('h', 'f', 'v')];
const WORDS: Example['given'] = [async (store) => store.mset({ a: 'ohmytext', b: 'mynewtext', w_x: 'one' })];
const JOBS: Example['given'] = [async (store) => store.rpush('jobs', 'x', 'y', 'x')];

const A = { member: 'a', score: 1.5 };
const B = { member: 'b', score: Number.POSITIVE_INFINITY };
const LOGIN = { id: '1-0', fields: { type: 'login' } };
const LOGOUT = { id: '2-0', fields: { type: 'logout' } };

const strings: readonly Example[] = [
  example({
    name: 'set.get',
    given: WORDS,
    call: async (s) => s.set('a', 'x', { get: true }),
    result: 'ohmytext',
  }),
  example({ name: 'set.get', given: [], call: async (s) => s.set('a', 'x', { get: true }), result: null }),
  example({ name: 'set.nx', given: WORDS, call: async (s) => s.set('a', 'x', { nx: true }), result: null }),
  example({ name: 'set.xx', given: WORDS, call: async (s) => s.set('a', 'x', { xx: true }), result: 'OK' }),
  example({ name: 'get', given: [], call: async (s) => s.get('none'), result: null }),
  example({ name: 'lcs.len', given: WORDS, call: async (s) => s.lcs('a', 'b', { len: true }), result: 6 }),
  example({
    name: 'lcs.idx',
    given: WORDS,
    call: async (s) => s.lcs('a', 'b', { idx: true, withMatchLen: true }),
    result: {
      matches: [
        { first: [4, 7], second: [5, 8], length: 4 },
        { first: [2, 3], second: [0, 1], length: 2 },
      ],
      length: 6,
    },
  }),
  example({
    name: 'lcs.idx',
    given: WORDS,
    call: async (s) => s.lcs('a', 'b', { idx: true, minMatchLen: 4 }),
    result: { matches: [{ first: [4, 7], second: [5, 8] }], length: 6 },
  }),
  example({
    name: 'bitfield',
    given: [],
    call: async (s) => s.bitfield('k', { incrBy: 'u2', offset: 0, increment: 9, overflow: 'fail' }),
    result: [null],
  }),
  example({ name: 'ping.message', given: [], call: async (s) => s.ping('hi'), result: 'hi' }),
  example({
    name: 'sort.store',
    given: JOBS,
    call: async (s) => s.sort('jobs', { alpha: true, store: 'd' }),
    result: 3,
  }),
  example({
    name: 'sort.get',
    given: [...WORDS, ...JOBS],
    call: async (s) => s.sort('jobs', { alpha: true, get: 'w_*' }),
    result: ['one', 'one', null],
  }),
  example({
    name: 'sortRo.get',
    given: [...WORDS, ...JOBS],
    call: async (s) => s.sortRo('jobs', { alpha: true, get: ['#', 'w_*'], limit: { offset: 2, count: 1 } }),
    result: ['y', null],
  }),
];

const collections: readonly Example[] = [
  example({ name: 'hrandfield', given: HASH, call: async (s) => s.hrandfield('h'), result: 'f' }),
  example({ name: 'hrandfield', given: [], call: async (s) => s.hrandfield('h'), result: null }),
  example({ name: 'hrandfield.count', given: HASH, call: async (s) => s.hrandfield('h', 5), result: ['f'] }),
  example({
    name: 'hrandfield.withValues',
    given: HASH,
    call: async (s) => s.hrandfield('h', -2, { withValues: true }),
    result: [
      ['f', 'v'],
      ['f', 'v'],
    ],
  }),
  example({ name: 'hgetall', given: [], call: async (s) => s.hgetall('none'), result: {} }),
  example({
    name: 'hgetall',
    given: [async (store) => store.hset('h', [['constructor', '1']])],
    call: async (s) => s.hgetall('h'),
    check: (result) => Object.entries(result).join() === 'constructor,1',
  }),
  example({
    name: 'hgetall',
    given: [async (store) => store.hset('h', [['__proto__', '1']])],
    call: async (s) => s.hgetall('h'),
    check: (result) => Object.entries(result).join() === '__proto__,1',
  }),
  example({ name: 'lpop', given: JOBS, call: async (s) => s.lpop('jobs'), result: 'x' }),
  example({ name: 'lpop', given: [], call: async (s) => s.lpop('jobs'), result: null }),
  example({ name: 'lpop.count', given: [], call: async (s) => s.lpop('jobs', 2), result: null }),
  example({ name: 'rpop.count', given: JOBS, call: async (s) => s.rpop('jobs', 2), result: ['x', 'y'] }),
  example({ name: 'lpos', given: JOBS, call: async (s) => s.lpos('jobs', 'none'), result: null }),
  example({
    name: 'lpos.count',
    given: JOBS,
    call: async (s) => s.lpos('jobs', 'x', { count: 0 }),
    result: [0, 2],
  }),
  example({ name: 'lmpop', given: [], call: async (s) => s.lmpop('none', 'left'), result: null }),
  example({ name: 'spop.count', given: [], call: async (s) => s.spop('none', 2), result: [] }),
  example({ name: 'spop', given: [], call: async (s) => s.spop('none'), result: null }),
  example({ name: 'srandmember.count', given: [], call: async (s) => s.srandmember('none', 2), result: [] }),
  example({ name: 'srandmember', given: [], call: async (s) => s.srandmember('none'), result: null }),
];

const sortedSets: readonly Example[] = [
  example({
    name: 'zadd.incr',
    given: RANKING,
    call: async (s) => s.zadd('z', 1, 'a', { incr: true }),
    result: 2.5,
  }),
  example({
    name: 'zadd.incr',
    given: RANKING,
    call: async (s) => s.zadd('z', 1, 'a', { nx: true, incr: true }),
    result: null,
  }),
  example({
    name: 'zscore',
    given: RANKING,
    call: async (s) => s.zscore('z', 'b'),
    result: Number.POSITIVE_INFINITY,
  }),
  example({ name: 'zscore', given: RANKING, call: async (s) => s.zscore('z', 'none'), result: null }),
  example({ name: 'zrange', given: RANKING, call: async (s) => s.zrange('z', 0, -1), result: ['a', 'b'] }),
  example({
    name: 'zrange.withScores',
    given: RANKING,
    call: async (s) => s.zrange('z', 0, -1, { withScores: true }),
    result: [A, B],
  }),
  example({
    name: 'zrange.withScores',
    given: RANKING,
    call: async (s) =>
      s.zrange('z', 1, '(2', { byScore: true, limit: { offset: 0, count: 5 }, withScores: true }),
    result: [A],
  }),
  example({
    name: 'zrange.withScores',
    given: [],
    call: async (s) => s.zrange('z', 0, -1, { withScores: true }),
    result: [],
  }),
  example({
    name: 'zrevrange.withScores',
    given: RANKING,
    call: async (s) => s.zrevrange('z', 0, -1, { withScores: true }),
    result: [B, A],
  }),
  example({
    name: 'zrangebyscore.withScores',
    given: RANKING,
    call: async (s) => s.zrangebyscore('z', 0, 9, { withScores: true }),
    result: [A],
  }),
  example({
    name: 'zrevrangebyscore.withScores',
    given: RANKING,
    call: async (s) => s.zrevrangebyscore('z', 9, 0, { withScores: true }),
    result: [A],
  }),
  example({
    name: 'zdiff.withScores',
    given: RANKING,
    call: async (s) => s.zdiff(['z', 'none'], { withScores: true }),
    result: [A, B],
  }),
  example({
    name: 'zinter.withScores',
    given: RANKING,
    call: async (s) => s.zinter('z', { withScores: true }),
    result: [A, B],
  }),
  example({
    name: 'zunion.withScores',
    given: RANKING,
    call: async (s) => s.zunion('z', { withScores: true }),
    result: [A, B],
  }),
  example({ name: 'zpopmin', given: RANKING, call: async (s) => s.zpopmin('z'), result: A }),
  example({ name: 'zpopmin', given: [], call: async (s) => s.zpopmin('z'), result: null }),
  example({ name: 'zpopmin.count', given: [], call: async (s) => s.zpopmin('z', 2), result: [] }),
  example({ name: 'zpopmax.count', given: RANKING, call: async (s) => s.zpopmax('z', 9), result: [B, A] }),
  example({ name: 'zrandmember', given: [], call: async (s) => s.zrandmember('z'), result: null }),
  example({
    name: 'zrandmember.count',
    given: RANKING,
    call: async (s) => s.zrandmember('z', 0),
    result: [],
  }),
  example({
    name: 'zrandmember.withScores',
    given: [async (store) => store.zadd('one', 1.5, 'a')],
    call: async (s) => s.zrandmember('one', -2, { withScores: true }),
    result: [A, A],
  }),
  example({
    name: 'zmpop',
    given: RANKING,
    call: async (s) => s.zmpop(['none', 'z'], 'max', { count: 2 }),
    result: { key: 'z', members: [B, A] },
  }),
  example({ name: 'zmpop', given: [], call: async (s) => s.zmpop('none', 'max'), result: null }),
];

const places: readonly Example[] = [
  example({
    name: 'geopos',
    given: PLACE,
    call: async (s) => s.geopos('g', 'Catania', 'none'),
    check: ([place, none]) => none === null && Math.abs((place?.longitude ?? 0) - 15.087269) < 1e-5,
  }),
  ...(['withCoord', 'withDist', 'withHash'] as const).map((option) =>
    example({
      name: `geosearch.${option}`,
      given: PLACE,
      call: async (s) =>
        s.geosearch('g', {
          fromMember: 'Catania',
          byRadius: { radius: 1, unit: 'km' },
          withCoord: true,
          withDist: true,
          withHash: true,
        }),
      check: ([place]) =>
        place?.member === 'Catania' &&
        place.distance === 0 &&
        place.hash === 3479447370796909 &&
        Math.abs((place.position?.latitude ?? 0) - 37.502669) < 1e-5,
    }),
  ),
  ...(['georadius', 'georadiusRo'] as const).map((method) =>
    example({
      name: `${method}.withDist`,
      given: PLACE,
      call: async (s) => s[method]('g', 15, 37, 100, 'km', { withDist: true }),
      result: [{ member: 'Catania', distance: 56.4413 }],
    }),
  ),
  ...(['georadiusbymember', 'georadiusbymemberRo'] as const).map((method) =>
    example({
      name: `${method}.withHash`,
      given: PLACE,
      call: async (s) => s[method]('g', 'Catania', 100, 'km', { withHash: true }),
      result: [{ member: 'Catania', hash: 3479447370796909 }],
    }),
  ),
  example({
    name: 'georadius.store',
    given: PLACE,
    call: async (s) => s.georadius('g', 15, 37, 100, 'km', { store: 'd' }),
    result: 1,
  }),
  example({
    name: 'georadiusbymember.storeDist',
    given: PLACE,
    call: async (s) => s.georadiusbymember('g', 'Catania', 100, 'km', { storeDist: 'd' }),
    result: 1,
  }),
];

const streams: readonly Example[] = [
  example({
    name: 'xadd.noMkStream',
    given: [],
    call: async (s) => s.xadd('x', '1-0', { f: 'v' }, { noMkStream: true }),
    result: null,
  }),
  example({ name: 'xread', given: EVENTS, call: async (s) => s.xread({ events: '9-0' }), result: null }),
  example({
    name: 'xread',
    given: [...EVENTS, async (store) => store.xadd('other', '5-0', { type: 'login' })],
    call: async (s) => s.xread({ events: '1-0', other: 0 }),
    result: [
      { key: 'events', entries: [LOGOUT] },
      { key: 'other', entries: [{ id: '5-0', fields: { type: 'login' } }] },
    ],
  }),
  example({
    name: 'xreadgroup',
    given: [...EVENTS, async (store) => store.xdel('events', '1-0')],
    call: async (s) => s.xreadgroup('mail', 'one', { events: '0' }),
    result: [{ key: 'events', entries: [{ id: '1-0', fields: null }] }],
  }),
  example({
    name: 'xautoclaim.justId',
    given: EVENTS,
    call: async (s) => s.xautoclaim('events', 'mail', 'two', 0, '-', { justId: true }),
    result: { next: '0-0', ids: ['1-0'], deleted: [] },
  }),
  example({
    name: 'xautoclaim',
    given: [...EVENTS, async (store) => store.xdel('events', '1-0')],
    call: async (s) => s.xautoclaim('events', 'mail', 'two', 0, '-'),
    result: { next: '0-0', entries: [], deleted: ['1-0'] },
  }),
  example({
    name: 'xclaim.justId',
    given: EVENTS,
    call: async (s) => s.xclaim('events', 'mail', 'two', 0, '1-0', { justId: true }),
    result: ['1-0'],
  }),
  example({
    name: 'xpending',
    given: [...EVENTS, async (store) => store.xack('events', 'mail', '1-0')],
    call: async (s) => s.xpending('events', 'mail'),
    result: { count: 0, first: null, last: null, consumers: [] },
  }),
  example({
    name: 'xpending.options',
    given: EVENTS,
    call: async (s) => s.xpending('events', 'mail', { start: '-', end: '+', count: 9 }),
    check: ([first]) =>
      first?.id === '1-0' && first.consumer === 'one' && first.deliveries === 1 && first.idle >= 0,
  }),
  example({
    name: 'xinfoStream.full',
    given: EVENTS,
    call: async (s) => s.xinfoStream('events', { full: { count: 1 } }),
    check: ({ entries: [entry], groups: [group], length, lastGeneratedId }) =>
      length === 2 &&
      lastGeneratedId === '2-0' &&
      entry?.fields['type'] === LOGIN.fields.type &&
      group?.name === 'mail' &&
      group.lag === 1 &&
      group.pending[0]?.consumer === 'one' &&
      group.consumers[0]?.pending[0]?.id === '1-0' &&
      group.consumers[0].pending[0].deliveries === 1,
  }),
  example({
    name: 'xinfoStream',
    given: [async (store) => store.xgroupCreate('empty', 'g', '$', { mkStream: true })],
    call: async (s) => s.xinfoStream('empty'),
    check: ({ firstEntry, length, groups }) => firstEntry === null && length === 0 && groups === 1,
  }),
];

const server: readonly Example[] = [
  example({
    name: 'functionList',
    given: [
      async (store) =>
        store.functionLoad("#!lua name=lib\nredis.register_function('one', function() return 1 end)"),
    ],
    call: async (s) => s.functionList({ withCode: true }),
    result: [
      {
        name: 'lib',
        engine: 'LUA',
        functions: [{ name: 'one', description: null, flags: [] }],
        code: "#!lua name=lib\nredis.register_function('one', function() return 1 end)",
      },
    ],
  }),
  example({
    name: 'slowlogGet',
    given: [
      async (store) => store.configSet('slowlog-log-slower-than', 0),
      async (store) => store.slowlogReset(),
      async (store) => store.echo('slow'),
      async (store) => store.configSet('slowlog-log-slower-than', 10_000),
    ],
    call: async (s) => s.slowlogGet(),
    check: (entries) => entries.some(({ command, time }) => command.join(' ') === 'ECHO slow' && time > 0),
  }),
  example({
    name: 'clientInfo',
    given: [],
    call: async (s) => s.clientList(),
    check: (clients) => clients.every((client) => Number(client['id']) > 0),
  }),
];

/** The effects of options on replies, and empty replies. */
export const variants: readonly Example[] = [
  ...strings,
  ...collections,
  ...sortedSets,
  ...places,
  ...streams,
  ...server,
];
