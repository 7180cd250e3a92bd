import assert from 'node:assert/strict';
import { bytesOf, compareCases, compareLive, itemsOf, unordered } from './support/index.js';

compareCases('one SCAN with a large COUNT returns the same keys as KEYS', [
  'SCAN 0',
  'MSET a 1 b 2 c 3',
  'RPUSH list x',
  'SADD set x',
  'ZADD zset 1 x',
  'HSET hash f v',
  unordered('SCAN 0 COUNT 1000', 'nested'),
  unordered('SCAN 0 COUNT 1000 MATCH *s*', 'nested'),
  unordered('SCAN 0 MATCH * COUNT 1000', 'nested'),
  unordered('SCAN 0 COUNT 1000 TYPE string', 'nested'),
  unordered('SCAN 0 COUNT 1000 TYPE LIST', 'nested'),
  unordered('SCAN 0 COUNT 1000 TYPE hash', 'nested'),
  unordered('SCAN 0 COUNT 1000 TYPE zset', 'nested'),
  unordered('SCAN 0 COUNT 1000 TYPE set MATCH s*', 'nested'),
  'SCAN 0 COUNT 1000 TYPE stream',
  'SCAN 0 COUNT 1000 TYPE nosuch',
  unordered('SCAN 0 COUNT 1000 TYPE list TYPE set', 'nested'),
  unordered('SCAN 0 COUNT 1 COUNT 1000', 'nested'),
]);

compareCases('errors of SCAN', [
  'SCAN',
  'SCAN x',
  'SCAN -',
  ['SCAN', ''],
  'SCAN 0 MATCH',
  'SCAN 0 COUNT',
  'SCAN 0 TYPE',
  'SCAN 0 NOSUCH',
  'SCAN 0 NOSUCH x',
  'SCAN 0 COUNT x',
  'SCAN 0 COUNT 0',
  'SCAN 0 COUNT -5',
  'SCAN 0 COUNT 99999999999999999999',
  'SCAN x COUNT 0',
  'SCAN 18446744073709551616',
]);

compareLive('a full SCAN returns every key that existed the whole time', async ({ connect }) => {
  const connection = await connect();
  for (const side of ['redis', 'sorrel'] as const) {
    const client = connection[side];
    const keys = Array.from({ length: 500 }, (_, i) => `stays:${i}`);
    for (const key of keys) client.send(['SET', key, 'v']);
    for (let i = 0; i < keys.length; i++) await client.next();
    const seen = new Set<string>();
    let cursor = '0';
    let round = 0;
    do {
      const [next, found] = itemsOf(await client.call(['SCAN', cursor, 'COUNT', 7]));
      cursor = bytesOf(next!).toString();
      for (const key of itemsOf(found!)) seen.add(bytesOf(key).toString());
      // The table grows at first, then shrinks.
      const change = round++ < 30 ? 'SET' : 'DEL';
      for (let i = 0; i < 40; i++) {
        const name = `comes:${change === 'SET' ? round * 40 + i : (round - 30) * 40 + i}`;
        await client.call(change === 'SET' ? ['SET', name, 'v'] : ['DEL', name]);
      }
    } while (cursor !== '0');
    assert.deepEqual(
      keys.filter((key) => !seen.has(key)),
      [],
      side,
    );
  }
});
