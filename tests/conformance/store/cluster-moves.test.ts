/** A store on a cluster of Redis's nodes and ours while slots move from server to server and connections break. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { open, type Store, StoreError } from '../../../src/store/index.js';
import {
  ask,
  type RedisCluster,
  startMixedCluster,
  stopAllServers,
  whenRedisIsInstalled,
} from '../../support/fleet/index.js';

const TAG = '{moving}';

describe('While a slot of a Cluster moves', { ...whenRedisIsInstalled, timeout: 300_000 }, () => {
  let cluster: RedisCluster;
  let store: Store;
  let slot: number;

  before(async () => {
    cluster = await startMixedCluster();
    store = await open(`redis+cluster://127.0.0.1:${cluster.ports[0]}`);
    slot = Number(await ask(cluster.ports[0] as number, 'CLUSTER', 'KEYSLOT', TAG));
  });
  after(async () => {
    await store?.close();
    await stopAllServers();
  });

  const append = (key: string) =>
    store.script({ keys: ['list'], args: ['element'], lua: `return redis.call('RPUSH', list, element)` })({
      list: key,
      element: 'x',
    });

  it('commands on keys that only the new server has, or no server, run on the new server (ASK)', async () => {
    await cluster.moveSlot(slot, 0);
    await store.set(`${TAG}stays`, 'here');
    await store.set(`${TAG}goes`, 'there');
    const half = await beginMove(cluster, slot, 0, 1, `${TAG}goes`);
    assert.equal(await store.get(`${TAG}stays`), 'here');
    assert.equal(await store.get(`${TAG}goes`), 'there');
    assert.equal(await store.incr(`${TAG}count`), 1);
    assert.equal(await append(`${TAG}list`), 1);
    assert.deepEqual(
      await store.pipeline((queue) => [
        queue.get(`${TAG}stays`),
        queue.get(`${TAG}goes`),
        queue.incr(`${TAG}count`),
      ]),
      ['here', 'there', 2],
    );
    assert.deepEqual(
      await store.transaction((queue) => [queue.incr(`${TAG}count`), queue.incr(`${TAG}count`)]),
      [3, 4],
    );
    assert.deepEqual(
      await store.transaction({ watch: [`${TAG}count`] }, async (queue, watched) => {
        assert.equal(await watched.get(`${TAG}count`), '4');
        return [queue.incr(`${TAG}count`)];
      }),
      [5],
    );
    await store.rpush(`${TAG}jobs`, 'job');
    assert.deepEqual(await store.blpop(`${TAG}jobs`, 10), { key: `${TAG}jobs`, element: 'job' });
    // The new server has all keys.
    await half.finish();
    assert.equal(await store.get(`${TAG}count`), '5');
    assert.equal(await store.llen(`${TAG}list`), 1);
    await cluster.flush();
  });

  it('a command on keys of both servers waits until one server has them (TRYAGAIN)', async () => {
    await cluster.moveSlot(slot, 0);
    await store.mset({ [`${TAG}1`]: 'one', [`${TAG}2`]: 'two' });
    const half = await beginMove(cluster, slot, 0, 1, `${TAG}2`);
    const both = store.mget(`${TAG}1`, `${TAG}2`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await half.finish();
    assert.deepEqual(await both, ['one', 'two']);
    await cluster.flush();
  });

  it('nothing is lost or executed twice, and no call fails, no matter how often it moves', async () => {
    const done = { incr: 0, script: 0, transaction: 0, pipeline: 0 };
    let isOver = false;
    const repeat = async (work: () => Promise<unknown>): Promise<void> => {
      while (!isOver) await work();
    };
    const working = Promise.all([
      repeat(async () => {
        await store.incr(`${TAG}incr`);
        done.incr++;
      }),
      repeat(async () => {
        await append(`${TAG}script`);
        done.script++;
      }),
      repeat(async () => {
        await store.transaction((queue) => [queue.incr(`${TAG}a`), queue.incr(`${TAG}transaction`)]);
        done.transaction++;
      }),
      repeat(async () => {
        await store.pipeline((queue) => [queue.incr(`${TAG}b`), queue.incr(`${TAG}pipeline`)]);
        done.pipeline++;
      }),
    ]);
    for (const to of [1, 2, 0, 1, 0]) await Promise.race([cluster.moveSlot(slot, to), working]);
    isOver = true;
    await working;
    assert.equal(Number(await store.get(`${TAG}incr`)), done.incr);
    assert.equal(await store.llen(`${TAG}script`), done.script);
    assert.equal(Number(await store.get(`${TAG}transaction`)), done.transaction);
    assert.equal(Number(await store.get(`${TAG}pipeline`)), done.pipeline);
    assert.ok(Math.min(...Object.values(done)) > 0, JSON.stringify(done));
    await cluster.flush();
  });

  it('calls that lose their connection succeed, or say that they may have been executed', async () => {
    let done = 0;
    let unknown = 0;
    let isOver = false;
    const errors: unknown[] = [];
    const counting = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (!isOver) {
          await store.incr(`${TAG}count`).then(
            () => done++,
            (error: unknown) => {
              if (error instanceof StoreError && error.code === 'UNREACHABLE' && error.mayHaveRun) unknown++;
              else errors.push(error);
            },
          );
        }
      }),
    );
    const reading = (async () => {
      while (!isOver) await store.get(`${TAG}count`).catch((error: unknown) => errors.push(error));
    })();
    for (let round = 0; round < 20; round++) {
      for (const port of cluster.ports) await ask(port, 'CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    isOver = true;
    await Promise.all([counting, reading]);
    assert.deepEqual(errors, []);
    const count = Number(await store.get(`${TAG}count`));
    assert.ok(count >= done && count <= done + unknown, `${done} done, ${unknown} unknown, ${count} counted`);
    assert.ok(done > 0);
  });
});

/** Begins to move a slot, and moves only these keys. `finish` moves the other keys and assigns the slot. */
async function beginMove(
  cluster: RedisCluster,
  slot: number,
  from: number,
  to: number,
  ...keys: string[]
): Promise<{ finish(): Promise<void> }> {
  const source = cluster.ports[from] as number;
  const target = cluster.ports[to] as number;
  const sourceName = String(await ask(source, 'CLUSTER', 'MYID'));
  const targetName = String(await ask(target, 'CLUSTER', 'MYID'));
  await ask(target, 'CLUSTER', 'SETSLOT', `${slot}`, 'IMPORTING', sourceName);
  await ask(source, 'CLUSTER', 'SETSLOT', `${slot}`, 'MIGRATING', targetName);
  await ask(source, 'MIGRATE', '127.0.0.1', `${target}`, '', '0', '30000', 'KEYS', ...keys);
  return { finish: () => cluster.moveSlot(slot, to) };
}
