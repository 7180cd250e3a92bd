import { arg } from '../../src/commands/argument.js';
import { type MethodTable, method } from './row.js';

const BOUND = 'Argument';
const BITS = "'and' | 'or' | 'xor' | 'not' | 'AND' | 'OR' | 'XOR' | 'NOT'";
const hello = ["set('greeting', 'hello')"];
const expiring = ["set('session', 'x')", "pexpireat('session', 9999999999000)"];
const clock = { onlyEmbedded: 'the clock of a server does not stand still' };

export const stringRows: MethodTable = {
  append: method('integer', "append('greeting', ' world')", '11', hello),
  decr: method('integer', "decr('stock')", '9', ["set('stock', 10)"]),
  decrby: method('integer', "decrby('stock', 3)", '7', ["set('stock', 10)"]),
  get: method('nullableText', "get('greeting')", "'hello'", hello),
  getdel: method('nullableText', "getdel('greeting')", "'hello'", hello),
  getex: method('nullableText', "getex('greeting', { ex: 60 })", "'hello'", hello),
  getrange: method('text', "getrange('greeting', 0, 1)", "'he'", hello),
  getset: method('nullableText', "getset('greeting', 'good day')", "'hello'", hello),
  incr: method('integer', "incr('visits')", '1'),
  incrby: method('integer', "incrby('visits', 5)", '5'),
  incrbyfloat: method('text', "incrbyfloat('sum', 0.2)", "'0.3'", ["set('sum', '0.1')"]),
  lcs: method('text', "lcs('a', 'b')", "'mytext'", ["mset({ a: 'ohmytext', b: 'mynewtext' })"], {
    when: [
      [['len'], 'integer'],
      [['idx'], 'commonSubsequence'],
    ],
  }),
  mget: method('nullTexts', "mget('a', 'b', 'none')", "['1', '2', null]", ['mset({ a: 1, b: 2 })']),
  mset: method('ok', "mset({ a: 1, b: 'two' })", "'OK'"),
  msetnx: method('boolean', 'msetnx({ a: 1, b: 2 })', 'false', ["set('b', 0)"]),
  psetex: method('ok', "psetex('code', 60_000, '1234')", "'OK'"),
  set: method('ok', "set('greeting', 'hello', { ex: 60 })", "'OK'", [], {
    when: [
      [['get'], 'nullableText'],
      [['nx', 'xx'], 'nullableOk'],
    ],
  }),
  setex: method('ok', "setex('code', 60, '1234')", "'OK'"),
  setnx: method('boolean', "setnx('leader', 'a')", 'true'),
  setrange: method('integer', "setrange('greeting', 1, 'u')", '5', hello),
  strlen: method('integer', "strlen('greeting')", '5', hello),
  substr: method('text', "substr('greeting', 0, 1)", "'he'", hello),
};

export const bitmapRows: MethodTable = {
  bitcount: method('integer', "bitcount('bits', { start: 0, end: 0 })", '1', ["setbit('bits', 7, 1)"]),
  bitfield: method(
    'nullIntegers',
    "bitfield('bits', [{ set: 'u8', offset: 0, value: 200 }, { incrBy: 'u8', offset: 0, increment: 100, overflow: 'sat' }])",
    '[0, 255]',
    [],
    {
      arguments: [arg.key('key'), arg.string('operations')],
      types: { operations: 'OneOrMore<BitfieldOperation>' },
    },
  ),
  bitfield_ro: method(
    'integers',
    "bitfieldRo('bits', { get: 'u8', offset: 0 })",
    '[1]',
    ["setbit('bits', 7, 1)"],
    {
      arguments: [arg.key('key'), arg.string('operations')],
      types: { operations: 'OneOrMore<BitfieldRead>' },
    },
  ),
  bitop: method('integer', "bitop('and', 'both', 'a', 'b')", '3', ["mset({ a: 'foo', b: 'bar' })"], {
    types: { operation: BITS },
  }),
  bitpos: method('integer', "bitpos('bits', 1)", '7', ["setbit('bits', 7, 1)"], { types: { bit: '0 | 1' } }),
  getbit: method('integer', "getbit('bits', 7)", '1', ["setbit('bits', 7, 1)"]),
  setbit: method('integer', "setbit('bits', 7, 1)", '0', [], { types: { value: '0 | 1' } }),
};

