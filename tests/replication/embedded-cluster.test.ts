import assert from 'node:assert/strict';
import { after, afterEach, describe, it } from 'node:test';
import { keySlot } from '../../src/bytes/crc16.js';
import { openCluster } from '../../src/server/index.js';
import { type EmbeddedStore, open, type Store } from '../../src/store/index.js';
import {
  ask,
  askUntil,
  startRedis,
  startRedisCluster,
  stopAllServers,
  whenRedisIsInstalled,
} from '../support/fleet/index.js';
import { Gateway } from '../support/outage/gateway.js';
import { until } from './support.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
after(stopAllServers);

/** Three masters, and what a test does with them. */
interface TestCluster {
  readonly address: string;
  readonly ports: readonly number[];
  moveSlot(slot: number, toPort: number): Promise<void>;
  /** Replaces the master of a key by a replica. */
  failOver(key: string): Promise<void>;
}

const NODE = [
  ...['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'],
  ...['--cluster-node-timeout', '60000'],
];

async function startReal(): Promise<TestCluster> {
  const options = ['--repl-diskless-sync-delay', '0'];
  const cluster = await startRedisCluster(options);
  closing.push(() => cluster.stop());
  const { ports } = cluster;
  const address = `redis+cluster://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
  return {
    address,
    ports,
    moveSlot: (slot, toPort) => cluster.moveSlot(slot, ports.indexOf(toPort)),
    failOver: async (key) => {
      const [first] = ports as [number];
      const table = String(await ask(first, 'CLUSTER', 'NODES'));
      const owner = masterOf(table, slotOf(key));
      const replica = await startRedis([...NODE, ...options]);
      closing.push(() => replica.stop());
      await ask(replica.port, 'CLUSTER', 'MEET', '127.0.0.1', String(first));
      await askUntil(replica.port, ['CLUSTER', 'REPLICATE', owner], (reply) => reply === 'OK');
      await askUntil(replica.port, ['INFO', 'replication'], (info) =>
        String(info).includes('master_link_status:up'),
      );
      // The masters vote for it only if they know whose replica it is.
      const id = String(await ask(replica.port, 'CLUSTER', 'MYID'));
      const isKnown = new RegExp(`^${id} .*slave ${owner} `, 'm');
      for (const port of ports)
        await askUntil(port, ['CLUSTER', 'NODES'], (all) => isKnown.test(String(all)));
      await ask(replica.port, 'CLUSTER', 'FAILOVER');
      await askUntil(replica.port, ['ROLE'], (role) => String(role).startsWith('master'));
    },
  };
}

async function startOurs(): Promise<TestCluster> {
  const cluster = await openCluster({ masters: 3, replicas: 1 });
  closing.push(() => cluster.close());
  return {
    address: cluster.address,
    ports: cluster.ports.slice(0, 3),
    moveSlot: (slot, toPort) => cluster.moveSlots([slot], toPort),
    failOver: async (key) => {
      await cluster.crash(cluster.masterOf(key));
      await cluster.settled();
    },
  };
}

function masterOf(table: string, slot: number): string {
  for (const line of table.split('\n')) {
    const [id = '', , , , , , , , ...ranges] = line.split(' ');
    const owns = ranges.some((range) => {
      const [first = -1, last = first] = range.split('-').map(Number);
      return first <= slot && slot <= last;
    });
    if (owns) return id;
  }
  throw new Error(`no master of slot ${slot}`);
}

function slotOf(key: string): number {
  return keySlot(Buffer.from(key), 0, key.length);
}

async function opened(address: string): Promise<Store> {
  const store = await open(address);
  closing.push(() => store.close());
  return store;
}

async function replicaOf(address: string, options: Parameters<typeof open>[1] = {}): Promise<EmbeddedStore> {
  const store = await open('memory:', { replicaOf: address, ...options });
  closing.push(() => store.close());
  return store;
}

const KEYS = Array.from({ length: 300 }, (_, i) => `key ${i}`);

for (const [kind, start] of [
  ['redis', startReal],
  ['sorrel', startOurs],
] as const) {
  describe(`an embedded replica of a cluster of ${kind}`, whenRedisIsInstalled, () => {
    it('has the keys of all masters, follows slots and failovers, and loses no key', async () => {
      const cluster = await start();
      const remote = await opened(cluster.address);
      await Promise.all(KEYS.map((key, i) => remote.set(key, i)));
      const store = await replicaOf(cluster.address);
      readsAllKeys(store);
      await usesCommands(store, remote);
      await forwardsWrites(cluster.address);
      await movesSlots(cluster, remote, store);
      readsAllKeys(store);
      await cluster.failOver('key 1');
      await until(
        'a write after the failover is here',
        async () => {
          await remote.set('key 1', 1);
          await remote.set('{key 1}after', 'failover');
          await store.replication?.catchUp();
          return store.sync.get('{key 1}after');
        },
        (value) => value === 'failover',
      );
      readsAllKeys(store);
    });
  });
}

it(
  'a key that moved to a master that cannot be reached is not reported as missing',
  whenRedisIsInstalled,
  async () => {
    const cluster = await startReal();
    const remote = await opened(cluster.address);
    await Promise.all(KEYS.map((key, i) => remote.set(key, i)));
    const slot = slotOf('key 1');
    const from = await ownerOf(cluster, slot);
    const to = cluster.ports.find((port) => port !== from) as number;
    // The replica reaches the new owner through a gateway, the other nodes reach it directly.
    const gateway = await Gateway.before(to);
    closing.push(() => gateway.close());
    await ask(to, 'CONFIG', 'SET', 'cluster-announce-port', String(gateway.port));
    for (const port of cluster.ports) {
      await askUntil(port, ['CLUSTER', 'NODES'], (nodes) => String(nodes).includes(`:${gateway.port}@`));
    }
    const store = await replicaOf(`redis+cluster://127.0.0.1:${from}`);
    readsAllKeys(store);
    await gateway.set('silent');
    await ask(
      to,
      'CLUSTER',
      'SETSLOT',
      String(slot),
      'IMPORTING',
      String(await ask(from, 'CLUSTER', 'MYID')),
    );
    await ask(
      from,
      'CLUSTER',
      'SETSLOT',
      String(slot),
      'MIGRATING',
      String(await ask(to, 'CLUSTER', 'MYID')),
    );
    assert.equal(await ask(from, 'MIGRATE', '127.0.0.1', String(to), 'key 1', '0', '5000'), 'OK');
    await until(
      'the former owner says that the key is gone',
      async () => store.sync.get('key 1'),
      (value) => value === null,
    );
    await assert.rejects(store.with({ timeout: 300 }).get('key 1'), { code: /^(TIMEOUT|UNREACHABLE)$/ });
    await gateway.set('open');
    await until(
      'the key has arrived',
      () => store.get('key 1'),
      (value) => value === '1',
    );
  },
);

