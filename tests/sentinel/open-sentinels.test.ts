import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { createSentinel } from 'redis';
import { openSentinels, ServeError } from '../../src/server/index.js';
import { open } from '../../src/store/index.js';
import { until } from '../replication/support.js';

describe('openSentinels', () => {
  it('starts a group that replaces a crashed master; stores, ioredis and node-redis follow', async () => {
    await using group = await openSentinels({ sentinels: 3, replicas: 2 });
    assert.equal(group.ports.length, 3);
    await using store = await open(group.address);
    const redis = new Redis({ sentinels: [...group.sentinels], name: group.name }).on('error', () => {});
    const node = await createSentinel({ name: group.name, sentinelRootNodes: [...group.sentinels] })
      .on('error', () => {})
      .connect();
    try {
      await store.set('a', '1');
      assert.equal(await store.wait(2, 10_000), 2);
      assert.equal(await redis.get('a'), '1');
      assert.equal(await node.get('a'), '1');
      const former = group.masterPort;
      await group.crash();
      const present = await group.switchedFrom(former);
      assert.notEqual(present, former);
      for (const [name, write] of [
        ['the store', () => store.set('b', '2')],
        ['ioredis', () => redis.set('b', '2')],
        ['node-redis', () => node.set('b', '2')],
      ] as const) {
        await until(`${name} writes to the new master`, write, () => true);
      }
      await group.restart(former);
      await using old = await open(`redis://127.0.0.1:${former}`);
      await until(
        'the former master follows the new one',
        () => old.get('b'),
        (value) => value === '2',
      );
      assert.equal(group.masterPort, present);
    } finally {
      redis.disconnect();
      node.destroy();
    }
  });

  it('exchanges master and replica', async () => {
    await using group = await openSentinels({ sentinels: 1 });
    await using store = await open(group.address);
    await store.set('a', '1');
    await store.wait(1, 10_000);
    const former = group.masterPort;
    await group.failover();
    assert.notEqual(group.masterPort, former);
    await until(
      'the data are there',
      () => store.get('a'),
      (value) => value === '1',
    );
  });

  it('refuses options that it does not have', async () => {
    await assert.rejects(openSentinels({ replica: 1 } as never), ServeError);
    await assert.rejects(openSentinels({ replicas: 0 }), /positive integer/);
    await assert.rejects(openSentinels({ name: 'two words' }), /without spaces/);
  });

  it('says which ports it has', async () => {
    await using group = await openSentinels({ sentinels: 1 });
    await assert.rejects(group.crash(1), /no server of this group is running on port 1/);
    await assert.rejects(group.restart(group.masterPort), /is running/);
  });
});