export const genericRows: MethodTable = {
  copy: method('boolean', "copy('greeting', 'copy', { replace: true })", 'true', hello),
  del: method('integer', "del('a', 'b', 'none')", '2', ['mset({ a: 1, b: 2 })']),
  dump: method('nullableText', "dump('none')", 'null'),
  exists: method('integer', "exists('a', 'none')", '1', ["set('a', 1)"]),
  expire: method('boolean', "expire('greeting', 60, { nx: true })", 'true', hello),
  expireat: method('boolean', "expireat('greeting', 9999999999)", 'true', hello),
  expiretime: method('integer', "expiretime('session')", '9999999999', expiring),
  keys: method('texts', "keys('user:*')", "['user:1']", ["mset({ 'user:1': 'Ann', other: 1 })"]),
  move: method('boolean', "move('greeting', 1)", 'true', ['flushall()', ...hello]),
  'object|encoding': method('nullableWord', "objectEncoding('n')", "'int'", ["set('n', 42)"]),
  'object|freq': method(
    'nullableInteger',
    "objectFreq('l')",
    undefined,
    ["configSet('maxmemory-policy', 'allkeys-lfu')", "rpush('l', 'x')"],
    { check: 'result !== null && result > 0' },
  ),
  'object|idletime': method('nullableInteger', "objectIdletime('n')", '0', ["set('n', 42)"], clock),
  'object|refcount': method('nullableInteger', "objectRefcount('l')", '1', ["rpush('l', 'x')"]),
  persist: method('boolean', "persist('session')", 'true', expiring),
  pexpire: method('boolean', "pexpire('greeting', 60_000)", 'true', hello),
  pexpireat: method('boolean', "pexpireat('greeting', 9999999999000, { gt: true })", 'false', hello),
  pexpiretime: method('integer', "pexpiretime('session')", '9999999999000', expiring),
  pttl: method('integer', "pttl('session')", '60000', ["psetex('session', 60_000, 'x')"], clock),
  randomkey: method('nullableText', 'randomkey()', "'greeting'", hello),
  rename: method('ok', "rename('greeting', 'welcome')", "'OK'", hello),
  renamenx: method('boolean', "renamenx('greeting', 'welcome')", 'true', hello),
  restore: method(
    'ok',
    "restore('copy', 0, Buffer.from('000568656c6c6f0a006372df766534200a', 'hex'), { replace: true })",
    "'OK'",
  ),
  sort: method(
    'texts',
    "sort('numbers', { order: 'desc', limit: { offset: 0, count: 2 } })",
    "['10', '9']",
    ["rpush('numbers', 2, 10, 9)"],
    {
      when: [
        [['store'], 'integer'],
        [['get'], 'nullTexts'],
      ],
    },
  ),
  sort_ro: method('texts', "sortRo('words', { alpha: true })", "['a', 'b']", ["rpush('words', 'b', 'a')"], {
    when: [[['get'], 'nullTexts']],
  }),
  touch: method('integer', "touch('greeting', 'none')", '1', hello),
  ttl: method('integer', "ttl('session')", '60', ["setex('session', 60, 'x')"], clock),
  type: method('word', "type('greeting')", "'string'", hello),
  unlink: method('integer', "unlink('greeting')", '1', hello),
  wait: method('integer', 'wait(0, 100)', '0', [], { blocks: true }),
};

export const hyperloglogRows: MethodTable = {
  pfadd: method('boolean', "pfadd('visitors', 'ann', 'bob')", 'true'),
  pfcount: method('integer', "pfcount('visitors')", '2', ["pfadd('visitors', 'ann', 'bob')"]),
  pfmerge: method('ok', "pfmerge('all', ['monday', 'tuesday'])", "'OK'", ["pfadd('monday', 'ann')"]),
};

