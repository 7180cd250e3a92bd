import {
  type Command,
  type ConnectionPair,
  compareCases,
  compareLive,
  itemsOf,
  type LivePair,
  on,
  plain,
  type RawClient,
  receive,
  show,
  silent,
} from './support/index.js';

/**
 * Every family of commands, with the events it publishes: after each command the messages of both servers are compared,
 * in order. Replies are compared in other tests.
 */

const ALL_EVENTS = 'KEAmn';
const MARK = 'mark';

/** The events published since the last mark, as `key: event`, with the database unless it is 0. */
async function eventsUntilMark(subscriber: RawClient): Promise<string[]> {
  const events: string[] = [];
  for (;;) {
    const [, pattern, channel, message] = itemsOf(await subscriber.next()).map(plain);
    if (pattern === MARK) return events;
    const keyspace = /^__keyspace@(\d+)__:(.*)$/s.exec(String(channel));
    const keyevent = /^__keyevent@(\d+)__:(.*)$/s.exec(String(channel));
    if (keyspace !== null) events.push(`${keyspace[1]}|${keyspace[2]} ${message}`);
    else events.push(`event ${keyevent?.[1]}|${message} ${keyevent?.[2]}`);
  }
}

class EventComparison {
  readonly #live: LivePair;
  readonly #subscriber: ConnectionPair;
  readonly #main: ConnectionPair;
  readonly #differences: string[] = [];

  private constructor(live: LivePair, subscriber: ConnectionPair, main: ConnectionPair) {
    this.#live = live;
    this.#subscriber = subscriber;
    this.#main = main;
  }

  static async start(live: LivePair, letters = ALL_EVENTS): Promise<EventComparison> {
    const subscriber = await live.connect(2);
    await live.sendBoth(['CONFIG', 'SET', 'notify-keyspace-events', letters]);
    await live.sendBoth(['PSUBSCRIBE', '__key*__:*'], { on: subscriber });
    await live.sendBoth(['PSUBSCRIBE', MARK], { on: subscriber });
    return new EventComparison(live, subscriber, await live.connect(2));
  }

