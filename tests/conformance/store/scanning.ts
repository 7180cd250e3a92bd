import assert from 'node:assert/strict';
import { all, rejectsWith, type Topic } from './suite.js';

const NAMES = Array.from({ length: 700 }, (_, i) => `key:${i}`).sort();

/** Scans of keys and collections. */
export const scanning: Topic = (test) => {
  test('a scan returns the keys of all servers', async (store) => {
    await store.pipeline((queue) => NAMES.map((name) => queue.send('SET', name, 1)));
    assert.deepEqual([...new Set(await all(store.scan()))].sort(), NAMES);
    assert.deepEqual([...new Set(await all(store.scan({ count: 1000 })))].sort(), NAMES);
  });

  test('a scan can be limited to a pattern and to a type', async (store) => {
    await store.pipeline((queue) => [
      ...NAMES.map((name) => queue.send('SET', name, 1)),
      queue.send('RPUSH', 'key:list', 1),
      queue.send('RPUSH', 'other', 1),
    ]);
    assert.deepEqual(
      [...new Set(await all(store.scan({ match: 'key:1?' })))].sort(),
      NAMES.filter((name) => /^key:1.$/.test(name)),
    );
    assert.deepEqual((await all(store.scan({ type: 'list' }))).sort(), ['key:list', 'other']);
    assert.deepEqual(await all(store.scan({ type: 'list', match: 'k*' })), ['key:list']);
  });

  test('a scan without keys returns nothing', async (store) => {
    assert.deepEqual(await all(store.scan()), []);
    assert.deepEqual(await all(store.hscan('none')), []);
  });

  test('the loop over a scan can be left at any time', async (store) => {
    await store.pipeline((queue) => NAMES.map((name) => queue.send('SET', name, 1)));
    let count = 0;
    for await (const _key of store.scan({ count: 10 })) if (++count === 5) break;
    assert.equal(count, 5);
    assert.equal(await store.send('PING'), 'PONG');
  });

  test('keys are bytes on request', async (store) => {
    const key = Buffer.from([0xff, 0xfe]);
    await store.send('SET', key, 'v');
    assert.deepEqual(await all(store.bytes.scan()), [key]);
  });

  test('a scan of a hash returns its fields with their values', async (store) => {
    await store.send('HSET', 'h', ...NAMES.flatMap((name, i) => [name, i]));
    const found = new Map(await all(store.hscan('h')));
    assert.deepEqual([...found.keys()].sort(), NAMES);
    for (const [i, name] of NAMES.entries()) assert.equal(found.get(name), `${i}`);
    assert.deepEqual(await all(store.hscan('h', { match: 'key:699' })), [
      ['key:699', `${NAMES.indexOf('key:699')}`],
    ]);
  });

  test('a scan of a set returns its members', async (store) => {
    await store.send('SADD', 's', ...NAMES);
    assert.deepEqual([...new Set(await all(store.sscan('s', { count: 50 })))].sort(), NAMES);
  });

  test('a scan of a sorted set returns its members with their scores', async (store) => {
    await store.send('ZADD', 'z', 1.5, 'a', '-inf', 'b', 'inf', 'c', 3, 'd');
    const found = new Map(await all(store.zscan('z')));
    assert.deepEqual([...found].sort(), [
      ['a', 1.5],
      ['b', Number.NEGATIVE_INFINITY],
      ['c', Number.POSITIVE_INFINITY],
      ['d', 3],
    ]);
  });

  test('a scan of the wrong type is an error', async (store) => {
    await store.send('SET', 'k', 'v');
    await rejectsWith(all(store.hscan('k')), 'WRONGTYPE');
  });
};
