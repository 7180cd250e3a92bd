/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import { type Example, example } from './example.js';

/** The example of each method. The compiler checks the types of the results. */
export const examples: readonly Example[] = [
  example({
    name: 'bitcount',
    given: [async (store) => store.setbit('bits', 7, 1)],
    call: async (store) => store.bitcount('bits', { start: 0, end: 0 }),
    result: 1,
  }),
  example({
    name: 'bitfield',
    given: [],
    call: async (store) =>
      store.bitfield('bits', [
        { set: 'u8', offset: 0, value: 200 },
        { incrBy: 'u8', offset: 0, increment: 100, overflow: 'sat' },
      ]),
    result: [0, 255],
  }),
  example({
    name: 'bitfieldRo',
    given: [async (store) => store.setbit('bits', 7, 1)],
    call: async (store) => store.bitfieldRo('bits', { get: 'u8', offset: 0 }),
    result: [1],
  }),
  example({
    name: 'bitop',
    given: [async (store) => store.mset({ a: 'foo', b: 'bar' })],
    call: async (store) => store.bitop('and', 'both', 'a', 'b'),
    result: 3,
  }),
  example({
    name: 'bitpos',
    given: [async (store) => store.setbit('bits', 7, 1)],
    call: async (store) => store.bitpos('bits', 1),
    result: 7,
  }),
  example({
    name: 'getbit',
    given: [async (store) => store.setbit('bits', 7, 1)],
    call: async (store) => store.getbit('bits', 7),
    result: 1,
  }),
  example({ name: 'setbit', given: [], call: async (store) => store.setbit('bits', 7, 1), result: 0 }),
  example({ name: 'clientGetname', given: [], call: async (store) => store.clientGetname(), result: null }),
  example({
    name: 'clientId',
    given: [],
    call: async (store) => store.clientId(),
    check: (result) => result > 0,
  }),
  example({
    name: 'clientInfo',
    given: [],
    call: async (store) => store.clientInfo(),
    check: (result) => result['db'] === '0',
  }),
  example({
    name: 'clientKill',
    given: [],
    call: async (store) => store.clientKill({ id: 999_999_999 }),
    result: 0,
  }),
  example({
    name: 'clientList',
    given: [],
    call: async (store) => store.clientList({ type: 'normal' }),
    check: (result) => result.length >= 1,
  }),
  example({
    name: 'clientPause',
    given: [],
    call: async (store) => store.clientPause(0, 'write'),
    result: 'OK',
  }),
  example({
    name: 'clientUnblock',
    given: [],
    call: async (store) => store.clientUnblock(999_999_999, 'error'),
    result: false,
  }),
  example({ name: 'clientUnpause', given: [], call: async (store) => store.clientUnpause(), result: 'OK' }),
  example({ name: 'echo', given: [], call: async (store) => store.echo('hello'), result: 'hello' }),
  example({ name: 'ping', given: [], call: async (store) => store.ping(), result: 'PONG' }),
  example({
    name: 'copy',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.copy('greeting', 'copy', { replace: true }),
    result: true,
  }),
  example({
    name: 'del',
    given: [async (store) => store.mset({ a: 1, b: 2 })],
    call: async (store) => store.del('a', 'b', 'none'),
    result: 2,
  }),
  example({ name: 'dump', given: [], call: async (store) => store.dump('none'), result: null }),
  example({
    name: 'exists',
    given: [async (store) => store.set('a', 1)],
    call: async (store) => store.exists('a', 'none'),
    result: 1,
  }),
  example({
    name: 'expire',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.expire('greeting', 60, { nx: true }),
    result: true,
  }),
  example({
    name: 'expireat',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.expireat('greeting', 9999999999),
    result: true,
  }),
  example({
    name: 'expiretime',
    given: [
      async (store) => store.set('session', 'x'),
      async (store) => store.pexpireat('session', 9999999999000),
    ],
    call: async (store) => store.expiretime('session'),
    result: 9999999999,
  }),
  example({
    name: 'keys',
    given: [async (store) => store.mset({ 'user:1': 'Ann', other: 1 })],
    call: async (store) => store.keys('user:*'),
    result: ['user:1'],
  }),
  example({
    name: 'move',
    given: [async (store) => store.flushall(), async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.move('greeting', 1),
    result: true,
  }),
  example({
    name: 'objectEncoding',
    given: [async (store) => store.set('n', 42)],
    call: async (store) => store.objectEncoding('n'),
    result: 'int',
  }),
  example({
    name: 'objectFreq',
    given: [
      async (store) => store.configSet('maxmemory-policy', 'allkeys-lfu'),
      async (store) => store.rpush('l', 'x'),
    ],
    call: async (store) => store.objectFreq('l'),
    check: (result) => result !== null && result > 0,
  }),
  example({
    name: 'objectIdletime',
    given: [async (store) => store.set('n', 42)],
    call: async (store) => store.objectIdletime('n'),
    result: 0,
    onlyEmbedded: 'the clock of a server does not stand still',
  }),
  example({
    name: 'objectRefcount',
    given: [async (store) => store.rpush('l', 'x')],
    call: async (store) => store.objectRefcount('l'),
    result: 1,
  }),
  example({
    name: 'persist',
    given: [
      async (store) => store.set('session', 'x'),
      async (store) => store.pexpireat('session', 9999999999000),
    ],
    call: async (store) => store.persist('session'),
    result: true,
  }),
  example({
    name: 'pexpire',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.pexpire('greeting', 60_000),
    result: true,
  }),
  example({
    name: 'pexpireat',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.pexpireat('greeting', 9999999999000, { gt: true }),
    result: false,
  }),
  example({
    name: 'pexpiretime',
    given: [
      async (store) => store.set('session', 'x'),
      async (store) => store.pexpireat('session', 9999999999000),
    ],
    call: async (store) => store.pexpiretime('session'),
    result: 9999999999000,
  }),
  example({
    name: 'pttl',
    given: [async (store) => store.psetex('session', 60_000, 'x')],
    call: async (store) => store.pttl('session'),
    result: 60000,
    onlyEmbedded: 'the clock of a server does not stand still',
  }),
  example({
    name: 'randomkey',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.randomkey(),
    result: 'greeting',
  }),
  example({
    name: 'rename',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.rename('greeting', 'welcome'),
    result: 'OK',
  }),
  example({
    name: 'renamenx',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.renamenx('greeting', 'welcome'),
    result: true,
  }),
  example({
    name: 'restore',
    given: [],
    call: async (store) =>
      store.restore('copy', 0, Buffer.from('000568656c6c6f0a006372df766534200a', 'hex'), { replace: true }),
    result: 'OK',
  }),
  example({
    name: 'sort',
    given: [async (store) => store.rpush('numbers', 2, 10, 9)],
    call: async (store) => store.sort('numbers', { order: 'desc', limit: { offset: 0, count: 2 } }),
    result: ['10', '9'],
  }),
  example({
    name: 'sortRo',
    given: [async (store) => store.rpush('words', 'b', 'a')],
    call: async (store) => store.sortRo('words', { alpha: true }),
    result: ['a', 'b'],
  }),
  example({
    name: 'touch',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.touch('greeting', 'none'),
    result: 1,
  }),
  example({
    name: 'ttl',
    given: [async (store) => store.setex('session', 60, 'x')],
    call: async (store) => store.ttl('session'),
    result: 60,
    onlyEmbedded: 'the clock of a server does not stand still',
  }),
  example({
    name: 'type',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.type('greeting'),
    result: 'string',
  }),
  example({
    name: 'unlink',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.unlink('greeting'),
    result: 1,
  }),
  example({ name: 'wait', given: [], call: async (store) => store.wait(0, 100), result: 0 }),
  example({
    name: 'geoadd',
    given: [],
    call: async (store) => store.geoadd('sicily', 13.361389, 38.115556, 'Palermo', { nx: true }),
    result: 1,
  }),
  example({
    name: 'geodist',
    given: [
      async (store) =>
        store.geoadd('sicily', [
          { longitude: 13.361389, latitude: 38.115556, member: 'Palermo' },
          { longitude: 15.087269, latitude: 37.502669, member: 'Catania' },
        ]),
    ],
    call: async (store) => store.geodist('sicily', 'Palermo', 'Catania', 'km'),
    result: 166.2742,
  }),
  example({
    name: 'geohash',
    given: [
      async (store) =>
        store.geoadd('sicily', [
          { longitude: 13.361389, latitude: 38.115556, member: 'Palermo' },
          { longitude: 15.087269, latitude: 37.502669, member: 'Catania' },
        ]),
    ],
    call: async (store) => store.geohash('sicily', 'Palermo'),
    result: ['sqc8b49rny0'],
  }),
  example({
    name: 'geopos',
    given: [
      async (store) =>
        store.geoadd('sicily', [
          { longitude: 13.361389, latitude: 38.115556, member: 'Palermo' },
          { longitude: 15.087269, latitude: 37.502669, member: 'Catania' },
        ]),
    ],
    call: async (store) => store.geopos('sicily', 'none'),
    result: [null],
  }),
  example({
    name: 'georadius',
    given: [
      async (store) =>
        store.geoadd('sicily', [
          { longitude: 13.361389, latitude: 38.115556, member: 'Palermo' },
          { longitude: 15.087269, latitude: 37.502669, member: 'Catania' },
        ]),
    ],
    call: async (store) => store.georadius('sicily', 15, 37, 100, 'km'),
    result: ['Catania'],
  }),
  example({
    name: 'georadiusRo',
    given: [
      async (store) =>
        store.geoadd('sicily', [
          { longitude: 13.361389, latitude: 38.115556, member: 'Palermo' },
          { longitude: 15.087269, latitude: 37.502669, member: 'Catania' },
        ]),
    ],
    call: async (store) => store.georadiusRo('sicily', 15, 37, 100, 'km'),
    result: ['Catania'],
  }),
  example({
    name: 'georadiusbymember',
    given: [
      async (store) =>
        store.geoadd('sicily', [
          { longitude: 13.361389, latitude: 38.115556, member: 'Palermo' },
          { longitude: 15.087269, latitude: 37.502669, member: 'Catania' },
        ]),
    ],
    call: async (store) => store.georadiusbymember('sicily', 'Catania', 1, 'km'),
    result: ['Catania'],
  }),
  example({
    name: 'georadiusbymemberRo',
    given: [
      async (store) =>
        store.geoadd('sicily', [
          { longitude: 13.361389, latitude: 38.115556, member: 'Palermo' },
          { longitude: 15.087269, latitude: 37.502669, member: 'Catania' },
        ]),
    ],
    call: async (store) => store.georadiusbymemberRo('sicily', 'Catania', 1, 'km'),
    result: ['Catania'],
  }),
  example({
    name: 'geosearch',
    given: [
      async (store) =>
        store.geoadd('sicily', [
          { longitude: 13.361389, latitude: 38.115556, member: 'Palermo' },
          { longitude: 15.087269, latitude: 37.502669, member: 'Catania' },
        ]),
    ],
    call: async (store) =>
      store.geosearch('sicily', {
        fromLonLat: { longitude: 15, latitude: 37 },
        byRadius: { radius: 200, unit: 'km' },
        order: 'asc',
        withDist: true,
      }),
    result: [
      { member: 'Catania', distance: 56.4413 },
      { member: 'Palermo', distance: 190.4424 },
    ],
  }),
  example({
    name: 'geosearchstore',
    given: [
      async (store) =>
        store.geoadd('sicily', [
          { longitude: 13.361389, latitude: 38.115556, member: 'Palermo' },
          { longitude: 15.087269, latitude: 37.502669, member: 'Catania' },
        ]),
    ],
    call: async (store) =>
      store.geosearchstore('near', 'sicily', {
        fromMember: 'Catania',
        byBox: { width: 10, height: 10, unit: 'km' },
      }),
    result: 1,
  }),
  example({
    name: 'hdel',
    given: [async (store) => store.hset('user', { name: 'Ann', age: 30 })],
    call: async (store) => store.hdel('user', 'age', 'none'),
    result: 1,
  }),
  example({
    name: 'hexists',
    given: [async (store) => store.hset('user', 'name', 'Ann')],
    call: async (store) => store.hexists('user', 'name'),
    result: true,
  }),
  example({
    name: 'hget',
    given: [async (store) => store.hset('user', 'name', 'Ann')],
    call: async (store) => store.hget('user', 'name'),
    result: 'Ann',
  }),
  example({
    name: 'hgetall',
    given: [async (store) => store.hset('user', { name: 'Ann', age: 30 })],
    call: async (store) => store.hgetall('user'),
    result: { name: 'Ann', age: '30' },
  }),
  example({
    name: 'hincrby',
    given: [],
    call: async (store) => store.hincrby('user', 'visits', 1),
    result: 1,
  }),
  example({
    name: 'hincrbyfloat',
    given: [],
    call: async (store) => store.hincrbyfloat('user', 'balance', 0.1),
    result: '0.1',
  }),
  example({
    name: 'hkeys',
    given: [async (store) => store.hset('user', { name: 'Ann', age: 30 })],
    call: async (store) => store.hkeys('user'),
    result: ['name', 'age'],
  }),
  example({
    name: 'hlen',
    given: [async (store) => store.hset('user', { name: 'Ann', age: 30 })],
    call: async (store) => store.hlen('user'),
    result: 2,
  }),
  example({
    name: 'hmget',
    given: [async (store) => store.hset('user', 'name', 'Ann')],
    call: async (store) => store.hmget('user', 'name', 'none'),
    result: ['Ann', null],
  }),
  example({
    name: 'hmset',
    given: [],
    call: async (store) => store.hmset('user', { name: 'Ann' }),
    result: 'OK',
  }),
  example({
    name: 'hrandfield',
    given: [async (store) => store.hset('user', 'name', 'Ann')],
    call: async (store) => store.hrandfield('user', 1, { withValues: true }),
    result: [['name', 'Ann']],
  }),
  example({
    name: 'hset',
    given: [],
    call: async (store) => store.hset('user', { name: 'Ann', age: 30 }),
    result: 2,
  }),
  example({
    name: 'hsetnx',
    given: [async (store) => store.hset('user', 'name', 'Ann')],
    call: async (store) => store.hsetnx('user', 'name', 'Bob'),
    result: false,
  }),
  example({
    name: 'hstrlen',
    given: [async (store) => store.hset('user', 'name', 'Ann')],
    call: async (store) => store.hstrlen('user', 'name'),
    result: 3,
  }),
  example({
    name: 'hvals',
    given: [async (store) => store.hset('user', { name: 'Ann', age: 30 })],
    call: async (store) => store.hvals('user'),
    result: ['Ann', '30'],
  }),
  example({
    name: 'pfadd',
    given: [],
    call: async (store) => store.pfadd('visitors', 'ann', 'bob'),
    result: true,
  }),
  example({
    name: 'pfcount',
    given: [async (store) => store.pfadd('visitors', 'ann', 'bob')],
    call: async (store) => store.pfcount('visitors'),
    result: 2,
  }),
  example({
    name: 'pfmerge',
    given: [async (store) => store.pfadd('monday', 'ann')],
    call: async (store) => store.pfmerge('all', ['monday', 'tuesday']),
    result: 'OK',
  }),
  example({
    name: 'blmove',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.blmove('jobs', 'running', 'left', 'right', 1),
    result: 'a',
  }),
  example({
    name: 'blmpop',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.blmpop(1, 'jobs', 'left', { count: 2 }),
    result: { key: 'jobs', elements: ['a', 'b'] },
  }),
  example({
    name: 'blpop',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.blpop('jobs', 1),
    result: { key: 'jobs', element: 'a' },
  }),
  example({
    name: 'brpop',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.brpop(['urgent', 'jobs'], 1),
    result: { key: 'jobs', element: 'c' },
  }),
  example({
    name: 'brpoplpush',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.brpoplpush('jobs', 'running', 1),
    result: 'c',
  }),
  example({
    name: 'lindex',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.lindex('jobs', -1),
    result: 'c',
  }),
  example({
    name: 'linsert',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.linsert('jobs', 'before', 'b', 'x'),
    result: 4,
  }),
  example({
    name: 'llen',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.llen('jobs'),
    result: 3,
  }),
  example({
    name: 'lmove',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.lmove('jobs', 'running', 'left', 'right'),
    result: 'a',
  }),
  example({
    name: 'lmpop',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.lmpop(['urgent', 'jobs'], 'left'),
    result: { key: 'jobs', elements: ['a'] },
  }),
  example({
    name: 'lpop',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.lpop('jobs', 2),
    result: ['a', 'b'],
  }),
  example({
    name: 'lpos',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.lpos('jobs', 'b'),
    result: 1,
  }),
  example({ name: 'lpush', given: [], call: async (store) => store.lpush('jobs', 'a', 'b'), result: 2 }),
  example({ name: 'lpushx', given: [], call: async (store) => store.lpushx('jobs', 'a'), result: 0 }),
  example({
    name: 'lrange',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.lrange('jobs', 0, -1),
    result: ['a', 'b', 'c'],
  }),
  example({
    name: 'lrem',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.lrem('jobs', 0, 'b'),
    result: 1,
  }),
  example({
    name: 'lset',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.lset('jobs', 0, 'x'),
    result: 'OK',
  }),
  example({
    name: 'ltrim',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.ltrim('jobs', 0, 1),
    result: 'OK',
  }),
  example({
    name: 'rpop',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.rpop('jobs'),
    result: 'c',
  }),
  example({
    name: 'rpoplpush',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.rpoplpush('jobs', 'running'),
    result: 'c',
  }),
  example({ name: 'rpush', given: [], call: async (store) => store.rpush('jobs', ['a', 'b']), result: 2 }),
  example({
    name: 'rpushx',
    given: [async (store) => store.rpush('jobs', 'a', 'b', 'c')],
    call: async (store) => store.rpushx('jobs', 'd'),
    result: 4,
  }),
  example({ name: 'publish', given: [], call: async (store) => store.publish('news', 'rain'), result: 0 }),
  example({
    name: 'pubsubChannels',
    given: [],
    call: async (store) => store.pubsubChannels('news*'),
    result: [],
  }),
  example({ name: 'pubsubNumpat', given: [], call: async (store) => store.pubsubNumpat(), result: 0 }),
  example({
    name: 'pubsubNumsub',
    given: [],
    call: async (store) => store.pubsubNumsub('news', 'sport'),
    result: { news: 0, sport: 0 },
  }),
  example({
    name: 'pubsubShardchannels',
    given: [],
    call: async (store) => store.pubsubShardchannels(),
    result: [],
  }),
  example({
    name: 'pubsubShardnumsub',
    given: [],
    call: async (store) => store.pubsubShardnumsub('news'),
    result: { news: 0 },
  }),
  example({ name: 'spublish', given: [], call: async (store) => store.spublish('news', 'rain'), result: 0 }),
  example({
    name: 'eval',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.eval("return redis.call('GET', KEYS[1])", 'greeting'),
    result: 'hello',
  }),
  example({
    name: 'evalRo',
    given: [],
    call: async (store) => store.evalRo('return ARGV[1]', [], ['a']),
    result: 'a',
  }),
  example({
    name: 'evalsha',
    given: [async (store) => store.scriptLoad('return ARGV[1]')],
    call: async (store) => store.evalsha('098e0f0d1448c0a81dafe820f66d460eb09263da', [], 'a'),
    result: 'a',
  }),
  example({
    name: 'evalshaRo',
    given: [async (store) => store.scriptLoad('return ARGV[1]')],
    call: async (store) => store.evalshaRo('098e0f0d1448c0a81dafe820f66d460eb09263da', [], 'a'),
    result: 'a',
  }),
  example({
    name: 'fcall',
    given: [
      async (store) =>
        store.functionLoad(
          "#!lua name=lib\nredis.register_function{ function_name = 'one', callback = function() return 1 end, flags = { 'no-writes' } }",
        ),
    ],
    call: async (store) => store.fcall('one'),
    result: 1,
  }),
  example({
    name: 'fcallRo',
    given: [
      async (store) =>
        store.functionLoad(
          "#!lua name=lib\nredis.register_function{ function_name = 'one', callback = function() return 1 end, flags = { 'no-writes' } }",
        ),
    ],
    call: async (store) => store.fcallRo('one'),
    result: 1,
  }),
  example({
    name: 'functionDelete',
    given: [
      async (store) =>
        store.functionLoad(
          "#!lua name=lib\nredis.register_function{ function_name = 'one', callback = function() return 1 end, flags = { 'no-writes' } }",
        ),
    ],
    call: async (store) => store.functionDelete('lib'),
    result: 'OK',
  }),
  example({
    name: 'functionDump',
    given: [
      async (store) =>
        store.functionLoad(
          "#!lua name=lib\nredis.register_function{ function_name = 'one', callback = function() return 1 end, flags = { 'no-writes' } }",
        ),
    ],
    call: async (store) => store.functionDump(),
    check: (result) => result.length > 10,
  }),
  example({
    name: 'functionFlush',
    given: [],
    call: async (store) => store.functionFlush({ async: true }),
    result: 'OK',
  }),
  example({
    name: 'functionKill',
    given: [],
    call: async (store) => store.functionKill(),
    throws: 'NOTBUSY',
  }),
  example({
    name: 'functionList',
    given: [
      async (store) =>
        store.functionLoad(
          "#!lua name=lib\nredis.register_function{ function_name = 'one', callback = function() return 1 end, flags = { 'no-writes' } }",
        ),
    ],
    call: async (store) => store.functionList({ libraryName: 'l*' }),
    result: [
      { name: 'lib', engine: 'LUA', functions: [{ name: 'one', description: null, flags: ['no-writes'] }] },
    ],
  }),
  example({
    name: 'functionLoad',
    given: [],
    call: async (store) =>
      store.functionLoad("#!lua name=lib\nredis.register_function('one', function() return 1 end)", {
        replace: true,
      }),
    result: 'lib',
  }),
  example({
    name: 'functionRestore',
    given: [],
    call: async (store) =>
      store.functionRestore(Buffer.from('0a005d9b5c400f7fa2da', 'hex'), { policy: 'replace' }),
    result: 'OK',
  }),
  example({
    name: 'functionStats',
    given: [
      async (store) =>
        store.functionLoad(
          "#!lua name=lib\nredis.register_function{ function_name = 'one', callback = function() return 1 end, flags = { 'no-writes' } }",
        ),
    ],
    call: async (store) => store.functionStats(),
    result: { running: null, engines: { LUA: { libraries: 1, functions: 1 } } },
  }),
  example({
    name: 'scriptExists',
    given: [async (store) => store.scriptLoad('return ARGV[1]')],
    call: async (store) => store.scriptExists('098e0f0d1448c0a81dafe820f66d460eb09263da'),
    result: [true],
  }),
  example({ name: 'scriptFlush', given: [], call: async (store) => store.scriptFlush(), result: 'OK' }),
  example({ name: 'scriptKill', given: [], call: async (store) => store.scriptKill(), throws: 'NOTBUSY' }),
  example({
    name: 'scriptLoad',
    given: [],
    call: async (store) => store.scriptLoad('return ARGV[1]'),
    result: '098e0f0d1448c0a81dafe820f66d460eb09263da',
  }),
  example({
    name: 'bgrewriteaof',
    given: [],
    call: async (store) => store.bgrewriteaof(),
    throws: 'keeps its data in memory only',
    onlyEmbedded: 'a server writes files',
  }),
  example({
    name: 'bgsave',
    given: [],
    call: async (store) => store.bgsave({ schedule: true }),
    throws: 'keeps its data in memory only',
    onlyEmbedded: 'a server writes files',
  }),
  example({
    name: 'commandCount',
    given: [],
    call: async (store) => store.commandCount(),
    check: (result) => result > 200,
  }),
  example({
    name: 'commandDocs',
    given: [],
    call: async (store) => store.commandDocs('get'),
    check: (result) => 'get' in result,
  }),
  example({
    name: 'commandGetkeys',
    given: [],
    call: async (store) => store.commandGetkeys('MSET', 'a', 1, 'b', 2),
    result: ['a', 'b'],
  }),
  example({
    name: 'commandGetkeysandflags',
    given: [],
    call: async (store) => store.commandGetkeysandflags('SET', 'a', 1),
    result: [{ key: 'a', flags: ['OW', 'update'] }],
  }),
  example({
    name: 'commandInfo',
    given: [],
    call: async (store) => store.commandInfo('none'),
    result: [null],
  }),
  example({
    name: 'commandList',
    given: [],
    call: async (store) => store.commandList({ filterBy: { pattern: 'xre*group' } }),
    result: ['xreadgroup'],
  }),
  example({
    name: 'configGet',
    given: [async (store) => store.configSet('maxmemory', 0)],
    call: async (store) => store.configGet('maxmemory'),
    result: { maxmemory: '0' },
  }),
  example({
    name: 'configResetstat',
    given: [],
    call: async (store) => store.configResetstat(),
    result: 'OK',
  }),
  example({
    name: 'configRewrite',
    given: [],
    call: async (store) => store.configRewrite(),
    throws: 'without a config file',
  }),
  example({
    name: 'configSet',
    given: [],
    call: async (store) => store.configSet({ maxmemory: '100mb', 'maxmemory-policy': 'allkeys-lru' }),
    result: 'OK',
  }),
  example({
    name: 'dbsize',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.dbsize(),
    result: 1,
  }),
  example({
    name: 'flushall',
    given: [],
    call: async (store) => store.flushall({ async: true }),
    result: 'OK',
  }),
  example({ name: 'flushdb', given: [], call: async (store) => store.flushdb(), result: 'OK' }),
  example({
    name: 'info',
    given: [],
    call: async (store) => store.info('server'),
    check: (result) => result['redis_version'] === '7.0.15',
  }),
  example({
    name: 'lastsave',
    given: [],
    call: async (store) => store.lastsave(),
    check: (result) => result > 0,
  }),
  example({
    name: 'latencyDoctor',
    given: [],
    call: async (store) => store.latencyDoctor(),
    check: (result) => result.includes('Dave'),
  }),
  example({
    name: 'latencyGraph',
    given: [],
    call: async (store) => store.latencyGraph('command'),
    throws: 'No samples',
  }),
  example({
    name: 'latencyHistogram',
    given: [async (store) => store.configResetstat(), async (store) => store.get('greeting')],
    call: async (store) => store.latencyHistogram('get'),
    check: (result) => result['get']?.calls === 1,
  }),
  example({
    name: 'latencyHistory',
    given: [],
    call: async (store) => store.latencyHistory('command'),
    result: [],
  }),
  example({ name: 'latencyLatest', given: [], call: async (store) => store.latencyLatest(), result: [] }),
  example({
    name: 'latencyReset',
    given: [],
    call: async (store) => store.latencyReset('command'),
    result: 0,
  }),
  example({
    name: 'lolwut',
    given: [],
    call: async (store) => store.lolwut(),
    check: (result) => result.includes('7.0'),
  }),
  example({
    name: 'memoryDoctor',
    given: [],
    call: async (store) => store.memoryDoctor(),
    check: (result) => result.includes('Sam'),
  }),
  example({
    name: 'memoryMallocStats',
    given: [],
    call: async (store) => store.memoryMallocStats(),
    check: (result) => result.length > 10,
  }),
  example({ name: 'memoryPurge', given: [], call: async (store) => store.memoryPurge(), result: 'OK' }),
  example({
    name: 'memoryStats',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.memoryStats(),
    check: (result) => result['keys.count'] === 1,
  }),
  example({
    name: 'memoryUsage',
    given: [],
    call: async (store) => store.memoryUsage('none', { samples: 5 }),
    result: null,
  }),
  example({
    name: 'role',
    given: [],
    call: async (store) => store.role(),
    result: ['master', 0, []],
    onlyEmbedded: 'a server counts what it replicates',
  }),
  example({
    name: 'save',
    given: [],
    call: async (store) => store.save(),
    throws: 'keeps its data in memory only',
    onlyEmbedded: 'a server writes files',
  }),
  example({
    name: 'slowlogGet',
    given: [
      async (store) => store.configSet('slowlog-log-slower-than', -1),
      async (store) => store.slowlogReset(),
    ],
    call: async (store) => store.slowlogGet(5),
    result: [],
  }),
  example({
    name: 'slowlogLen',
    given: [
      async (store) => store.configSet('slowlog-log-slower-than', -1),
      async (store) => store.slowlogReset(),
    ],
    call: async (store) => store.slowlogLen(),
    result: 0,
  }),
  example({ name: 'slowlogReset', given: [], call: async (store) => store.slowlogReset(), result: 'OK' }),
  example({ name: 'swapdb', given: [], call: async (store) => store.swapdb(0, 1), result: 'OK' }),
  example({
    name: 'serverTime',
    given: [],
    call: async (store) => store.serverTime(),
    result: { date: new Date(1_700_000_000_123), microseconds: 1_700_000_000_123_000 },
    onlyEmbedded: 'the clock of a server does not stand still',
  }),
  example({ name: 'sadd', given: [], call: async (store) => store.sadd('tags', 'red', 'green'), result: 2 }),
  example({
    name: 'scard',
    given: [
      async (store) => store.sadd('tags', 'red', 'green'),
      async (store) => store.sadd('mine', 'red', 'blue'),
    ],
    call: async (store) => store.scard('tags'),
    result: 2,
  }),
  example({
    name: 'sdiff',
    given: [
      async (store) => store.sadd('tags', 'red', 'green'),
      async (store) => store.sadd('mine', 'red', 'blue'),
    ],
    call: async (store) => store.sdiff('tags', 'mine'),
    result: ['green'],
  }),
  example({
    name: 'sdiffstore',
    given: [
      async (store) => store.sadd('tags', 'red', 'green'),
      async (store) => store.sadd('mine', 'red', 'blue'),
    ],
    call: async (store) => store.sdiffstore('rest', 'tags', 'mine'),
    result: 1,
  }),
  example({
    name: 'sinter',
    given: [
      async (store) => store.sadd('tags', 'red', 'green'),
      async (store) => store.sadd('mine', 'red', 'blue'),
    ],
    call: async (store) => store.sinter('tags', 'mine'),
    result: ['red'],
  }),
  example({
    name: 'sintercard',
    given: [
      async (store) => store.sadd('tags', 'red', 'green'),
      async (store) => store.sadd('mine', 'red', 'blue'),
    ],
    call: async (store) => store.sintercard(['tags', 'mine'], { limit: 10 }),
    result: 1,
  }),
  example({
    name: 'sinterstore',
    given: [
      async (store) => store.sadd('tags', 'red', 'green'),
      async (store) => store.sadd('mine', 'red', 'blue'),
    ],
    call: async (store) => store.sinterstore('both', 'tags', 'mine'),
    result: 1,
  }),
  example({
    name: 'sismember',
    given: [
      async (store) => store.sadd('tags', 'red', 'green'),
      async (store) => store.sadd('mine', 'red', 'blue'),
    ],
    call: async (store) => store.sismember('tags', 'red'),
    result: true,
  }),
  example({
    name: 'smembers',
    given: [async (store) => store.sadd('one', 'red')],
    call: async (store) => store.smembers('one'),
    result: ['red'],
  }),
  example({
    name: 'smismember',
    given: [
      async (store) => store.sadd('tags', 'red', 'green'),
      async (store) => store.sadd('mine', 'red', 'blue'),
    ],
    call: async (store) => store.smismember('tags', 'red', 'blue'),
    result: [true, false],
  }),
  example({
    name: 'smove',
    given: [
      async (store) => store.sadd('tags', 'red', 'green'),
      async (store) => store.sadd('mine', 'red', 'blue'),
    ],
    call: async (store) => store.smove('tags', 'mine', 'green'),
    result: true,
  }),
  example({
    name: 'spop',
    given: [async (store) => store.sadd('one', 'red')],
    call: async (store) => store.spop('one'),
    result: 'red',
  }),
  example({
    name: 'srandmember',
    given: [async (store) => store.sadd('one', 'red')],
    call: async (store) => store.srandmember('one', -2),
    result: ['red', 'red'],
  }),
  example({
    name: 'srem',
    given: [
      async (store) => store.sadd('tags', 'red', 'green'),
      async (store) => store.sadd('mine', 'red', 'blue'),
    ],
    call: async (store) => store.srem('tags', 'red', 'none'),
    result: 1,
  }),
  example({
    name: 'sunion',
    given: [async (store) => store.sadd('one', 'red')],
    call: async (store) => store.sunion('one', 'none'),
    result: ['red'],
  }),
  example({
    name: 'sunionstore',
    given: [
      async (store) => store.sadd('tags', 'red', 'green'),
      async (store) => store.sadd('mine', 'red', 'blue'),
    ],
    call: async (store) => store.sunionstore('all', 'tags', 'mine'),
    result: 3,
  }),
  example({
    name: 'bzmpop',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.bzmpop(1, ['ranking'], 'min'),
    result: { key: 'ranking', members: [{ member: 'ann', score: 1 }] },
  }),
  example({
    name: 'bzpopmax',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.bzpopmax('ranking', 1),
    result: { key: 'ranking', member: 'bob', score: 2 },
  }),
  example({
    name: 'bzpopmin',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.bzpopmin('ranking', 1),
    result: { key: 'ranking', member: 'ann', score: 1 },
  }),
  example({
    name: 'zadd',
    given: [],
    call: async (store) => store.zadd('ranking', 1, 'ann', { gt: true }),
    result: 1,
  }),
  example({
    name: 'zcard',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zcard('ranking'),
    result: 2,
  }),
  example({
    name: 'zcount',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zcount('ranking', '(1', '+inf'),
    result: 1,
  }),
  example({
    name: 'zdiff',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zdiff(['ranking', 'none']),
    result: ['ann', 'bob'],
  }),
  example({
    name: 'zdiffstore',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zdiffstore('copy', ['ranking', 'none']),
    result: 2,
  }),
  example({
    name: 'zincrby',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zincrby('ranking', 1.5, 'ann'),
    result: 2.5,
  }),
  example({
    name: 'zinter',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zinter(['ranking', 'ranking'], { withScores: true }),
    result: [
      { member: 'ann', score: 2 },
      { member: 'bob', score: 4 },
    ],
  }),
  example({
    name: 'zintercard',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zintercard(['ranking', 'ranking']),
    result: 2,
  }),
  example({
    name: 'zinterstore',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zinterstore('sum', ['ranking', 'ranking'], { weights: [1, 0.5] }),
    result: 2,
  }),
  example({
    name: 'zlexcount',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zlexcount('ranking', '-', '+'),
    result: 2,
  }),
  example({
    name: 'zmpop',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zmpop('ranking', 'max'),
    result: { key: 'ranking', members: [{ member: 'bob', score: 2 }] },
  }),
  example({
    name: 'zmscore',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zmscore('ranking', 'ann', 'none'),
    result: [1, null],
  }),
  example({
    name: 'zpopmax',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zpopmax('ranking'),
    result: { member: 'bob', score: 2 },
  }),
  example({
    name: 'zpopmin',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zpopmin('ranking', 2),
    result: [
      { member: 'ann', score: 1 },
      { member: 'bob', score: 2 },
    ],
  }),
  example({
    name: 'zrandmember',
    given: [async (store) => store.zadd('one', 1, 'ann')],
    call: async (store) => store.zrandmember('one', 1, { withScores: true }),
    result: [{ member: 'ann', score: 1 }],
  }),
  example({
    name: 'zrange',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zrange('ranking', 0, -1, { rev: true, withScores: true }),
    result: [
      { member: 'bob', score: 2 },
      { member: 'ann', score: 1 },
    ],
  }),
  example({
    name: 'zrangebylex',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zrangebylex('ranking', '-', '(b'),
    result: ['ann'],
  }),
  example({
    name: 'zrangebyscore',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zrangebyscore('ranking', 0, '(2'),
    result: ['ann'],
  }),
  example({
    name: 'zrangestore',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zrangestore('top', 'ranking', 0, 0, { rev: true }),
    result: 1,
  }),
  example({
    name: 'zrank',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zrank('ranking', 'bob'),
    result: 1,
  }),
  example({
    name: 'zrem',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zrem('ranking', 'ann'),
    result: 1,
  }),
  example({
    name: 'zremrangebylex',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zremrangebylex('ranking', '-', '(b'),
    result: 1,
  }),
  example({
    name: 'zremrangebyrank',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zremrangebyrank('ranking', 0, 0),
    result: 1,
  }),
  example({
    name: 'zremrangebyscore',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zremrangebyscore('ranking', '-inf', 1),
    result: 1,
  }),
  example({
    name: 'zrevrange',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zrevrange('ranking', 0, 0),
    result: ['bob'],
  }),
  example({
    name: 'zrevrangebylex',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zrevrangebylex('ranking', '+', '-'),
    result: ['bob', 'ann'],
  }),
  example({
    name: 'zrevrangebyscore',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zrevrangebyscore('ranking', '+inf', 2, { withScores: true }),
    result: [{ member: 'bob', score: 2 }],
  }),
  example({
    name: 'zrevrank',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zrevrank('ranking', 'bob'),
    result: 0,
  }),
  example({
    name: 'zscore',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zscore('ranking', 'ann'),
    result: 1,
  }),
  example({
    name: 'zunion',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zunion(['ranking', 'none'], { aggregate: 'max' }),
    result: ['ann', 'bob'],
  }),
  example({
    name: 'zunionstore',
    given: [
      async (store) =>
        store.zadd('ranking', [
          { score: 1, member: 'ann' },
          { score: 2, member: 'bob' },
        ]),
    ],
    call: async (store) => store.zunionstore('all', ['ranking', 'none']),
    result: 2,
  }),
  example({
    name: 'xack',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
      async (store) => store.xgroupCreate('events', 'mail', '0'),
      async (store) => store.xreadgroup('mail', 'one', { events: '>' }, { count: 1 }),
    ],
    call: async (store) => store.xack('events', 'mail', '1-0'),
    result: 1,
  }),
  example({
    name: 'xadd',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
    ],
    call: async (store) =>
      store.xadd('events', '3-0', { type: 'login' }, { maxLen: 1000, approximate: true }),
    result: '3-0',
  }),
  example({
    name: 'xautoclaim',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
      async (store) => store.xgroupCreate('events', 'mail', '0'),
      async (store) => store.xreadgroup('mail', 'one', { events: '>' }, { count: 1 }),
    ],
    call: async (store) => store.xautoclaim('events', 'mail', 'two', 0, '0'),
    result: { next: '0-0', entries: [{ id: '1-0', fields: { type: 'login' } }], deleted: [] },
  }),
  example({
    name: 'xclaim',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
      async (store) => store.xgroupCreate('events', 'mail', '0'),
      async (store) => store.xreadgroup('mail', 'one', { events: '>' }, { count: 1 }),
    ],
    call: async (store) => store.xclaim('events', 'mail', 'two', 0, '1-0', { retryCount: 3 }),
    result: [{ id: '1-0', fields: { type: 'login' } }],
  }),
  example({
    name: 'xdel',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
    ],
    call: async (store) => store.xdel('events', '1-0', '9-0'),
    result: 1,
  }),
  example({
    name: 'xgroupCreate',
    given: [],
    call: async (store) => store.xgroupCreate('events', 'mail', '$', { mkStream: true }),
    result: 'OK',
  }),
  example({
    name: 'xgroupCreateconsumer',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
      async (store) => store.xgroupCreate('events', 'mail', '0'),
    ],
    call: async (store) => store.xgroupCreateconsumer('events', 'mail', 'one'),
    result: true,
  }),
  example({
    name: 'xgroupDelconsumer',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
      async (store) => store.xgroupCreate('events', 'mail', '0'),
      async (store) => store.xreadgroup('mail', 'one', { events: '>' }, { count: 1 }),
    ],
    call: async (store) => store.xgroupDelconsumer('events', 'mail', 'one'),
    result: 1,
  }),
  example({
    name: 'xgroupDestroy',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
      async (store) => store.xgroupCreate('events', 'mail', '0'),
    ],
    call: async (store) => store.xgroupDestroy('events', 'mail'),
    result: true,
  }),
  example({
    name: 'xgroupSetid',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
      async (store) => store.xgroupCreate('events', 'mail', '0'),
    ],
    call: async (store) => store.xgroupSetid('events', 'mail', '1-0'),
    result: 'OK',
  }),
  example({
    name: 'xinfoConsumers',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
      async (store) => store.xgroupCreate('events', 'mail', '0'),
      async (store) => store.xreadgroup('mail', 'one', { events: '>' }, { count: 1 }),
    ],
    call: async (store) => store.xinfoConsumers('events', 'mail'),
    result: [{ name: 'one', pending: 1, idle: 0 }],
    onlyEmbedded: 'the clock of a server does not stand still',
  }),
  example({
    name: 'xinfoGroups',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
      async (store) => store.xgroupCreate('events', 'mail', '0'),
      async (store) => store.xreadgroup('mail', 'one', { events: '>' }, { count: 1 }),
    ],
    call: async (store) => store.xinfoGroups('events'),
    result: [{ name: 'mail', consumers: 1, pending: 1, lastDeliveredId: '1-0', entriesRead: 1, lag: 1 }],
  }),
  example({
    name: 'xinfoStream',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
    ],
    call: async (store) => store.xinfoStream('events'),
    result: {
      length: 2,
      radixTreeKeys: 1,
      radixTreeNodes: 2,
      lastGeneratedId: '2-0',
      maxDeletedEntryId: '0-0',
      entriesAdded: 2,
      recordedFirstEntryId: '1-0',
      groups: 0,
      firstEntry: { id: '1-0', fields: { type: 'login' } },
      lastEntry: { id: '2-0', fields: { type: 'logout' } },
    },
  }),
  example({
    name: 'xlen',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
    ],
    call: async (store) => store.xlen('events'),
    result: 2,
  }),
  example({
    name: 'xpending',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
      async (store) => store.xgroupCreate('events', 'mail', '0'),
      async (store) => store.xreadgroup('mail', 'one', { events: '>' }, { count: 1 }),
    ],
    call: async (store) => store.xpending('events', 'mail'),
    result: { count: 1, first: '1-0', last: '1-0', consumers: [{ name: 'one', count: 1 }] },
  }),
  example({
    name: 'xrange',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
    ],
    call: async (store) => store.xrange('events', '-', '+', { count: 1 }),
    result: [{ id: '1-0', fields: { type: 'login' } }],
  }),
  example({
    name: 'xread',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
    ],
    call: async (store) => store.xread({ events: '1' }, { count: 10 }),
    result: [{ key: 'events', entries: [{ id: '2-0', fields: { type: 'logout' } }] }],
  }),
  example({
    name: 'xreadgroup',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
      async (store) => store.xgroupCreate('events', 'mail', '0'),
    ],
    call: async (store) => store.xreadgroup('mail', 'one', { events: '>' }, { count: 1 }),
    result: [{ key: 'events', entries: [{ id: '1-0', fields: { type: 'login' } }] }],
  }),
  example({
    name: 'xrevrange',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
    ],
    call: async (store) => store.xrevrange('events', '+', '-'),
    result: [
      { id: '2-0', fields: { type: 'logout' } },
      { id: '1-0', fields: { type: 'login' } },
    ],
  }),
  example({
    name: 'xsetid',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
    ],
    call: async (store) => store.xsetid('events', '5-0'),
    result: 'OK',
  }),
  example({
    name: 'xtrim',
    given: [
      async (store) => store.xadd('events', '1-0', { type: 'login' }),
      async (store) => store.xadd('events', '2-0', { type: 'logout' }),
    ],
    call: async (store) => store.xtrim('events', { maxLen: 1 }),
    result: 1,
  }),
  example({
    name: 'append',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.append('greeting', ' world'),
    result: 11,
  }),
  example({
    name: 'decr',
    given: [async (store) => store.set('stock', 10)],
    call: async (store) => store.decr('stock'),
    result: 9,
  }),
  example({
    name: 'decrby',
    given: [async (store) => store.set('stock', 10)],
    call: async (store) => store.decrby('stock', 3),
    result: 7,
  }),
  example({
    name: 'get',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.get('greeting'),
    result: 'hello',
  }),
  example({
    name: 'getdel',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.getdel('greeting'),
    result: 'hello',
  }),
  example({
    name: 'getex',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.getex('greeting', { ex: 60 }),
    result: 'hello',
  }),
  example({
    name: 'getrange',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.getrange('greeting', 0, 1),
    result: 'he',
  }),
  example({
    name: 'getset',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.getset('greeting', 'good day'),
    result: 'hello',
  }),
  example({ name: 'incr', given: [], call: async (store) => store.incr('visits'), result: 1 }),
  example({ name: 'incrby', given: [], call: async (store) => store.incrby('visits', 5), result: 5 }),
  example({
    name: 'incrbyfloat',
    given: [async (store) => store.set('sum', '0.1')],
    call: async (store) => store.incrbyfloat('sum', 0.2),
    result: '0.3',
  }),
  example({
    name: 'lcs',
    given: [async (store) => store.mset({ a: 'ohmytext', b: 'mynewtext' })],
    call: async (store) => store.lcs('a', 'b'),
    result: 'mytext',
  }),
  example({
    name: 'mget',
    given: [async (store) => store.mset({ a: 1, b: 2 })],
    call: async (store) => store.mget('a', 'b', 'none'),
    result: ['1', '2', null],
  }),
  example({ name: 'mset', given: [], call: async (store) => store.mset({ a: 1, b: 'two' }), result: 'OK' }),
  example({
    name: 'msetnx',
    given: [async (store) => store.set('b', 0)],
    call: async (store) => store.msetnx({ a: 1, b: 2 }),
    result: false,
  }),
  example({
    name: 'psetex',
    given: [],
    call: async (store) => store.psetex('code', 60_000, '1234'),
    result: 'OK',
  }),
  example({
    name: 'set',
    given: [],
    call: async (store) => store.set('greeting', 'hello', { ex: 60 }),
    result: 'OK',
  }),
  example({ name: 'setex', given: [], call: async (store) => store.setex('code', 60, '1234'), result: 'OK' }),
  example({ name: 'setnx', given: [], call: async (store) => store.setnx('leader', 'a'), result: true }),
  example({
    name: 'setrange',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.setrange('greeting', 1, 'u'),
    result: 5,
  }),
  example({
    name: 'strlen',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.strlen('greeting'),
    result: 5,
  }),
  example({
    name: 'substr',
    given: [async (store) => store.set('greeting', 'hello')],
    call: async (store) => store.substr('greeting', 0, 1),
    result: 'he',
  }),
];
