import type { Commands } from '../../src/store/commands/index.js';
import type { Shape } from '../../src/store/value.js';

export interface SyncShape extends Shape {
  readonly text: string;
  readonly integer: number;
  readonly mode: 'sync';
}

/** A call, and the words that it sends. */
export type Case = readonly [call: (store: Commands<SyncShape>) => unknown, words: string];

const LIMIT = { offset: 1, count: 2 };
const AT = { fromLonLat: { longitude: 15, latitude: 37 } };

const stringCases: readonly Case[] = [
  [(s) => s.set('k', 'v'), 'SET k v'],
  [(s) => s.set('k', 'v', {}), 'SET k v'],
  [(s) => s.set('k', 'v', { nx: true, get: true, ex: 10 }), 'SET k v NX GET EX 10'],
  [(s) => s.set('k', 'v', { xx: true, px: 10n }), 'SET k v XX PX 10'],
  [(s) => s.set('k', 'v', { nx: false, exAt: 99 }), 'SET k v EXAT 99'],
  [(s) => s.set('k', 'v', { pxAt: 9999 }), 'SET k v PXAT 9999'],
  [(s) => s.set('k', 'v', { keepTtl: true, ex: undefined }), 'SET k v KEEPTTL'],
  [(s) => s.getex('k', { ex: 1 }), 'GETEX k EX 1'],
  [(s) => s.getex('k', { px: 1 }), 'GETEX k PX 1'],
  [(s) => s.getex('k', { exAt: 1 }), 'GETEX k EXAT 1'],
  [(s) => s.getex('k', { pxAt: 1 }), 'GETEX k PXAT 1'],
  [(s) => s.getex('k', { persist: true }), 'GETEX k PERSIST'],
  [(s) => s.lcs('a', 'b', { len: true }), 'LCS a b LEN'],
  [
    (s) => s.lcs('a', 'b', { idx: true, minMatchLen: 4, withMatchLen: true }),
    'LCS a b IDX MINMATCHLEN 4 WITHMATCHLEN',
  ],
  [(s) => s.mset('a', 1), 'MSET a 1'],
  [(s) => s.mset({ a: 1, b: 'x' }), 'MSET a 1 b x'],
  [(s) => s.mset(new Map([['a', 1]])), 'MSET a 1'],
  [
    (s) =>
      s.msetnx([
        ['a', 1],
        ['b', 2],
      ]),
    'MSETNX a 1 b 2',
  ],
  [(s) => s.mget(['a', 'b'], 'c'), 'MGET a b c'],
  [(s) => s.bitcount('k', { start: 0, end: -1, unit: 'bit' }), 'BITCOUNT k 0 -1 bit'],
  [(s) => s.bitpos('k', 1, { start: 0, end: -1, unit: 'BIT' }), 'BITPOS k 1 0 -1 BIT'],
  [(s) => s.bitpos('k', 1, { start: 2 }), 'BITPOS k 1 2'],
  [(s) => s.bitfield('k', { get: 'u8', offset: '#1' }), 'BITFIELD k GET u8 #1'],
  [
    (s) =>
      s.bitfield('k', [
        { set: 'u8', offset: 0, value: 9 },
        { incrBy: 'i4', offset: 8, increment: -1n, overflow: 'fail' },
      ]),
    'BITFIELD k SET u8 0 9 OVERFLOW fail INCRBY i4 8 -1',
  ],
  [(s) => s.bitfieldRo('k', [{ get: 'u8', offset: 0 }]), 'BITFIELD_RO k GET u8 0'],
];