async function ownerOf(cluster: TestCluster, slot: number): Promise<number> {
  for (const port of cluster.ports) {
    const nodes = String(await ask(port, 'CLUSTER', 'NODES'));
    if (nodes.includes(`${masterOf(nodes, slot)} 127.0.0.1:${port}@`)) return port;
  }
  throw new Error(`no owner of slot ${slot}`);
}

function readsAllKeys(store: EmbeddedStore): void {
  assert.equal(store.replication?.state, 'connected');
  assert.deepEqual(
    KEYS.map((key) => store.sync.get(key)),
    KEYS.map((_, i) => String(i)),
  );
}

async function usesCommands(store: EmbeddedStore, remote: Store): Promise<void> {
  assert.equal(store.kind, 'cluster');
  assert.equal(await store.get('key 7'), '7');
  assert.deepEqual(await store.bytes.get('key 7'), Buffer.from('7'));
  assert.equal(await store.get('missing'), null);
  assert.equal(await store.dbsize(), KEYS.length);
  assert.equal(store.sync.dbsize(), KEYS.length);
  assert.deepEqual((await store.keys('*')).sort(), [...KEYS].sort());
  assert.ok(KEYS.includes((await store.randomkey()) as string));
  const scanned: string[] = [];
  for await (const key of store.scan()) scanned.push(key);
  assert.deepEqual(scanned.sort(), [...KEYS].sort());
  assert.deepEqual([...store.sync.scan({ match: 'key 1*' })].length, 111);
  assert.deepEqual(await store.pipeline((queue) => KEYS.slice(0, 3).map((key) => queue.get(key))), [
    '0',
    '1',
    '2',
  ]);
  assert.deepEqual(await store.transaction((queue) => [queue.get('key 3'), queue.type('key 3')]), [
    '3',
    'string',
  ]);
  assert.deepEqual(
    store.sync.transaction((queue) => [queue.get('key 3')]),
    ['3'],
  );
  assert.equal(await store.send('EVAL_RO', "return redis.call('GET', KEYS[1])", 1, 'key 4'), '4');
  await assert.rejects(store.mget('key 1', 'key 2'), { code: 'CROSSSLOT' });
  assert.throws(() => store.sync.mget('key 1', 'key 2'), { code: 'CROSSSLOT' });
  await assert.rejects(store.set('key 1', 'no'), { code: 'READONLY' });
  await assert.rejects(store.flushall(), { code: 'READONLY' });
  await assert.rejects(store.publish('news', 'rain'), { code: 'READONLY', message: /reaches no client/ });
  await assert.rejects(store.spublish('news', 'rain'), { code: 'READONLY' });
  await assert.rejects(store.send('SCAN', 0), { code: 'MISUSE', message: /use scan\(\)/ });
  await assert.rejects(store.send('CONFIG', 'SET', 'maxmemory', 1), { code: 'MISUSE' });
  await assert.rejects(store.listen({ port: 0 }), { code: 'MISUSE', message: /one for each master/ });
  assert.throws(() => store.reset(), { code: 'MISUSE' });
  const news = await store.subscribe('news');
  await remote.publish('news', 'rain');
  for await (const { message } of news) {
    assert.equal(message, 'rain');
    break;
  }
  await news.close();
  const other = await store.duplicate();
  assert.equal(await other.get('key 9'), '9');
  await other.close();
  assert.equal(await store.get('key 9'), '9');
}