export const hashRows: MethodTable = {
  hdel: method('integer', "hdel('user', 'age', 'none')", '1', ["hset('user', { name: 'Ann', age: 30 })"]),
  hexists: method('boolean', "hexists('user', 'name')", 'true', ["hset('user', 'name', 'Ann')"]),
  hget: method('nullableText', "hget('user', 'name')", "'Ann'", ["hset('user', 'name', 'Ann')"]),
  hgetall: method('record', "hgetall('user')", "{ name: 'Ann', age: '30' }", [
    "hset('user', { name: 'Ann', age: 30 })",
  ]),
  hincrby: method('integer', "hincrby('user', 'visits', 1)", '1'),
  hincrbyfloat: method('text', "hincrbyfloat('user', 'balance', 0.1)", "'0.1'"),
  hkeys: method('texts', "hkeys('user')", "['name', 'age']", ["hset('user', { name: 'Ann', age: 30 })"]),
  hlen: method('integer', "hlen('user')", '2', ["hset('user', { name: 'Ann', age: 30 })"]),
  hmget: method('nullTexts', "hmget('user', 'name', 'none')", "['Ann', null]", [
    "hset('user', 'name', 'Ann')",
  ]),
  hmset: method('ok', "hmset('user', { name: 'Ann' })", "'OK'"),
  hrandfield: method(
    'nullableText',
    "hrandfield('user', 1, { withValues: true })",
    "[['name', 'Ann']]",
    ["hset('user', 'name', 'Ann')"],
    {
      when: [
        [['withValues'], 'entries'],
        [['count'], 'texts'],
      ],
    },
  ),
  hset: method('integer', "hset('user', { name: 'Ann', age: 30 })", '2'),
  hsetnx: method('boolean', "hsetnx('user', 'name', 'Bob')", 'false', ["hset('user', 'name', 'Ann')"]),
  hstrlen: method('integer', "hstrlen('user', 'name')", '3', ["hset('user', 'name', 'Ann')"]),
  hvals: method('texts', "hvals('user')", "['Ann', '30']", ["hset('user', { name: 'Ann', age: 30 })"]),
};

const jobs = ["rpush('jobs', 'a', 'b', 'c')"];

export const listRows: MethodTable = {
  blmove: method('nullableText', "blmove('jobs', 'running', 'left', 'right', 1)", "'a'", jobs, {
    blocks: true,
  }),
  blmpop: method(
    'poppedElements',
    "blmpop(1, 'jobs', 'left', { count: 2 })",
    "{ key: 'jobs', elements: ['a', 'b'] }",
    jobs,
    { blocks: true },
  ),
  blpop: method('poppedElement', "blpop('jobs', 1)", "{ key: 'jobs', element: 'a' }", jobs, { blocks: true }),
  brpop: method('poppedElement', "brpop(['urgent', 'jobs'], 1)", "{ key: 'jobs', element: 'c' }", jobs, {
    blocks: true,
  }),
  brpoplpush: method('nullableText', "brpoplpush('jobs', 'running', 1)", "'c'", jobs, { blocks: true }),
  lindex: method('nullableText', "lindex('jobs', -1)", "'c'", jobs),
  linsert: method('integer', "linsert('jobs', 'before', 'b', 'x')", '4', jobs),
  llen: method('integer', "llen('jobs')", '3', jobs),
  lmove: method('nullableText', "lmove('jobs', 'running', 'left', 'right')", "'a'", jobs),
  lmpop: method(
    'poppedElements',
    "lmpop(['urgent', 'jobs'], 'left')",
    "{ key: 'jobs', elements: ['a'] }",
    jobs,
  ),
  lpop: method('nullableText', "lpop('jobs', 2)", "['a', 'b']", jobs, { when: [[['count'], 'textsOrNull']] }),
  lpos: method('nullableInteger', "lpos('jobs', 'b')", '1', jobs, { when: [[['count'], 'integers']] }),
  lpush: method('integer', "lpush('jobs', 'a', 'b')", '2'),
  lpushx: method('integer', "lpushx('jobs', 'a')", '0'),
  lrange: method('texts', "lrange('jobs', 0, -1)", "['a', 'b', 'c']", jobs),
  lrem: method('integer', "lrem('jobs', 0, 'b')", '1', jobs),
  lset: method('ok', "lset('jobs', 0, 'x')", "'OK'", jobs),
  ltrim: method('ok', "ltrim('jobs', 0, 1)", "'OK'", jobs),
  rpop: method('nullableText', "rpop('jobs')", "'c'", jobs, { when: [[['count'], 'textsOrNull']] }),
  rpoplpush: method('nullableText', "rpoplpush('jobs', 'running')", "'c'", jobs),
  rpush: method('integer', "rpush('jobs', ['a', 'b'])", '2'),
  rpushx: method('integer', "rpushx('jobs', 'd')", '4', jobs),
};

const tags = ["sadd('tags', 'red', 'green')", "sadd('mine', 'red', 'blue')"];