const keyCases: readonly Case[] = [
  [(s) => s.copy('a', 'b', { db: 1, replace: true }), 'COPY a b DB 1 REPLACE'],
  ...(['expire', 'pexpire', 'expireat', 'pexpireat'] as const).flatMap((name): Case[] => [
    [(s) => s[name]('k', 9, { nx: true }), `${name.toUpperCase()} k 9 NX`],
    [(s) => s[name]('k', 9, { xx: true }), `${name.toUpperCase()} k 9 XX`],
    [(s) => s[name]('k', 9, { gt: true }), `${name.toUpperCase()} k 9 GT`],
    [(s) => s[name]('k', 9, { lt: true }), `${name.toUpperCase()} k 9 LT`],
  ]),
  [
    (s) => s.restore('k', 0, 'x', { replace: true, absTtl: true, idleTime: 5 }),
    'RESTORE k 0 x REPLACE ABSTTL IDLETIME 5',
  ],
  [(s) => s.restore('k', 0, 'x', { freq: 5 }), 'RESTORE k 0 x FREQ 5'],
  [
    (s) =>
      s.sort('k', { by: 'w_*', limit: LIMIT, get: ['#', 'o_*'], order: 'desc', alpha: true, store: 'd' }),
    'SORT k BY w_* LIMIT 1 2 GET # GET o_* desc ALPHA STORE d',
  ],
  [
    (s) => s.sortRo('k', { by: 'w_*', limit: LIMIT, get: '#', order: 'ASC', alpha: true }),
    'SORT_RO k BY w_* LIMIT 1 2 GET # ASC ALPHA',
  ],
  [(s) => s.wait(0, 1), 'WAIT 0 1'],
];

const collectionCases: readonly Case[] = [
  [(s) => s.hset('h', 'f', 0), 'HSET h f 0'],
  [(s) => s.hset('h', { f: 'v', g: 2 }), 'HSET h f v g 2'],
  [(s) => s.hrandfield('h'), 'HRANDFIELD h'],
  [(s) => s.hrandfield('h', 2), 'HRANDFIELD h 2'],
  [(s) => s.hrandfield('h', -2, { withValues: true }), 'HRANDFIELD h -2 WITHVALUES'],
  [(s) => s.blmpop(0.5, ['a', 'b'], 'left', { count: 3 }), 'BLMPOP 0.5 2 a b left COUNT 3'],
  [(s) => s.lmpop('a', 'RIGHT', { count: 3 }), 'LMPOP 1 a RIGHT COUNT 3'],
  [(s) => s.lpos('l', 'x', { rank: -1, count: 0, maxLen: 10 }), 'LPOS l x RANK -1 COUNT 0 MAXLEN 10'],
  [(s) => s.rpush('l', ['a', 'b'], 'c'), 'RPUSH l a b c'],
  [(s) => s.sintercard(['a', 'b'], { limit: 3 }), 'SINTERCARD 2 a b LIMIT 3'],
  [(s) => s.spop('s', 2), 'SPOP s 2'],
];

