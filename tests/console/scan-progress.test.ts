import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shareOf } from '../../src/console/pages/keys/scan.js';
import { open } from '../../src/store/index.js';
import { startRedis, whenRedisIsInstalled } from '../support/fleet/index.js';

describe('The progress of a search', whenRedisIsInstalled, () => {
  it('grows with the cursors of SCAN, in Redis and in our engine', async () => {
    const server = await startRedis();
    for (const address of [`redis://127.0.0.1:${server.port}`, 'memory:']) {
      await using store = await open(address);
      for (let i = 0; i < 3_000; i++) void store.send('SET', `key:${i}`, i);
      let cursor = '0';
      let last = 0;
      let seen = 0;
      do {
        const [next, keys] = (await store.send('SCAN', cursor, 'COUNT', 100)) as unknown as [
          string,
          string[],
        ];
        seen += keys.length;
        cursor = next;
        if (cursor === '0') break;
        const share = shareOf(cursor);
        assert.ok(share >= last && share < 1, `${address}: ${share} after ${last}`);
        assert.ok(Math.abs(share - seen / 3_000) < 0.2, `${address}: ${share} with ${seen} of 3000 keys`);
        last = share;
      } while (cursor !== '0');
    }
    await server.stop();
  });
});