export const setRows: MethodTable = {
  sadd: method('integer', "sadd('tags', 'red', 'green')", '2'),
  scard: method('integer', "scard('tags')", '2', tags),
  sdiff: method('texts', "sdiff('tags', 'mine')", "['green']", tags),
  sdiffstore: method('integer', "sdiffstore('rest', 'tags', 'mine')", '1', tags),
  sinter: method('texts', "sinter('tags', 'mine')", "['red']", tags),
  sintercard: method('integer', "sintercard(['tags', 'mine'], { limit: 10 })", '1', tags),
  sinterstore: method('integer', "sinterstore('both', 'tags', 'mine')", '1', tags),
  sismember: method('boolean', "sismember('tags', 'red')", 'true', tags),
  smembers: method('texts', "smembers('one')", "['red']", ["sadd('one', 'red')"]),
  smismember: method('booleans', "smismember('tags', 'red', 'blue')", '[true, false]', tags),
  smove: method('boolean', "smove('tags', 'mine', 'green')", 'true', tags),
  spop: method('nullableText', "spop('one')", "'red'", ["sadd('one', 'red')"], {
    when: [[['count'], 'texts']],
  }),
  srandmember: method('nullableText', "srandmember('one', -2)", "['red', 'red']", ["sadd('one', 'red')"], {
    when: [[['count'], 'texts']],
  }),
  srem: method('integer', "srem('tags', 'red', 'none')", '1', tags),
  sunion: method('texts', "sunion('one', 'none')", "['red']", ["sadd('one', 'red')"]),
  sunionstore: method('integer', "sunionstore('all', 'tags', 'mine')", '3', tags),
};

const ranking = ["zadd('ranking', [{ score: 1, member: 'ann' }, { score: 2, member: 'bob' }])"];
const ANN = "{ member: 'ann', score: 1 }";
const BOB = "{ member: 'bob', score: 2 }";
const withScores = { when: [[['withScores'], 'scores']] } as const;
const scoreBounds = { types: { min: BOUND, max: BOUND } };
const withScoresBetween = { ...withScores, ...scoreBounds };
const numbers = { types: { weights: 'OneOrMore<number>' } };

export const sortedSetRows: MethodTable = {
  bzmpop: method(
    'poppedMembers',
    "bzmpop(1, ['ranking'], 'min')",
    `{ key: 'ranking', members: [${ANN}] }`,
    ranking,
    { blocks: true },
  ),
  bzpopmax: method(
    'poppedMember',
    "bzpopmax('ranking', 1)",
    "{ key: 'ranking', member: 'bob', score: 2 }",
    ranking,
    {
      blocks: true,
    },
  ),
  bzpopmin: method(
    'poppedMember',
    "bzpopmin('ranking', 1)",
    "{ key: 'ranking', member: 'ann', score: 1 }",
    ranking,
    {
      blocks: true,
    },
  ),
  zadd: method('integer', "zadd('ranking', 1, 'ann', { gt: true })", '1', [], {
    when: [[['incr'], 'nullableDouble']],
  }),
  zcard: method('integer', "zcard('ranking')", '2', ranking),
  zcount: method('integer', "zcount('ranking', '(1', '+inf')", '1', ranking, scoreBounds),
  zdiff: method('texts', "zdiff(['ranking', 'none'])", "['ann', 'bob']", ranking, withScores),
  zdiffstore: method('integer', "zdiffstore('copy', ['ranking', 'none'])", '2', ranking),
  zincrby: method('double', "zincrby('ranking', 1.5, 'ann')", '2.5', ranking, {
    types: { increment: 'number | string' },
  }),
  zinter: method(
    'texts',
    "zinter(['ranking', 'ranking'], { withScores: true })",
    `[{ member: 'ann', score: 2 }, { member: 'bob', score: 4 }]`,
    ranking,
    {
      ...withScores,
      ...numbers,
    },
  ),
  zintercard: method('integer', "zintercard(['ranking', 'ranking'])", '2', ranking),
  zinterstore: method(
    'integer',
    "zinterstore('sum', ['ranking', 'ranking'], { weights: [1, 0.5] })",
    '2',
    ranking,
    numbers,
  ),
  zlexcount: method('integer', "zlexcount('ranking', '-', '+')", '2', ranking),
  zmpop: method('poppedMembers', "zmpop('ranking', 'max')", `{ key: 'ranking', members: [${BOB}] }`, ranking),
  zmscore: method('nullDoubles', "zmscore('ranking', 'ann', 'none')", '[1, null]', ranking),
  zpopmax: method('nullableScore', "zpopmax('ranking')", BOB, ranking, { when: [[['count'], 'scores']] }),
  zpopmin: method('nullableScore', "zpopmin('ranking', 2)", `[${ANN}, ${BOB}]`, ranking, {
    when: [[['count'], 'scores']],
  }),
  zrandmember: method(
    'nullableText',
    "zrandmember('one', 1, { withScores: true })",
    `[${ANN}]`,
    ["zadd('one', 1, 'ann')"],
    {
      when: [
        [['withScores'], 'scores'],
        [['count'], 'texts'],
      ],
    },
  ),
  zrange: method(
    'texts',
    "zrange('ranking', 0, -1, { rev: true, withScores: true })",
    `[${BOB}, ${ANN}]`,
    ranking,
    {
      ...withScores,
      types: { start: BOUND, stop: BOUND },
    },
  ),
  zrangebylex: method('texts', "zrangebylex('ranking', '-', '(b')", "['ann']", ranking),
  zrangebyscore: method('texts', "zrangebyscore('ranking', 0, '(2')", "['ann']", ranking, withScoresBetween),
  zrangestore: method('integer', "zrangestore('top', 'ranking', 0, 0, { rev: true })", '1', ranking),
  zrank: method('nullableInteger', "zrank('ranking', 'bob')", '1', ranking),
  zrem: method('integer', "zrem('ranking', 'ann')", '1', ranking),
  zremrangebylex: method('integer', "zremrangebylex('ranking', '-', '(b')", '1', ranking),
  zremrangebyrank: method('integer', "zremrangebyrank('ranking', 0, 0)", '1', ranking),
  zremrangebyscore: method('integer', "zremrangebyscore('ranking', '-inf', 1)", '1', ranking, scoreBounds),
  zrevrange: method('texts', "zrevrange('ranking', 0, 0)", "['bob']", ranking, withScores),
  zrevrangebylex: method('texts', "zrevrangebylex('ranking', '+', '-')", "['bob', 'ann']", ranking),
  zrevrangebyscore: method(
    'texts',
    "zrevrangebyscore('ranking', '+inf', 2, { withScores: true })",
    `[${BOB}]`,
    ranking,
    withScoresBetween,
  ),
  zrevrank: method('nullableInteger', "zrevrank('ranking', 'bob')", '0', ranking),
  zscore: method('nullableDouble', "zscore('ranking', 'ann')", '1', ranking),
  zunion: method('texts', "zunion(['ranking', 'none'], { aggregate: 'max' })", "['ann', 'bob']", ranking, {
    ...withScores,
    ...numbers,
  }),
  zunionstore: method('integer', "zunionstore('all', ['ranking', 'none'])", '2', ranking, numbers),
};