const sortedSetCases: readonly Case[] = [
  [(s) => s.bzmpop(1, 'a', 'max', { count: 2 }), 'BZMPOP 1 1 a max COUNT 2'],
  [(s) => s.zmpop(['a', 'b'], 'min', { count: 2 }), 'ZMPOP 2 a b min COUNT 2'],
  [(s) => s.zadd('z', 1.5, 'm'), 'ZADD z 1.5 m'],
  [(s) => s.zadd('z', 1, 'm', { nx: true, ch: true }), 'ZADD z NX CH 1 m'],
  [(s) => s.zadd('z', { score: 1, member: 'm' }, { xx: true, gt: true }), 'ZADD z XX GT 1 m'],
  [
    (s) =>
      s.zadd(
        'z',
        [
          { score: 1, member: 'm' },
          { score: 2, member: 'n' },
        ],
        { lt: true },
      ),
    'ZADD z LT 1 m 2 n',
  ],
  [(s) => s.zadd('z', '+inf', 'm', { incr: true }), 'ZADD z INCR +inf m'],
  [(s) => s.zdiff(['a', 'b'], { withScores: true }), 'ZDIFF 2 a b WITHSCORES'],
  [
    (s) => s.zinter(['a', 'b'], { weights: [2, 0.5], aggregate: 'max', withScores: true }),
    'ZINTER 2 a b WEIGHTS 2 0.5 AGGREGATE max WITHSCORES',
  ],
  [
    (s) => s.zinterstore('d', ['a'], { weights: 3, aggregate: 'MIN' }),
    'ZINTERSTORE d 1 a WEIGHTS 3 AGGREGATE MIN',
  ],
  [(s) => s.zintercard('a', { limit: 3 }), 'ZINTERCARD 1 a LIMIT 3'],
  [
    (s) => s.zunion('a', { weights: [1], aggregate: 'sum', withScores: true }),
    'ZUNION 1 a WEIGHTS 1 AGGREGATE sum WITHSCORES',
  ],
  [
    (s) => s.zunionstore('d', 'a', { weights: [1], aggregate: 'sum' }),
    'ZUNIONSTORE d 1 a WEIGHTS 1 AGGREGATE sum',
  ],
  [(s) => s.zrandmember('z', 2, { withScores: true }), 'ZRANDMEMBER z 2 WITHSCORES'],
  [
    (s) => s.zrange('z', '(1', '+inf', { byScore: true, rev: true, limit: LIMIT, withScores: true }),
    'ZRANGE z (1 +inf BYSCORE REV LIMIT 1 2 WITHSCORES',
  ],
  [(s) => s.zrange('z', '-', '+', { byLex: true }), 'ZRANGE z - + BYLEX'],
  [(s) => s.zrangebylex('z', '-', '+', { limit: LIMIT }), 'ZRANGEBYLEX z - + LIMIT 1 2'],
  [(s) => s.zrevrangebylex('z', '+', '-', { limit: LIMIT }), 'ZREVRANGEBYLEX z + - LIMIT 1 2'],
  [
    (s) => s.zrangebyscore('z', 1, 2, { withScores: true, limit: LIMIT }),
    'ZRANGEBYSCORE z 1 2 WITHSCORES LIMIT 1 2',
  ],
  [
    (s) => s.zrevrangebyscore('z', 2, 1, { withScores: true, limit: LIMIT }),
    'ZREVRANGEBYSCORE z 2 1 WITHSCORES LIMIT 1 2',
  ],
  [(s) => s.zrevrange('z', 0, -1, { withScores: true }), 'ZREVRANGE z 0 -1 WITHSCORES'],
  [
    (s) => s.zrangestore('d', 'z', 1, 2, { byScore: true, rev: true, limit: LIMIT }),
    'ZRANGESTORE d z 1 2 BYSCORE REV LIMIT 1 2',
  ],
  [(s) => s.zrangestore('d', 'z', '-', '+', { byLex: true }), 'ZRANGESTORE d z - + BYLEX'],
];

const geoCases: readonly Case[] = [
  [(s) => s.geoadd('g', { longitude: 1, latitude: 2, member: 'm' }), 'GEOADD g 1 2 m'],
  [(s) => s.geoadd('g', 1, 2, 'm', { nx: true, ch: true }), 'GEOADD g NX CH 1 2 m'],
  [(s) => s.geoadd('g', [{ longitude: 1, latitude: 2, member: 'm' }], { xx: true }), 'GEOADD g XX 1 2 m'],
  [
    (s) =>
      s.georadius('g', 1, 2, 3, 'km', {
        withCoord: true,
        withDist: true,
        withHash: true,
        count: 5,
        any: true,
        order: 'asc',
      }),
    'GEORADIUS g 1 2 3 km WITHCOORD WITHDIST WITHHASH COUNT 5 ANY asc',
  ],
  [(s) => s.georadius('g', 1, 2, 3, 'km', { store: 'd' }), 'GEORADIUS g 1 2 3 km STORE d'],
  [(s) => s.georadius('g', 1, 2, 3, 'km', { storeDist: 'd' }), 'GEORADIUS g 1 2 3 km STOREDIST d'],
  [
    (s) =>
      s.georadiusRo('g', 1, 2, 3, 'km', {
        withCoord: true,
        withDist: true,
        withHash: true,
        count: 5,
        any: true,
        order: 'asc',
      }),
    'GEORADIUS_RO g 1 2 3 km WITHCOORD WITHDIST WITHHASH COUNT 5 ANY asc',
  ],
  [
    (s) =>
      s.georadiusbymember('g', 'm', 3, 'mi', {
        withCoord: true,
        withDist: true,
        withHash: true,
        count: 5,
        any: true,
        order: 'desc',
      }),
    'GEORADIUSBYMEMBER g m 3 mi WITHCOORD WITHDIST WITHHASH COUNT 5 ANY desc',
  ],
  [(s) => s.georadiusbymember('g', 'm', 3, 'ft', { store: 'd' }), 'GEORADIUSBYMEMBER g m 3 ft STORE d'],
  [
    (s) => s.georadiusbymember('g', 'm', 3, 'ft', { storeDist: 'd' }),
    'GEORADIUSBYMEMBER g m 3 ft STOREDIST d',
  ],
  [
    (s) =>
      s.georadiusbymemberRo('g', 'm', 3, 'm', {
        withCoord: true,
        withDist: true,
        withHash: true,
        count: 5,
        any: true,
        order: 'asc',
      }),
    'GEORADIUSBYMEMBER_RO g m 3 m WITHCOORD WITHDIST WITHHASH COUNT 5 ANY asc',
  ],
  [
    (s) =>
      s.geosearch('g', {
        ...AT,
        byRadius: { radius: 9, unit: 'km' },
        order: 'asc',
        count: 2,
        any: true,
        withCoord: true,
        withDist: true,
        withHash: true,
      }),
    'GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 9 km asc COUNT 2 ANY WITHCOORD WITHDIST WITHHASH',
  ],
  [
    (s) => s.geosearch('g', { fromMember: 'm', byBox: { width: 1, height: 2, unit: 'm' } }),
    'GEOSEARCH g FROMMEMBER m BYBOX 1 2 m',
  ],
  [
    (s) => s.geosearchstore('d', 'g', { ...AT, byBox: { width: 1, height: 2, unit: 'm' }, storeDist: true }),
    'GEOSEARCHSTORE d g FROMLONLAT 15 37 BYBOX 1 2 m STOREDIST',
  ],
  [
    (s) =>
      s.geosearchstore('d', 'g', {
        fromMember: 'm',
        byRadius: { radius: 1, unit: 'mi' },
        order: 'DESC',
        count: 1,
        any: false,
      }),
    'GEOSEARCHSTORE d g FROMMEMBER m BYRADIUS 1 mi DESC COUNT 1',
  ],
];

