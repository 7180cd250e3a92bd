import assert from 'node:assert/strict';
import { readerPool } from '../../../src/kit/reader-pool/index.js';
import { onEveryStore, prepareServers } from './support.js';

prepareServers();

onEveryStore('Reader pools', (test) => {
  test('a client reads what it has written, also in another process and after a failover', async (store, {
    space,
    another,
    failover,
  }) => {
    const replicas = [await another(), await another()];
    const key = `{${space}}name`;
    const ann = readerPool(store, replicas).client('ann');
    assert.equal(await ann.position(), undefined);
    for (let round = 0; round < 20; round++) {
      await ann.write((primary) => primary.set(key, round));
      assert.equal(await ann.read((reader) => reader.get(key)), `${round}`);
    }
    const position = await ann.position();
    const elsewhere = readerPool(await another(), replicas).client(
      'ann',
      position === undefined ? {} : { position },
    );
    assert.equal(await elsewhere.read((reader) => reader.get(key)), '19');
    await failover();
    assert.equal(await elsewhere.read((reader) => reader.get(key)), '19');
    await ann.write((primary) => primary.set(key, 'after'));
    assert.equal(await ann.read((reader) => reader.get(key)), 'after');
  });

  test('a client is sent to the same store each time, and others to others', async (store, { another }) => {
    const replicas = [await another(), await another()];
    const pool = readerPool(store, replicas);
    const used = new Set<unknown>();
    for (let i = 0; i < 20; i++) {
      const first = await pool.client(`user ${i}`).read((reader) => reader);
      const second = await pool.client(`user ${i}`).read((reader) => reader);
      assert.equal(first, second);
      used.add(first);
    }
    assert.deepEqual(used, new Set(replicas));
  });
});