const places = [
  "geoadd('sicily', [{ longitude: 13.361389, latitude: 38.115556, member: 'Palermo' }, { longitude: 15.087269, latitude: 37.502669, member: 'Catania' }])",
];
const found = {
  when: [
    [['store', 'storeDist'], 'integer'],
    [['withCoord', 'withDist', 'withHash'], 'places'],
  ],
} as const;
const foundOnly = { when: [[['withCoord', 'withDist', 'withHash'], 'places']] } as const;

export const geoRows: MethodTable = {
  geoadd: method('integer', "geoadd('sicily', 13.361389, 38.115556, 'Palermo', { nx: true })", '1'),
  geodist: method('nullableDouble', "geodist('sicily', 'Palermo', 'Catania', 'km')", '166.2742', places, {
    positional: ['unit'],
  }),
  geohash: method('nullTexts', "geohash('sicily', 'Palermo')", "['sqc8b49rny0']", places),
  geopos: method('positions', "geopos('sicily', 'none')", '[null]', places),
  georadius: method('texts', "georadius('sicily', 15, 37, 100, 'km')", "['Catania']", places, found),
  georadius_ro: method('texts', "georadiusRo('sicily', 15, 37, 100, 'km')", "['Catania']", places, foundOnly),
  georadiusbymember: method(
    'texts',
    "georadiusbymember('sicily', 'Catania', 1, 'km')",
    "['Catania']",
    places,
    found,
  ),
  georadiusbymember_ro: method(
    'texts',
    "georadiusbymemberRo('sicily', 'Catania', 1, 'km')",
    "['Catania']",
    places,
    foundOnly,
  ),
  geosearch: method(
    'texts',
    "geosearch('sicily', { fromLonLat: { longitude: 15, latitude: 37 }, byRadius: { radius: 200, unit: 'km' }, order: 'asc', withDist: true })",
    "[{ member: 'Catania', distance: 56.4413 }, { member: 'Palermo', distance: 190.4424 }]",
    places,
    foundOnly,
  ),
  geosearchstore: method(
    'integer',
    "geosearchstore('near', 'sicily', { fromMember: 'Catania', byBox: { width: 10, height: 10, unit: 'km' } })",
    '1',
    places,
  ),
};