const streamCases: readonly Case[] = [
  [(s) => s.xadd('x', '*', { f: 'v' }), 'XADD x * f v'],
  [
    (s) =>
      s.xadd(
        'x',
        '*',
        [
          ['f', 1],
          ['f', 2],
        ],
        { noMkStream: true, maxLen: 9 },
      ),
    'XADD x NOMKSTREAM MAXLEN = 9 * f 1 f 2',
  ],
  [
    (s) => s.xadd('x', '*', { f: 'v' }, { minId: '5-0', approximate: true, limit: 3 }),
    'XADD x MINID ~ 5-0 LIMIT 3 * f v',
  ],
  [(s) => s.xtrim('x', { maxLen: 5, approximate: true, limit: 0 }), 'XTRIM x MAXLEN ~ 5 LIMIT 0'],
  [(s) => s.xtrim('x', { minId: '5' }), 'XTRIM x MINID = 5'],
  [
    (s) => s.xautoclaim('x', 'g', 'c', 0, '0', { count: 2, justId: true }),
    'XAUTOCLAIM x g c 0 0 COUNT 2 JUSTID',
  ],
  [
    (s) =>
      s.xclaim('x', 'g', 'c', 0, ['1-0', '2-0'], {
        idle: 1,
        retryCount: 3,
        force: true,
        justId: true,
        lastId: '2-0',
      }),
    'XCLAIM x g c 0 1-0 2-0 IDLE 1 RETRYCOUNT 3 FORCE JUSTID LASTID 2-0',
  ],
  [(s) => s.xclaim('x', 'g', 'c', 0, '1-0', { time: 5 }), 'XCLAIM x g c 0 1-0 TIME 5'],
  [
    (s) => s.xgroupCreate('x', 'g', '$', { mkStream: true, entriesRead: 5 }),
    'XGROUP CREATE x g $ MKSTREAM ENTRIESREAD 5',
  ],
  [(s) => s.xgroupSetid('x', 'g', '$', { entriesRead: 5 }), 'XGROUP SETID x g $ ENTRIESREAD 5'],
  [(s) => s.xinfoStream('x', { full: true }), 'XINFO STREAM x FULL'],
  [(s) => s.xinfoStream('x', { full: { count: 3 } }), 'XINFO STREAM x FULL COUNT 3'],
  [
    (s) => s.xpending('x', 'g', { idle: 5, start: '-', end: '+', count: 3, consumer: 'c' }),
    'XPENDING x g IDLE 5 - + 3 c',
  ],
  [(s) => s.xrange('x', '-', '+', { count: 3 }), 'XRANGE x - + COUNT 3'],
  [(s) => s.xrevrange('x', '+', '-', { count: 3 }), 'XREVRANGE x + - COUNT 3'],
  [(s) => s.xread({ x: '0', y: '$' }, { count: 3, block: 5 }), 'XREAD COUNT 3 BLOCK 5 STREAMS x y 0 $'],
  [
    (s) => s.xreadgroup('g', 'c', { x: '>' }, { count: 3, block: 5, noAck: true }),
    'XREADGROUP GROUP g c COUNT 3 BLOCK 5 NOACK STREAMS x >',
  ],
  [
    (s) => s.xsetid('x', '9-0', { entriesAdded: 9, maxDeletedId: '5-0' }),
    'XSETID x 9-0 ENTRIESADDED 9 MAXDELETEDID 5-0',
  ],
];

