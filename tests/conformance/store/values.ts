import assert from 'node:assert/strict';
import type { Topic } from './suite.js';

const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, i) => i));

/** Values come back unchanged: text, bytes, integers, null, lists. */
export const values: Topic = (test) => {
  test('text in any alphabet comes back unchanged', async (store) => {
    const text = 'Sauerampfer, щавель, 酸模, 🌿';
    assert.equal(await store.send('SET', 'plant', text), 'OK');
    assert.equal(await store.send('GET', 'plant'), text);
    assert.equal(await store.send('STRLEN', 'plant'), Buffer.byteLength(text));
    assert.deepEqual(await store.bytes.send('GET', 'plant'), Buffer.from(text));
  });

  test('the empty string is a key and a value', async (store) => {
    await store.send('SET', '', '');
    assert.equal(await store.send('GET', ''), '');
    assert.equal(await store.send('EXISTS', ''), 1);
  });

  test('every byte can be in keys, fields and values', async (store) => {
    await store.send('SET', EVERY_BYTE, EVERY_BYTE);
    assert.deepEqual(await store.bytes.send('GET', EVERY_BYTE), EVERY_BYTE);
    await store.send('HSET', 'hash', EVERY_BYTE, EVERY_BYTE);
    assert.deepEqual(await store.bytes.send('HGETALL', 'hash'), [EVERY_BYTE, EVERY_BYTE]);
  });

  test('of a view of a buffer, only the viewed bytes are sent', async (store) => {
    const view = new Uint8Array(EVERY_BYTE.buffer, EVERY_BYTE.byteOffset + 10, 3);
    await store.send('SET', 'view', view);
    assert.deepEqual(await store.bytes.send('GET', 'view'), Buffer.from([10, 11, 12]));
  });

  test('a reply in bytes does not change with later commands', async (store) => {
    await store.send('SET', 'first', 'one');
    const kept = await store.bytes.send<Buffer>('GET', 'first');
    for (let i = 0; i < 50; i++) await store.bytes.send('SET', 'first', `other ${i}`);
    await store.bytes.send('GET', 'first');
    assert.equal(kept.toString(), 'one');
  });

  test('bytes that are not UTF-8 become replacement characters in text', async (store) => {
    await store.send('SET', 'bytes', Buffer.from([0x61, 0xff, 0x62]));
    assert.equal(await store.send('GET', 'bytes'), 'a\ufffdb');
  });

  test('numbers are sent in decimal', async (store) => {
    await store.send('SET', 'n', 42);
    assert.equal(await store.send('GET', 'n'), '42');
    await store.send('SET', 'n', 1.5);
    assert.equal(await store.send('GET', 'n'), '1.5');
    await store.send('SET', 'n', -9_223_372_036_854_775_808n);
    assert.equal(await store.send('GET', 'n'), '-9223372036854775808');
  });

  test('integers are numbers, and exact to 64 bits on request', async (store) => {
    assert.equal(await store.send('INCRBY', 'n', 9_007_199_254_740_993n), 2 ** 53);
    assert.equal(await store.exact.send('INCR', 'n'), 9_007_199_254_740_994n);
    assert.equal(await store.exact.send('INCR', 'n'), 9_007_199_254_740_995n);
    await store.send('SET', 'n', '-9223372036854775807');
    assert.equal(await store.exact.send('DECR', 'n'), -9_223_372_036_854_775_808n);
  });

  test('integers within lists are exact on request', async (store) => {
    const reply = await store.exact.send(
      'BITFIELD',
      'bits',
      'SET',
      'i64',
      0,
      9_007_199_254_740_995n,
      'GET',
      'i64',
      0,
    );
    assert.deepEqual(reply, [0n, 9_007_199_254_740_995n]);
  });

  test('bytes and exact integers can be combined', async (store) => {
    const reply = await store.bytes.exact.send('EVAL', 'return {1, KEYS[1], {2}}', 1, 'key');
    assert.deepEqual(reply, [1n, Buffer.from('key'), [2n]]);
    assert.deepEqual(await store.exact.bytes.send('EVAL', 'return {1}', 1, 'key'), [1n]);
  });

  test('a missing value is null, also within lists', async (store) => {
    assert.equal(await store.send('GET', 'nothing'), null);
    await store.send('SET', '{a}1', 'x');
    assert.deepEqual(await store.send('MGET', '{a}0', '{a}1', '{a}2'), [null, 'x', null]);
    assert.equal(await store.send('LPOP', 'nothing', 2), null);
  });

  test('lists are nested arrays, also if empty', async (store) => {
    const id = await store.send<string>('XADD', 'log', '1-1', 'field', 'value');
    assert.equal(id, '1-1');
    assert.deepEqual(await store.send('XRANGE', 'log', '-', '+'), [['1-1', ['field', 'value']]]);
    assert.deepEqual(await store.send('LRANGE', 'nothing', 0, -1), []);
  });

  test('replies have the form of RESP2: pairs in a flat list, floating-point numbers as text', async (store) => {
    await store.send('ZADD', 'ranking', 1.5, 'a', 'inf', 'b');
    assert.deepEqual(await store.send('ZRANGE', 'ranking', 0, -1, 'WITHSCORES'), ['a', '1.5', 'b', 'inf']);
    assert.equal(await store.send('ZSCORE', 'ranking', 'a'), '1.5');
    await store.send('HSET', 'hash', 'f', 'v');
    assert.deepEqual(await store.send('HGETALL', 'hash'), ['f', 'v']);
  });

  test('a value of a megabyte comes back complete', async (store) => {
    const large = Buffer.alloc(1 << 20, EVERY_BYTE);
    await store.send('SET', 'large', large);
    assert.ok((await store.bytes.send<Buffer>('GET', 'large')).equals(large));
  });

  test('a command name can have any case, with or without the subcommand', async (store) => {
    assert.equal(await store.send('set', 'k', 'v'), 'OK');
    assert.equal(await store.send('Object Encoding', 'k'), 'embstr');
    assert.equal(await store.send('OBJECT', 'ENCODING', 'k'), 'embstr');
  });

  test('commands take effect in the order of the calls', async (store) => {
    const replies = Array.from({ length: 200 }, (_, i) => store.send('APPEND', 'text', `${i},`));
    await Promise.all(replies);
    const expected = Array.from({ length: 200 }, (_, i) => `${i},`).join('');
    assert.equal(await store.send('GET', 'text'), expected);
  });
};
