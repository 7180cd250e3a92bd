import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Cluster } from 'ioredis';
import { createCluster } from 'redis';
import { keySlot } from '../../src/bytes/crc16.js';
import { openCluster, ServeError } from '../../src/server/index.js';
import { open } from '../../src/store/index.js';
import { until } from '../replication/support.js';
import { ask, askUntil } from '../support/fleet/index.js';

/** The sockets that this process has open. */
function sockets(): string[] {
  return process.getActiveResourcesInfo().filter((name) => /TCP|Pipe/.test(name));
}

const KEYS = Array.from({ length: 200 }, (_, i) => `key:${i}`);

describe('openCluster', () => {
  // The first test: no socket of another is still being closed.
  it('needs no sockets', async () => {
    const before = sockets();
    await using cluster = await openCluster({ masters: 3, replicas: 1, ports: false });
    await using store = await open(cluster.address, cluster.openOptions);
    const ioredis = new Cluster([{ host: '127.0.0.1', port: cluster.ports[0]! }], {
      redisOptions: { Connector: cluster.connector },
      scaleReads: 'all',
    });
    try {
      await Promise.all(KEYS.map((key) => store.set(key, 'x'.repeat(20_000))));
      assert.equal(await store.wait(1, 0), 1);
      for (const key of KEYS.slice(0, 20)) assert.equal((await ioredis.get(key))?.length, 20_000);
      const popped = store.blpop('list', 60);
      await ioredis.rpush('list', 'element');
      assert.deepEqual(await popped, { key: 'list', element: 'element' });
      const messages = await store.subscribe('news');
      const message = messages[Symbol.asyncIterator]().next();
      await ioredis.publish('news', 'one');
      assert.equal((await message).value?.message, 'one');
      await cluster.moveSlots(
        [keySlot(Buffer.from('key:1'), 0, 5)],
        cluster.ports.find((port) => port !== cluster.masterOf('key:1'))!,
      );
      assert.equal((await store.get('key:1'))?.length, 20_000);
      assert.deepEqual(sockets(), before);
    } finally {
      ioredis.disconnect();
    }
  });

  it('starts a cluster that stores, ioredis and node-redis use', async () => {
    await using cluster = await openCluster({ masters: 3 });
    assert.equal(cluster.ports.length, 3);
    assert.deepEqual(
      cluster.nodes.map(({ slots }) => slots),
      [[{ start: 0, end: 5461 }], [{ start: 5462, end: 10922 }], [{ start: 10923, end: 16383 }]],
    );
    await using store = await open(cluster.address);
    const ioredis = new Cluster([{ host: '127.0.0.1', port: cluster.ports[0]! }]);
    const node = await createCluster({
      rootNodes: [{ url: `redis://127.0.0.1:${cluster.ports[1]}` }],
    }).connect();
    try {
      await Promise.all(KEYS.map((key) => store.set(key, `value of ${key}`)));
      for (const key of KEYS.slice(0, 20)) {
        assert.equal(await ioredis.get(key), `value of ${key}`);
        assert.equal(await node.get(key), `value of ${key}`);
      }
    } finally {
      ioredis.disconnect();
      node.destroy();
    }
  });

  for (const ports of [true, false]) {
    it(`replaces a master that crashes, or is cut off, by its replica, ${ports ? 'with' : 'without'} ports`, () =>
      replacesMasters(ports));
  }

  async function replacesMasters(ports: boolean): Promise<void> {
    await using cluster = await openCluster({ masters: 3, replicas: 1, nodeTimeout: 1000, ports });
    await using store = await open(cluster.address, cluster.openOptions);
    await store.set('a', '1');
    const first = cluster.masterOf('a');
    assert.equal(await store.wait(1, 0), 1);
    await cluster.crash(first);
    await cluster.settled();
    const second = cluster.masterOf('a');
    assert.notEqual(second, first);
    assert.equal(await store.get('a'), '1');
    await cluster.restart(first);
    await cluster.settled();
    assert.equal(cluster.nodes.find(({ port }) => port === first)?.masterPort, second);
    cluster.partition([second]);
    await cluster.settled();
    assert.equal(cluster.masterOf('a'), first);
    await until(
      'the store has found the other master',
      () => store.get('a'),
      (value) => value === '1',
    );
    cluster.heal();
    await cluster.settled();
    await until(
      'the master that was cut off follows',
      async () => cluster.nodes.find(({ port }) => port === second)?.masterPort,
      (port) => port === first,
    );
    await cluster.failover(second);
    assert.equal(cluster.masterOf('a'), second);
    await until(
      'the store follows',
      () => store.get('a'),
      (value) => value === '1',
    );
  }

  it('moves slots with their keys while clients continue', async () => {
    await using cluster = await openCluster({ masters: 2 });
    await using store = await open(cluster.address);
    await Promise.all(KEYS.map((key) => store.rpush(`{tag}${key}`, key)));
    const [from, to] = [
      cluster.masterOf('{tag}'),
      cluster.ports.find((port) => port !== cluster.masterOf('{tag}'))!,
    ];
    let isOver = false;
    const writing = (async () => {
      for (let i = 0; !isOver; i++) await store.rpush(`{tag}${KEYS[i % KEYS.length]}`, 'more');
    })();
    await cluster.moveSlots([8338], to);
    isOver = true;
    await writing;
    assert.notEqual(cluster.masterOf('{tag}'), from);
    for (const key of KEYS) assert.equal(await store.lindex(`{tag}${key}`, 0), key);
    assert.equal(await ask(from, 'DBSIZE'), 0);
    // The connection of MIGRATE is used again.
    const clients = String(await ask(to, 'CLIENT', 'LIST'))
      .trim()
      .split('\n');
    assert.equal(clients.filter((client) => client.includes('cmd=restore-asking')).length, 1);
  });

  it('knows a node that announces another port than it listens on', async () => {
    await using cluster = await openCluster({ masters: 3, ports: false });
    await using store = await open(cluster.address, cluster.openOptions);
    await Promise.all(KEYS.map((key) => store.set(key, key)));
    const [first, second] = cluster.ports as [number, number];
    const before = cluster.nodes;
    await using node = await open(`redis://127.0.0.1:${first}`, {
      ioredis: { Connector: cluster.connector },
    });
    await node.send('CONFIG', 'SET', 'cluster-announce-port', '9999');
    await using other = await open(`redis://127.0.0.1:${second}`, {
      ioredis: { Connector: cluster.connector },
    });
    await until(
      'the other nodes know its port',
      async () => String(await other.send('CLUSTER', 'NODES')),
      (nodes) => nodes.includes(':9999@'),
    );
    await cluster.settled();
    assert.deepEqual(cluster.nodes, before);
    const inFirst = KEYS.find((key) => cluster.masterOf(key) === first) as string;
    await cluster.moveSlots([keySlot(Buffer.from(inFirst), 0, inFirst.length)], second);
    assert.equal(cluster.masterOf(inFirst), second);
    const inSecond = KEYS.find((key) => cluster.masterOf(key) === second && key !== inFirst) as string;
    await cluster.moveSlots([keySlot(Buffer.from(inSecond), 0, inSecond.length)], first);
    assert.equal(cluster.masterOf(inSecond), first);
    assert.equal(await node.get(inSecond), inSecond);
  });

  it('moves the time of keys and of blocked clients, not that of nodes', async () => {
    await using cluster = await openCluster({ masters: 3 });
    await using store = await open(cluster.address);
    await store.set('short', 'x', { ex: 100 });
    const waiting = store.blpop('list', 1000);
    await askUntil(cluster.masterOf('list'), ['INFO', 'clients'], (info) =>
      /blocked_clients:1/.test(String(info)),
    );
    cluster.advance(1_000_001);
    assert.equal(await store.get('short'), null);
    assert.equal(await waiting, null);
    await cluster.settled();
  });

  it('refuses what it does not know', async () => {
    for (const [options, field] of [
      [{ masters: 0 }, 'masters'],
      [{ replicas: -1 }, 'replicas'],
      [{ nodeTimeout: 1.5 }, 'nodeTimeout'],
      [{ ports: 1 }, 'ports'],
      [{ master: 1 }, 'master'],
    ] as const) {
      await assert.rejects(
        openCluster(options as never),
        (error) => error instanceof ServeError && error.message.includes(`'${field}'`),
      );
    }
    await using cluster = await openCluster({ masters: 1 });
    await assert.rejects(cluster.crash(1), /no node of this cluster has the port 1/);
    await assert.rejects(cluster.restart(cluster.ports[0]!), /is running/);
    await assert.rejects(
      cluster.moveSlots([-1], cluster.ports[0]!),
      /a slot is an integer from 0 to 16383, not -1/,
    );
    assert.throws(() => cluster.advance(-1), /only be moved forward/);
  });
});