const serverCases: readonly Case[] = [
  [
    (s) => s.clientKill({ id: 5, type: 'pubsub', user: 'u', addr: '1:2', laddr: '1:3', skipMe: 'yes' }),
    'CLIENT KILL ID 5 TYPE pubsub USER u ADDR 1:2 LADDR 1:3 SKIPME yes',
  ],
  [(s) => s.clientList({ type: 'normal' }), 'CLIENT LIST TYPE normal'],
  [(s) => s.clientList({ id: [1, 2] }), 'CLIENT LIST ID 1 2'],
  [(s) => s.eval('return 1'), 'EVAL return 1 0'],
  [(s) => s.eval('return 1', ['a', 'b'], 'c'), 'EVAL return 1 2 a b c'],
  [(s) => s.functionFlush({ async: true }), 'FUNCTION FLUSH ASYNC'],
  [(s) => s.functionFlush({ sync: true }), 'FUNCTION FLUSH SYNC'],
  [(s) => s.functionList({ libraryName: 'l*', withCode: true }), 'FUNCTION LIST LIBRARYNAME l* WITHCODE'],
  [(s) => s.functionLoad('code', { replace: true }), 'FUNCTION LOAD REPLACE code'],
  [(s) => s.functionRestore('x', { policy: 'append' }), 'FUNCTION RESTORE x append'],
  [(s) => s.scriptFlush({ async: true }), 'SCRIPT FLUSH ASYNC'],
  [(s) => s.scriptFlush({ sync: true }), 'SCRIPT FLUSH SYNC'],
  [(s) => s.bgsave({ schedule: true }), 'BGSAVE SCHEDULE'],
  [(s) => s.commandList({ filterBy: { module: 'm' } }), 'COMMAND LIST FILTERBY MODULE m'],
  [(s) => s.commandList({ filterBy: { aclCat: 'read' } }), 'COMMAND LIST FILTERBY ACLCAT read'],
  [(s) => s.commandList({ filterBy: { pattern: 'x*' } }), 'COMMAND LIST FILTERBY PATTERN x*'],
  [(s) => s.flushall({ async: true }), 'FLUSHALL ASYNC'],
  [(s) => s.flushall({ sync: true }), 'FLUSHALL SYNC'],
  [(s) => s.flushdb({ async: true }), 'FLUSHDB ASYNC'],
  [(s) => s.flushdb({ sync: true }), 'FLUSHDB SYNC'],
  [(s) => s.info(), 'INFO'],
  [(s) => s.info('server', 'clients'), 'INFO server clients'],
  [(s) => s.lolwut({ version: 5 }), 'LOLWUT VERSION 5'],
  [(s) => s.memoryUsage('k', { samples: 0 }), 'MEMORY USAGE k SAMPLES 0'],
  [(s) => s.configSet('maxmemory', 0), 'CONFIG SET maxmemory 0'],
];

/** Every option of every command, and every form of parameters. */
export const cases: readonly Case[] = [
  ...stringCases,
  ...keyCases,
  ...collectionCases,
  ...sortedSetCases,
  ...geoCases,
  ...streamCases,
  ...serverCases,
];