async function forwardsWrites(address: string): Promise<void> {
  await using store = await open('memory:', { replicaOf: address, writes: 'forward', maxLag: 5000 });
  for (let i = 0; i < 30; i++) {
    await store.set(`{mine}${i}`, i);
    assert.equal(store.sync.get(`{mine}${i}`), String(i));
    await store.set(`other ${i}`, i);
    assert.equal(store.sync.get(`other ${i}`), String(i));
  }
  assert.deepEqual(await store.pipeline((queue) => [queue.incr('n'), queue.incr('m')]), [1, 1]);
  assert.deepEqual([store.sync.get('n'), store.sync.get('m')], ['1', '1']);
  assert.deepEqual(await store.transaction((queue) => [queue.incr('n'), queue.get('n')]), [2, '2']);
  const [left] = (await store.transaction({ watch: ['n'] }, async (queue, watched) => [
    queue.send('SET', 'n', Number(await watched.send('GET', 'n')) * 10),
  ])) as [string];
  assert.equal(left, 'OK');
  assert.equal(store.sync.get('n'), '20');
  for (let i = 0; i < 30; i++) await store.del(`{mine}${i}`);
  for (let i = 0; i < 30; i++) await store.unlink(`other ${i}`);
  await store.pipeline((queue) => [queue.del('n'), queue.del('m')]);
  assert.equal(await store.dbsize(), KEYS.length);
}

/** A slot goes around all masters while its keys change. Each read finds the key. */
async function movesSlots(cluster: TestCluster, remote: Store, store: EmbeddedStore): Promise<void> {
  const slot = slotOf('{moved}');
  const keys = Array.from({ length: 150 }, (_, i) => `{moved}${i}`);
  await Promise.all(keys.map((key) => remote.set(key, 0)));
  await store.replication?.catchUp();
  let isOver = false;
  const written = new Map(keys.map((key) => [key, 0]));
  const writing = (async () => {
    for (let i = 0; !isOver; i++) {
      const key = keys[i % keys.length] as string;
      written.set(key, await remote.incr(key));
    }
  })();
  let reads = 0;
  const reading = (async () => {
    for (let i = 0; !isOver; i++, reads++) {
      const key = keys[(i * 7) % keys.length] as string;
      const value = await store.get(key);
      assert.notEqual(value, null, `${key} is missing after ${reads} reads`);
      if (i % 50 === 0) await new Promise(setImmediate);
    }
  })();
  reading.catch(() => {
    isOver = true;
  });
  for (let round = 0; round < 2 && !isOver; round++) {
    for (const port of cluster.ports) await cluster.moveSlot(slot, port);
  }
  isOver = true;
  await Promise.all([writing, reading]);
  assert.ok(reads > 0);
  await store.replication?.catchUp();
  for (const [key, value] of written) assert.equal(store.sync.get(key), String(value), key);
  assert.equal(await store.dbsize(), KEYS.length + keys.length);
  assert.equal((await store.keys('{moved}*')).length, keys.length);
  await Promise.all(keys.map((key) => remote.del(key)));
  await store.replication?.catchUp();
  assert.equal(await store.dbsize(), KEYS.length);
}

