import assert from 'node:assert/strict';
import { rejectsWith, type Topic } from './suite.js';

/** Commands of every family through their typed methods: arguments and replies are the same on every kind of store. */
export const families: Topic = (test) => {
  test('strings', async (store) => {
    assert.equal(await store.set('{s}a', 'one'), 'OK');
    assert.equal(await store.set('{s}a', 'two', { nx: true }), null);
    assert.equal(await store.set('{s}a', 'two', { xx: true, get: true }), 'one');
    assert.equal(await store.get('{s}a'), 'two');
    assert.equal(await store.append('{s}a', '!'), 4);
    assert.equal(await store.getrange('{s}a', 0, 1), 'tw');
    assert.equal(await store.setrange('{s}a', 1, 'o'), 4);
    assert.equal(await store.mset({ '{s}b': 1, '{s}c': 'three' }), 'OK');
    assert.deepEqual(await store.mget('{s}a', '{s}b', '{s}none'), ['too!', '1', null]);
    assert.equal(await store.incrby('{s}b', 41), 42);
    assert.equal(await store.exact.incr('{s}b'), 43n);
    assert.equal(await store.incrbyfloat('{s}b', 0.5), '43.5');
    assert.equal(await store.setnx('{s}b', 'x'), false);
    assert.equal(await store.getdel('{s}c'), 'three');
    assert.equal(await store.strlen('{s}c'), 0);
    await rejectsWith(store.incr('{s}a'), 'ERR', 'ERR value is not an integer or out of range');
  });

  test('keys and times to live', async (store) => {
    await store.set('{k}a', 'x', { ex: 1000 });
    const left = await store.pttl('{k}a');
    assert.ok(left > 900_000 && left <= 1_000_000, `${left}`);
    assert.equal(await store.expire('{k}a', 500, { gt: true }), false);
    assert.equal(await store.pexpireat('{k}a', 33_000_000_000_000), true);
    assert.equal(await store.pexpiretime('{k}a'), 33_000_000_000_000);
    assert.equal(await store.persist('{k}a'), true);
    assert.equal(await store.ttl('{k}a'), -1);
    assert.equal(await store.ttl('{k}none'), -2);
    assert.equal(await store.rename('{k}a', '{k}b'), 'OK');
    assert.equal(await store.copy('{k}b', '{k}c'), true);
    assert.equal(await store.exists('{k}a', '{k}b', '{k}c'), 2);
    assert.equal(await store.type('{k}b'), 'string');
    assert.equal(await store.objectEncoding('{k}b'), 'embstr');
    assert.equal(await store.del(['{k}b', '{k}c']), 2);
    assert.equal(await store.unlink('{k}b'), 0);
  });

  test('a value can be dumped and restored', async (store) => {
    await store.rpush('{k}a', 'x', 'y');
    const dumped = await store.bytes.dump('{k}a');
    assert.ok(dumped !== null);
    assert.equal(await store.restore('{k}b', 0, dumped), 'OK');
    assert.deepEqual(await store.lrange('{k}b', 0, -1), ['x', 'y']);
    assert.equal(await store.restore('{k}b', 100_000, dumped, { replace: true }), 'OK');
    assert.equal(await store.dump('{k}none'), null);
  });

  test('hashes', async (store) => {
    assert.equal(await store.hset('h', { name: 'Ann', visits: 1 }), 2);
    assert.equal(await store.hset('h', 'name', 'Bob'), 0);
    assert.equal(await store.hget('h', 'name'), 'Bob');
    assert.deepEqual(await store.hgetall('h'), { name: 'Bob', visits: '1' });
    assert.deepEqual(await store.hgetall('none'), {});
    assert.deepEqual(await store.hmget('h', 'visits', 'none'), ['1', null]);
    assert.equal(await store.hincrby('h', 'visits', 2), 3);
    assert.equal(await store.hexists('h', 'visits'), true);
    assert.deepEqual(await store.hkeys('h'), ['name', 'visits']);
    assert.deepEqual(await store.hrandfield('h', -1, { withValues: true }).then((found) => found.length), 1);
    assert.equal(await store.hdel('h', 'name', 'none'), 1);
    assert.equal(await store.hlen('h'), 1);
  });

  test('lists', async (store) => {
    assert.equal(await store.rpush('{l}a', ['a', 'b', 'c', 'd']), 4);
    assert.equal(await store.lpush('{l}a', 'z'), 5);
    assert.deepEqual(await store.lrange('{l}a', 1, 2), ['a', 'b']);
    assert.equal(await store.lpop('{l}a'), 'z');
    assert.deepEqual(await store.rpop('{l}a', 2), ['d', 'c']);
    assert.equal(await store.lpos('{l}a', 'b'), 1);
    assert.deepEqual(await store.lpos('{l}a', 'none', { count: 0 }), []);
    assert.equal(await store.linsert('{l}a', 'before', 'b', 'x'), 3);
    assert.equal(await store.lmove('{l}a', '{l}b', 'left', 'right'), 'a');
    assert.deepEqual(await store.lmpop(['{l}none', '{l}a'], 'right', { count: 5 }), {
      key: '{l}a',
      elements: ['b', 'x'],
    });
    assert.deepEqual(await store.blpop('{l}b', 0), { key: '{l}b', element: 'a' });
    assert.equal(await store.blpop(['{l}a', '{l}b'], 0.01), null);
  });

  test('sets', async (store) => {
    assert.equal(await store.sadd('{s}a', ['x', 'y', 'z']), 3);
    assert.equal(await store.sadd('{s}b', 'y', 'q'), 2);
    assert.equal(await store.sismember('{s}a', 'x'), true);
    assert.deepEqual(await store.smismember('{s}a', 'x', 'q'), [true, false]);
    assert.deepEqual((await store.smembers('{s}a')).sort(), ['x', 'y', 'z']);
    assert.deepEqual(await store.sinter('{s}a', '{s}b'), ['y']);
    assert.equal(await store.sintercard(['{s}a', '{s}b'], { limit: 5 }), 1);
    assert.equal(await store.sunionstore('{s}c', '{s}a', '{s}b'), 4);
    assert.equal(await store.smove('{s}a', '{s}b', 'x'), true);
    assert.equal(await store.srem('{s}a', 'y', 'none'), 1);
    assert.equal(await store.spop('{s}a'), 'z');
    assert.equal(await store.scard('{s}a'), 0);
  });

  test('sorted sets', async (store) => {
    assert.equal(
      await store.zadd('{z}a', [
        { score: 1, member: 'ann' },
        { score: 2.5, member: 'bob' },
        { score: Number.POSITIVE_INFINITY, member: 'cid' },
      ]),
      3,
    );
    assert.equal(await store.zadd('{z}a', 5, 'ann', { gt: true, ch: true }), 1);
    assert.equal(await store.zadd('{z}a', 1, 'ann', { incr: true }), 6);
    assert.deepEqual(await store.zrange('{z}a', 0, -1), ['bob', 'ann', 'cid']);
    assert.deepEqual(await store.zrange('{z}a', 0, 1, { withScores: true }), [
      { member: 'bob', score: 2.5 },
      { member: 'ann', score: 6 },
    ]);
    assert.deepEqual(await store.zrange('{z}a', '+inf', '(2.5', { byScore: true, rev: true }), [
      'cid',
      'ann',
    ]);
    assert.equal(await store.zscore('{z}a', 'cid'), Number.POSITIVE_INFINITY);
    assert.deepEqual(await store.zmscore('{z}a', 'bob', 'none'), [2.5, null]);
    assert.equal(await store.zrank('{z}a', 'ann'), 1);
    assert.equal(await store.zrank('{z}a', 'none'), null);
    assert.equal(await store.zincrby('{z}a', -0.5, 'bob'), 2);
    assert.equal(await store.zcount('{z}a', '-inf', '(6'), 1);
    assert.equal(await store.zunionstore('{z}b', ['{z}a'], { weights: [2] }), 3);
    assert.deepEqual(await store.zpopmin('{z}b'), { member: 'bob', score: 4 });
    assert.deepEqual(await store.bzpopmin('{z}b', 0), { key: '{z}b', member: 'ann', score: 12 });
    assert.equal(await store.zrem('{z}a', 'ann', 'none'), 1);
    assert.equal(await store.zcard('{z}a'), 2);
  });

  test('streams and consumer groups', async (store) => {
    assert.equal(await store.xadd('x', '1-1', { kind: 'tea' }), '1-1');
    assert.equal(await store.xadd('x', '2-0', { kind: 'cake', count: 2 }), '2-0');
    assert.equal(await store.xlen('x'), 2);
    assert.deepEqual(await store.xrange('x', '-', '+', { count: 1 }), [
      { id: '1-1', fields: { kind: 'tea' } },
    ]);
    assert.deepEqual(await store.xread({ x: '1-1' }), [
      { key: 'x', entries: [{ id: '2-0', fields: { kind: 'cake', count: '2' } }] },
    ]);
    assert.equal(await store.xread({ x: '$' }, { block: 1 }), null);
    assert.equal(await store.xgroupCreate('x', 'group', 0), 'OK');
    await rejectsWith(
      store.xgroupCreate('x', 'group', 0),
      'BUSYGROUP',
      'BUSYGROUP Consumer Group name already exists',
    );
    const read = await store.xreadgroup('group', 'ann', { x: '>' }, { count: 1 });
    assert.deepEqual(read, [{ key: 'x', entries: [{ id: '1-1', fields: { kind: 'tea' } }] }]);
    assert.deepEqual(await store.xpending('x', 'group'), {
      count: 1,
      first: '1-1',
      last: '1-1',
      consumers: [{ name: 'ann', count: 1 }],
    });
    assert.deepEqual(await store.xautoclaim('x', 'group', 'bob', 0, '0-0'), {
      next: '0-0',
      entries: [{ id: '1-1', fields: { kind: 'tea' } }],
      deleted: [],
    });
    assert.equal(await store.xack('x', 'group', '1-1'), 1);
    assert.equal(await store.xtrim('x', { maxLen: 1 }), 1);
    await rejectsWith(store.xreadgroup('none', 'ann', { x: '>' }), 'NOGROUP');
  });

  test('bitmaps', async (store) => {
    assert.equal(await store.setbit('{b}a', 7, 1), 0);
    assert.equal(await store.getbit('{b}a', 7), 1);
    assert.equal(await store.bitcount('{b}a'), 1);
    assert.equal(await store.bitpos('{b}a', 1), 7);
    assert.equal(await store.bitop('not', '{b}b', '{b}a'), 1);
    assert.deepEqual(
      await store.bitfield('{b}a', [
        { incrBy: 'u8', offset: 8, increment: 300, overflow: 'fail' },
        { set: 'u8', offset: 8, value: 200 },
        { get: 'u8', offset: 8 },
      ]),
      [null, 0, 200],
    );
  });

  test('HyperLogLogs', async (store) => {
    assert.equal(await store.pfadd('{p}a', 'x', 'y'), true);
    assert.equal(await store.pfadd('{p}a', 'x'), false);
    assert.equal(await store.pfadd('{p}b', 'z'), true);
    assert.equal(await store.pfmerge('{p}c', '{p}a', '{p}b'), 'OK');
    assert.equal(await store.pfcount('{p}c'), 3);
    assert.equal(await store.pfcount('{p}a', '{p}b'), 3);
  });

  test('geo', async (store) => {
    assert.equal(
      await store.geoadd('{g}a', [
        { longitude: 13.361389, latitude: 38.115556, member: 'Palermo' },
        { longitude: 15.087269, latitude: 37.502669, member: 'Catania' },
      ]),
      2,
    );
    assert.equal(await store.geodist('{g}a', 'Palermo', 'Catania', 'km'), 166.2742);
    assert.deepEqual(await store.geohash('{g}a', 'Palermo', 'none'), ['sqc8b49rny0', null]);
    const [palermo, none] = await store.geopos('{g}a', 'Palermo', 'none');
    assert.equal(palermo?.longitude.toFixed(4), '13.3614');
    assert.equal(none, null);
  });

  test('scripts and functions', async (store) => {
    assert.equal(await store.eval('return redis.call("INCRBY", KEYS[1], ARGV[1])', 'n', 3), 3);
    const digest = await store.scriptLoad('return 1');
    assert.match(digest, /^[0-9a-f]{40}$/);
  });

  test('misspelt options are refused', async (store) => {
    const options: object = { exx: 5 };
    await rejectsWith(store.set('k', 'v', options), 'OPTION', /'exx'/);
    assert.equal(await store.exists('k'), 0);
  });

  test('typed methods work in pipelines and transactions', async (store) => {
    const results = await store.pipeline((queue) => [
      queue.hset('{t}h', { a: 1 }),
      queue.hgetall('{t}h'),
      queue.zadd('{t}z', 1, 'm'),
      queue.zrange('{t}z', 0, -1, { withScores: true }),
    ]);
    assert.deepEqual(results, [1, { a: '1' }, 1, [{ member: 'm', score: 1 }]]);
    const [before, exists] = await store.transaction((queue) => [
      queue.getdel('{t}none'),
      queue.hexists('{t}h', 'a'),
    ]);
    assert.equal(before, null);
    assert.equal(exists, true);
  });

  test('typed methods return bytes on request', async (store) => {
    await store.hset('h', [[Buffer.from('f'), Buffer.from([0xff])]]);
    assert.deepEqual(await store.bytes.hget('h', 'f'), Buffer.from([0xff]));
    await store.zadd('z', 1.5, Buffer.from([0xfe]));
    assert.deepEqual(await store.bytes.zrange('z', 0, -1, { withScores: true }), [
      { member: Buffer.from([0xfe]), score: 1.5 },
    ]);
  });
};