  async run(command: Command): Promise<void> {
    const { redis, sorrel } = this.#main;
    await Promise.all([redis.call(command), sorrel.call(command)]);
    await this.#live.sendBoth(['PUBLISH', MARK, 'x']);
    const [expected, actual] = await Promise.all([
      eventsUntilMark(this.#subscriber.redis),
      eventsUntilMark(this.#subscriber.sorrel),
    ]);
    if (expected.join('\n') === actual.join('\n')) return;
    this.#differences.push(
      `${show(command)}\n    redis   ${expected.join(', ')}\n    sorrel  ${actual.join(', ')}`,
    );
  }

  finish(): void {
    if (this.#differences.length === 0) return;
    throw new Error(`${this.#differences.length} commands differ\n\n${this.#differences.join('\n\n')}\n`);
  }
}

function compareEvents(name: string, commands: readonly Command[], letters = ALL_EVENTS): void {
  compareLive(`events of ${name}`, async (live) => {
    const comparison = await EventComparison.start(live, letters);
    for (const command of commands) await comparison.run(command);
    comparison.finish();
  });
  compareOrder(name, commands, letters);
}

/** The output to a RESP3 client for its command: the events of the command, and the place of the reply among them. */
async function orderUntilMark(client: RawClient): Promise<string[]> {
  const order: string[] = [];
  for (;;) {
    const reply = await client.next();
    if (reply.type === 'push') order.push(itemsOf(reply).map(plain).slice(2).join(' '));
    else if (plain(reply) === MARK) return order;
    else order.push('reply');
  }
}

/** For some commands, Redis sends the events in the middle of their replies, which no client can parse. */
function isWhole(command: Command): boolean {
  return !/^(B?ZM?POP|XCLAIM|XAUTOCLAIM)/.test(String(command));
}

/** Like `compareEvents`, but one client sends the commands and receives the events. */
function compareOrder(name: string, commands: readonly Command[], letters = ALL_EVENTS): void {
  compareLive(`replies among events of ${name}`, async (live) => {
    const client = await live.connect(3);
    await live.sendBoth(['CONFIG', 'SET', 'notify-keyspace-events', letters]);
    await live.sendBoth(['PSUBSCRIBE', '__key*__:*'], { on: client });
    const differences: string[] = [];
    for (const command of commands.filter(isWhole)) {
      for (const words of [command, ['ECHO', MARK]]) {
        client.redis.send(words);
        client.sorrel.send(words);
      }
      const [expected, actual] = await Promise.all([
        orderUntilMark(client.redis),
        orderUntilMark(client.sorrel),
      ]);
      if (expected.join() === actual.join()) continue;
      differences.push(
        `${show(command)}\n    redis   ${expected.join(', ')}\n    sorrel  ${actual.join(', ')}`,
      );
    }
    if (differences.length > 0)
      throw new Error(`${differences.length} differ\n\n${differences.join('\n\n')}\n`);
  });
}

/** A key `x` that has expired but is still stored. */
const expired = ['DEBUG SET-ACTIVE-EXPIRE 0', 'SET x 1 PX 1', 'DEBUG SLEEP 0.005'] as const;

compareEvents('strings', [
  'SET k v',
  'SET k w',
  'SET k v XX',
  'SET k v NX',
  'SET absent v XX',
  'SET k v GET',
  'SET k v EX 100',
  'SET k v KEEPTTL',
  'SET k v PX 100000',
  'SET k v EXAT 4000000000',
  'SETNX k v',
  'SETNX l v',
  'SETEX k 100 v',
  'PSETEX m 100000 v',
  'GET k',
  'GET absent',
  'GETEX k',
  'GETEX k EX 100',
  'GETEX k PERSIST',
  'GETEX k PERSIST',
  'GETEX k PXAT 1',
  'GETEX k',
  'SET k v',
  'GETDEL k',
  'GETDEL k',
  'GETSET k v',
  'GETSET k w',
  'MGET k absent',
  'MSET a 1 b 2',
  'MSET a 1 a 2',
  'MSETNX a 1 c 2',
  'MSETNX d 1 e 2',
  'INCR n',
  'INCR n',
  'DECR n',
  'INCRBY n 5',
  'DECRBY n 5',
  'INCRBYFLOAT n 0.5',
  'INCRBYFLOAT f 0.5',
  'INCR k',
  'APPEND k x',
  'APPEND newkey x',
  'SETRANGE k 1 x',
  'SETRANGE k 1 ""',
  'SETRANGE newrange 2 x',
  'SETRANGE newempty 2 ""',
  'STRLEN k',
  'STRLEN absent',
  'GETRANGE absent 0 1',
  'SUBSTR absent 0 1',
  'LCS k absent',
]);

compareEvents('bitmaps', [
  'SETBIT b 7 1',
  'SETBIT b 7 1',
  'SETBIT b 100 0',
  'GETBIT absent 1',
  'BITCOUNT absent',
  'BITPOS absent 1',
  'SET c abc',
  'BITOP AND d b c',
  'BITOP NOT d c',
  'BITOP AND d absent1 absent2',
  'BITOP AND d absent1 absent2',
  'BITFIELD f SET u8 0 200',
  'BITFIELD f GET u8 0',
  'BITFIELD f INCRBY u8 0 1 SET u8 8 1',
  'BITFIELD f OVERFLOW FAIL INCRBY u8 0 200',
  'BITFIELD g GET u8 0',
  'BITFIELD h OVERFLOW FAIL INCRBY u2 0 200',
  'BITFIELD_RO absent GET u8 0',
]);

compareEvents('hyperloglogs', [
  'PFADD h a b',
  'PFADD h a b',
  'PFADD h c',
  'PFADD empty',
  'PFADD empty',
  'PFCOUNT h',
  'PFCOUNT h',
  'PFCOUNT absent',
  'PFCOUNT h absent',
  'PFMERGE d h empty',
  'PFMERGE d',
  'PFMERGE n absent',
]);

compareEvents('generic commands', [
  'SET a 1',
  'SET b 1',
  'DEL a absent b',
  'SET a 1',
  'UNLINK a absent',
  'DEL absent',
  'SET a 1',
  'EXISTS a absent',
  'TYPE absent',
  'TTL absent',
  'PTTL absent',
  'EXPIRETIME absent',
  'OBJECT ENCODING absent',
  'OBJECT FREQ absent',
  'DUMP absent',
  'TOUCH a absent',
  'EXPIRE a 100',
  'EXPIRE a 100 NX',
  'EXPIRE a 200 GT',
  'EXPIRE absent 100',
  'PEXPIRE a 100000',
  'EXPIREAT a 4000000000',
  'PEXPIREAT a 4000000000000',
  'PERSIST a',
  'PERSIST a',
  'EXPIRE a -1',
  'SET a 1',
  'PEXPIREAT a 1',
  'SET a 1',
  'RENAME a b',
  'RENAME a b',
  'SET a 1',
  'RENAME a b',
  'RENAME b b',
  'RENAMENX b c',
  'SET b 1',
  'RENAMENX b c',
  'COPY b d',
  'COPY b d',
  'COPY b d REPLACE',
  'COPY b e DB 3',
  'COPY absent e',
  'MOVE b 3',
  'MOVE b 3',
  'MOVE c 5',
  'RANDOMKEY',
  'KEYS *',
  'SCAN 0',
  'RPUSH l 3 1 2',
  'SORT l',
  'SORT l STORE sorted',
  'SORT absent STORE sorted',
  'SORT absent STORE sorted',
  'SORT_RO absent',
  'SORT l BY w_*',
  'SORT l GET o_*',
  'SORT l BY w_*->f GET #',
  'RESTORE r 0 "\\x00\\xc0\\x01\\n\\x00\\x8f\\x99\\xdb\\xe2\\x12\\xd8\\x9a\\x1e"',
  'SWAPDB 0 1',
  'SWAPDB 0 1',
  'FLUSHDB',
  'FLUSHALL',
]);

compareLive('events of RESTORE', async (live) => {
  const comparison = await EventComparison.start(live);
  await comparison.run('SET s hello');
  const { redis } = await live.sendBoth('DUMP s');
  const dump = redis.type === 'bulk' ? redis.bytes : Buffer.alloc(0);
  await comparison.run(['RESTORE', 't', 0, dump]);
  await comparison.run(['RESTORE', 't', 0, dump]);
  await comparison.run(['RESTORE', 't', 0, dump, 'REPLACE']);
  await comparison.run(['RESTORE', 'u', 100000, dump]);
  await comparison.run(['RESTORE', 'v', 1, dump, 'ABSTTL']);
  await comparison.run(['RESTORE', 't', 1, dump, 'ABSTTL', 'REPLACE']);
  comparison.finish();
});

compareEvents('lists', [
  'LPUSH l a b',
  'RPUSH l c',
  'LPUSHX l z',
  'RPUSHX absent z',
  'LLEN absent',
  'LRANGE absent 0 -1',
  'LINDEX absent 0',
  'LPOS absent x',
  'LSET l 0 y',
  'LSET absent 0 y',
  'LSET l 100 y',
  'LINSERT l BEFORE a q',
  'LINSERT l BEFORE notthere q',
  'LINSERT absent BEFORE a q',
  'LREM l 0 q',
  'LREM l 0 notthere',
  'LREM absent 0 q',
  'LTRIM l 0 -1',
  'LTRIM l 0 2',
  'LTRIM absent 0 2',
  'LPOP l',
  'RPOP l',
  'LPOP absent',
  'LPOP absent 2',
  'LPOP l 0',
  'RPUSH l a b c d e f',
  'LPOP l 2',
  'RPOP l 2',
  'LPOP l 100',
  'RPUSH l a b c',
  'LMOVE l m LEFT RIGHT',
  'LMOVE l m RIGHT LEFT',
  'LMOVE l l LEFT RIGHT',
  'LMOVE l m LEFT RIGHT',
  'LMOVE absent m LEFT RIGHT',
  'RPOPLPUSH m m',
  'RPOPLPUSH m n',
  'LMPOP 2 absent m LEFT',
  'LMPOP 2 absent m RIGHT COUNT 10',
  'LMPOP 1 absent LEFT',
  'RPUSH l a b c',
  'BLPOP l 1',
  'BRPOP absent l 1',
  'BLMOVE l m LEFT LEFT 1',
  'BRPOPLPUSH m o 1',
  'BLMPOP 1 1 o LEFT',
  'RPUSH l a',
  'LREM l 0 a',
  'RPUSH l a',
  'LTRIM l 1 0',
  'RPUSH l a',
  'DEL l',
]);

compareEvents('hashes', [
  'HSET h a 1 b 2',
  'HSET h a 1',
  'HMSET h a 1 c 2',
  'HSETNX h a 1',
  'HSETNX h d 1',
  'HSETNX newhash d 1',
  'HINCRBY h n 1',
  'HINCRBY newincr n 1',
  'HINCRBYFLOAT h f 1.5',
  'HINCRBY h f x',
  'HGET absent f',
  'HMGET absent f',
  'HGETALL absent',
  'HKEYS absent',
  'HVALS absent',
  'HLEN absent',
  'HEXISTS absent f',
  'HSTRLEN absent f',
  'HRANDFIELD absent',
  'HRANDFIELD absent 2',
  'HSCAN absent 0',
  'HGET h nofield',
  'HDEL h nofield',
  'HDEL h a nofield',
  'HDEL absent a',
  'HDEL newhash d',
  'HDEL h b c d n f',
]);

compareEvents('sets', [
  'SADD s a b c',
  'SADD s a',
  'SREM s notthere',
  'SREM s a',
  'SREM absent a',
  'SCARD absent',
  'SISMEMBER absent a',
  'SMISMEMBER absent a',
  'SMEMBERS absent',
  'SRANDMEMBER absent',
  'SRANDMEMBER absent 2',
  'SSCAN absent 0',
  'SPOP absent',
  'SPOP absent 2',
  'SADD s a b c d e f g',
  'SPOP s',
  'SPOP s 2',
  'SPOP s 0',
  'SPOP s 3',
  'SPOP s 100',
  'SADD s only',
  'SPOP s',
  'SADD s a b',
  'SADD t b c',
  'SMOVE s t a',
  'SMOVE s t notthere',
  'SMOVE absent t a',
  'SMOVE s t b',
  'SADD s 1 2 3',
  'SADD t 3 4',
  'SINTER s absent',
  'SINTERCARD 2 s absent',
  'SUNION s absent',
  'SDIFF absent s',
  'SINTERSTORE d s t',
  'SINTERSTORE d s absent',
  'SINTERSTORE d s absent',
  'SUNIONSTORE d s t',
  'SUNIONSTORE d absent',
  'SDIFFSTORE d s t',
  'SDIFFSTORE d absent s',
  'SREM s 1 2 3',
]);

compareEvents('sorted sets', [
  'ZADD z 1 a 2 b',
  'ZADD z 1 a',
  'ZADD z 5 a',
  'ZADD z NX 9 a',
  'ZADD z XX 9 newmember',
  'ZADD absent XX 9 m',
  'ZADD z CH 1 a 3 c',
  'ZADD z INCR 1 a',
  'ZADD newincr INCR 1 a',
  'ZADD z NX INCR 1 a',
  'ZADD z GT 1 a',
  'ZINCRBY z 1 a',
  'ZINCRBY newby 1 a',
  'ZINCRBY z 0 a',
  'ZSCORE absent m',
  'ZMSCORE absent m',
  'ZRANK absent m',
  'ZREVRANK absent m',
  'ZCARD absent',
  'ZCOUNT absent 0 1',
  'ZLEXCOUNT absent - +',
  'ZRANGE absent 0 -1',
  'ZRANGEBYSCORE absent 0 1',
  'ZRANGEBYLEX absent - +',
  'ZREVRANGE absent 0 -1',
  'ZRANDMEMBER absent',
  'ZRANDMEMBER absent 2',
  'ZSCAN absent 0',
  'ZREM z notthere',
  'ZREM z a',
  'ZREM absent a',
  'ZREM newby a',
  'ZADD z 1 a 2 b 3 c 4 d 5 e 6 f 7 g',
  'ZREMRANGEBYRANK z 0 0',
  'ZREMRANGEBYRANK z 100 200',
  'ZREMRANGEBYSCORE z 2 2',
  'ZREMRANGEBYSCORE z 200 300',
  'ZREMRANGEBYLEX z [c [c',
  'ZREMRANGEBYLEX z [x [y',
  'ZREMRANGEBYRANK absent 0 0',
  'ZPOPMIN z',
  'ZPOPMAX z',
  'ZPOPMIN absent',
  'ZPOPMIN z 0',
  'ZPOPMIN z 100',
  'ZADD z 1 a 2 b 3 c',
  'ZMPOP 2 absent z MIN',
  'ZMPOP 1 z MAX COUNT 10',
  'ZMPOP 1 absent MIN',
  'ZADD z 1 a 2 b 3 c',
  'BZPOPMIN z 1',
  'BZPOPMAX absent z 1',
  'BZMPOP 1 1 z MIN',
  'ZADD z 1 a 2 b 3 c',
  'ZADD y 1 a 5 x',
  'ZRANGESTORE d z 0 1',
  'ZRANGESTORE d z 100 200',
  'ZRANGESTORE d z 100 200',
  'ZUNIONSTORE d 2 z y',
  'ZUNIONSTORE d 1 absent',
  'ZUNIONSTORE d 1 absent',
  'ZINTERSTORE d 2 z y',
  'ZINTERSTORE d 2 z absent',
  'ZDIFFSTORE d 2 z y',
  'ZDIFFSTORE d 2 absent y',
  'ZUNION 2 z absent',
  'ZINTER 2 z absent',
  'ZINTERCARD 2 z absent',
  'ZDIFF 2 absent z',
  'ZREMRANGEBYRANK z 0 -1',
  'ZREMRANGEBYSCORE y -inf +inf',
]);

compareEvents('geo commands', [
  'GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania',
  'GEOADD g 13.361389 38.115556 Palermo',
  'GEOADD g NX 10 10 Palermo',
  'GEOADD g XX CH 10 10 Palermo',
  'GEODIST absent a b',
  'GEOPOS absent a',
  'GEOHASH absent a',
  'GEOSEARCH absent FROMLONLAT 15 37 BYRADIUS 200 km',
  'GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 200 km',
  'GEOSEARCHSTORE d g FROMLONLAT 100 37 BYRADIUS 1 km',
  'GEOSEARCHSTORE d absent FROMLONLAT 100 37 BYRADIUS 1 km',
  'GEORADIUS g 15 37 200 km STORE d',
  'GEORADIUS absent 15 37 200 km STORE d',
  'GEORADIUS absent 15 37 200 km',
  'GEORADIUSBYMEMBER g Catania 200 km STOREDIST d',
]);

compareEvents('streams', [
  'XADD s 1-1 f v',
  'XADD s 1-2 f v',
  'XADD s MAXLEN 1 1-3 f v',
  'XADD s NOMKSTREAM 1-4 f v',
  'XADD absent NOMKSTREAM 1-4 f v',
  'XADD s 1-1 f v',
  'XADD s MINID 1-4 1-5 f v',
  'XLEN absent',
  'XRANGE absent - +',
  'XREVRANGE absent + -',
  'XREAD STREAMS absent 0',
  'XREAD STREAMS s 0',
  'XTRIM s MAXLEN 100',
  'XTRIM s MAXLEN 1',
  'XTRIM absent MAXLEN 1',
  'XDEL s 9-9',
  'XDEL s 1-5',
  'XDEL absent 1-5',
  'XADD s 2-1 f v',
  'XADD s 2-2 f v',
  'XSETID s 3-0',
  'XSETID absent 3-0',
  'XGROUP CREATE s g 0',
  'XGROUP CREATE s g 0',
  'XGROUP CREATE absent g 0',
  'XGROUP CREATE made g 0 MKSTREAM',
  'XGROUP SETID s g 0',
  'XGROUP CREATECONSUMER s g c',
  'XGROUP CREATECONSUMER s g c',
  'XREADGROUP GROUP g c STREAMS s >',
  'XREADGROUP GROUP g fresh COUNT 1 STREAMS s >',
  'XREADGROUP GROUP g c STREAMS s 0',
  'XACK s g 2-1',
  'XACK s g 9-9',
  'XPENDING s g',
  'XPENDING absent g',
  'XCLAIM s g other 0 2-2',
  'XCLAIM s g other 0 9-9',
  'XAUTOCLAIM s g third 0 0',
  'XINFO STREAM s',
  'XINFO STREAM absent',
  'XINFO GROUPS absent',
  'XGROUP DELCONSUMER s g c',
  'XGROUP DELCONSUMER s g notthere',
  'XGROUP DESTROY s g',
  'XGROUP DESTROY s g',
  'DEL s made',
]);

compareEvents('expiry', [
  ...expired,
  'GET x',
  ...expired,
  'SET x 2',
  ...expired,
  'INCR x',
  ...expired,
  'DEL x',
  ...expired,
  'EXISTS x',
  ...expired,
  'RENAME x y',
  ...expired,
  'SET y 1',
  'RENAME y x',
  ...expired,
  'RPUSH x a',
  'DEL x',
  ...expired,
  'EXPIRE x 100',
  ...expired,
  'TTL x',
  ...expired,
  'COPY x z',
  ...expired,
  'COPY y x',
  'DEL x',
  ...expired,
  'MOVE x 1',
  ...expired,
  'KEYS *',
  ...expired,
  'SCAN 0',
  ...expired,
  'RANDOMKEY',
  ...expired,
  'FLUSHALL',
  ...expired,
  'GETDEL x',
  ...expired,
  'TYPE x',
  ...expired,
  'OBJECT ENCODING x',
  ...expired,
  'TOUCH x',
  ...expired,
  'UNLINK x',
  'DEBUG SET-ACTIVE-EXPIRE 1',
]);

compareEvents('stores to an expired key', [
  ...expired,
  'SINTERSTORE x nothing',
  ...expired,
  'ZUNIONSTORE x 1 nothing',
  ...expired,
  'ZRANGESTORE x nothing 0 1',
  ...expired,
  'SORT nothing STORE x',
  ...expired,
  'BITOP AND x nothing',
  ...expired,
  'GEOSEARCHSTORE x nothing FROMLONLAT 100 37 BYRADIUS 1 km',
  ...expired,
  'GEORADIUS nothing 1 1 1 km STORE x',
  ...expired,
  'SDIFFSTORE x y',
  'DEL x',
  ...expired,
  'PFMERGE x',
  'DEL x',
  'SADD s 1 2',
  'ZADD z 1 a 2 b',
  'GEOADD g 1 1 m',
  'SET str abc',
  ...[
    'SINTERSTORE x s nothing',
    'SINTERSTORE x s s',
    'SINTERSTORE x x s',
    'SUNIONSTORE x nothing',
    'SUNIONSTORE x x',
    'SUNIONSTORE x s',
    'SDIFFSTORE x s s',
    'SDIFFSTORE x s',
    'ZUNIONSTORE x 1 z',
    'ZUNIONSTORE x 1 x',
    'ZINTERSTORE x 2 z nothing',
    'ZINTERSTORE x 2 z z',
    'ZDIFFSTORE x 2 z z',
    'ZDIFFSTORE x 1 z',
    'ZRANGESTORE x z 5 6',
    'ZRANGESTORE x z 0 1',
    'ZRANGESTORE x x 0 1',
    'SORT s STORE x',
    'SORT x STORE x',
    'SORT s LIMIT 5 5 STORE x',
    'BITOP NOT x nothing',
    'BITOP NOT x x',
    'BITOP OR x str',
    'GEOSEARCHSTORE x g FROMLONLAT 1 1 BYRADIUS 1 km',
    'GEOSEARCHSTORE x g FROMLONLAT 5 1 BYRADIUS 1 km',
    'GEOSEARCHSTORE x x FROMLONLAT 5 1 BYRADIUS 1 km',
    'GEORADIUS g 1 1 1 km STOREDIST x',
    'GEORADIUSBYMEMBER nothing m 1 km STORE x',
    'SMOVE s x 7',
    'COPY str x',
    'COPY str x REPLACE',
    'RENAMENX g x',
  ].flatMap((command) => [...expired, command, 'DEL x']),
  'DEBUG SET-ACTIVE-EXPIRE 1',
]);

compareEvents('commands of the wrong type', [
  'SET s v',
  'LPUSH s x',
  'HSET s f v',
  'SADD s x',
  'ZADD s 1 x',
  'XADD s * f v',
  'LPOP s',
  'HGET s f',
  'SMEMBERS s',
  'ZSCORE s m',
  'RPUSH l a',
  'GET l',
  'APPEND l x',
  'SETBIT l 1 1',
  'PFADD l x',
  'LMOVE l s LEFT LEFT',
  'SUNIONSTORE s l',
  'ZUNIONSTORE d 1 l',
  'SORT s STORE d',
]);

compareEvents(
  'key events only',
  ['SET a 1', 'DEL a', 'RPUSH l a', 'LPOP l', 'GET absent', 'EXPIRE a 1'],
  'EA',
);
compareEvents('keyspace events only', ['SET a 1', 'DEL a', 'RPUSH l a', 'LPOP l', 'GET absent'], 'KA');
compareEvents('one class', ['SET a 1', 'DEL a', 'RPUSH l a', 'LPOP l', 'SADD s a'], 'Kl');
compareEvents('no direction', ['SET a 1', 'DEL a'], 'A');
compareEvents('only new keys', ['SET a 1', 'SET a 1', 'RPUSH l a', 'RENAME a b', 'COPY b c'], 'En');

compareCases('events of commands served to waiting clients', [
  'CONFIG SET notify-keyspace-events EAn',
  on('s', 'PSUBSCRIBE __key*__:*'),
  { send: 'BLPOP l 0', on: 'w', replies: 0 },
  'RPUSH l a',
  receive('w'),
  receive('s', 4),
  { send: 'BLMOVE l m LEFT RIGHT 0', on: 'w', replies: 0 },
  'RPUSH l a b',
  receive('w'),
  receive('s', 5),
  'DEL l m',
  receive('s', 2),
  { send: 'BZPOPMIN z 0', on: 'w', replies: 0 },
  'ZADD z 1 a',
  receive('w'),
  receive('s', 4),
  silent('s'),
]);

compareCases('events of a transaction are sent one by one, before its end', [
  'CONFIG SET notify-keyspace-events KEA',
  on('s', 'PSUBSCRIBE __key*__:*'),
  'MULTI',
  'SET a 1',
  'SELECT 2',
  'RPUSH l x',
  'DEL l',
  silent('s'),
  'EXEC',
  receive('s', 6),
]);

compareCases(
  'a RESP3 client receives events of its own commands',
  [
    'CONFIG SET notify-keyspace-events KEA',
    'PSUBSCRIBE __key*__:*',
    { send: 'SET a 1', replies: 3 },
    { send: 'DEL a', replies: 3 },
    { send: 'GET a' },
  ],
  { protocols: [3] },
);

compareCases('the setting is checked and written as Redis writes it', [
  'CONFIG SET notify-keyspace-events xyz',
  'CONFIG SET notify-keyspace-events KEAmn',
  'CONFIG GET notify-keyspace-events',
  'CONFIG SET notify-keyspace-events g$lszhxetdK',
  'CONFIG GET notify-keyspace-events',
  'CONFIG SET notify-keyspace-events Kg',
  'CONFIG GET notify-keyspace-events',
  ['CONFIG', 'SET', 'notify-keyspace-events', ''],
  'CONFIG GET notify-keyspace-events',
]);