describe('an embedded replica of a cluster', () => {
  it('reports what it cannot follow', async () => {
    await using plain = await open();
    const { address } = await plain.listen({ port: 0 });
    await assert.rejects(open('memory:', { replicaOf: address.replace('redis:', 'redis+cluster:') }));
    await assert.rejects(
      open('file:/tmp/sorrel-no-such-folder', { replicaOf: 'redis+cluster://127.0.0.1' }),
      {
        code: 'OPTION',
        message: /kept in memory only/,
      },
    );
    await assert.rejects(open('memory:', { replicaOf: 'redis+cluster://127.0.0.1', database: 1 }), {
      code: 'OPTION',
    });
  });

  it('leaves a master that has given all its slots away', { timeout: 60_000 }, async () => {
    await using cluster = await openCluster({ masters: 8, nodeTimeout: 30_000 });
    await using remote = await open(cluster.address);
    await Promise.all(KEYS.map((key, i) => remote.set(key, i)));
    await using store = await open('memory:', { replicaOf: cluster.address });
    const [first, second] = cluster.ports as [number, number];
    assert.match(store.replication?.master ?? '', new RegExp(`:${first}\\b`));
    const slots = cluster.nodes.find(({ port }) => port === first)?.slots ?? [];
    for (const range of slots) await cluster.moveSlots(range, second);
    await store.replication?.catchUp();
    readsAllKeys(store);
    assert.equal(store.sync.dbsize(), KEYS.length);
    assert.doesNotMatch(store.replication?.master ?? '', new RegExp(`:${first}\\b`));
  });

  it('keeps the replica of a former master until the data of all others has arrived', async () => {
    await using cluster = await openCluster({ masters: 8, nodeTimeout: 60_000 });
    await using remote = await open(cluster.address);
    await Promise.all(KEYS.map((key, i) => remote.set(key, i)));
    const [first, second, third] = cluster.ports as [number, number, number];
    // The replica reaches the third master through a gateway, the other nodes reach it directly.
    const gateway = await Gateway.before(third);
    closing.push(() => gateway.close());
    await ask(third, 'CONFIG', 'SET', 'cluster-announce-port', String(gateway.port));
    for (const port of cluster.ports) {
      await askUntil(port, ['CLUSTER', 'NODES'], (nodes) => String(nodes).includes(`:${gateway.port}@`));
    }
    await using store = await open('memory:', { replicaOf: `redis+cluster://127.0.0.1:${first}` });
    readsAllKeys(store);
    await gateway.set('silent');
    const [slots] = cluster.nodes.find(({ port }) => port === first)?.slots ?? [];
    const moved = cluster.moveSlots(slots as NonNullable<typeof slots>, second);
    await until(
      'the first master is no longer asked for its keys',
      async () => store.replication?.master,
      (master) => !new RegExp(`:${first}\\b`).test(String(master)),
    );
    const id = String(await ask(second, 'CLUSTER', 'MYID'));
    assert.equal(await ask(first, 'CLUSTER', 'REPLICATE', id), 'OK');
    await askUntil(first, ['INFO', 'replication'], (info) =>
      /role:slave.*master_link_status:up.*connected_slaves:1\r/s.test(String(info)),
    );
    await assert.rejects(store.replication?.catchUp({ timeout: 500 }) as Promise<void>);
    assert.match(String(await ask(first, 'INFO', 'replication')), /connected_slaves:1\r/);
    // What the second master has, and what the third one had when it was last heard of.
    for (const [i, key] of KEYS.entries()) assert.equal(store.sync.get(key), String(i), key);
    await gateway.set('open');
    await askUntil(first, ['INFO', 'replication'], (info) => String(info).includes('connected_slaves:0\r'));
    await store.replication?.catchUp();
    readsAllKeys(store);
    assert.equal(store.sync.dbsize(), KEYS.length);
    await moved;
  });

  it('follows a master that joins a cluster of redis', whenRedisIsInstalled, async () => {
    const cluster = await startReal();
    const remote = await opened(cluster.address);
    await Promise.all(KEYS.map((key, i) => remote.set(key, i)));
    const store = await replicaOf(cluster.address);
    const [first] = cluster.ports as [number];
    const joined = await startRedis([...NODE, '--repl-diskless-sync-delay', '0']);
    closing.push(() => joined.stop());
    const all = [...cluster.ports, joined.port];
    await ask(joined.port, 'CLUSTER', 'MEET', '127.0.0.1', String(first));
    for (const port of all) {
      await askUntil(port, ['CLUSTER', 'NODES'], (table) =>
        /^(?!.*handshake)(.*\n){4}$/s.test(String(table)),
      );
    }
    await askUntil(joined.port, ['CLUSTER', 'INFO'], (info) => String(info).includes('cluster_state:ok'));
    const slot = slotOf('key 1');
    const owner = masterOf(String(await ask(first, 'CLUSTER', 'NODES')), slot);
    const ids = await Promise.all(all.map(async (port) => String(await ask(port, 'CLUSTER', 'MYID'))));
    const source = all[ids.indexOf(owner)] as number;
    const target = ids.at(-1) as string;
    await ask(joined.port, 'CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', owner);
    await ask(source, 'CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', target);
    await ask(source, 'MIGRATE', '127.0.0.1', String(joined.port), 'key 1', '0', '30000');
    // Also in the middle of the move, whether the new master is known already or not.
    assert.equal(await store.get('key 1'), '1');
    for (const port of [joined.port, source, ...all]) {
      await ask(port, 'CLUSTER', 'SETSLOT', String(slot), 'NODE', target);
    }
    await until(
      'the new master is followed',
      async () => store.replication?.master.split(',').length,
      (masters) => masters === 4,
    );
    await store.replication?.catchUp();
    readsAllKeys(store);
    assert.equal(await store.dbsize(), KEYS.length);
  });
});
