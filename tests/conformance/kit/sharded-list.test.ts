import assert from 'node:assert/strict';
import { shardedList } from '../../../src/kit/sharded-list/index.js';
import { onEveryStore, rejectsWith, until } from './support.js';

onEveryStore('Sharded lists', (test) => {
  test('elements are popped at either end as they were pushed, across shards', async (store, { space }) => {
    const list = shardedList(store, space, { shardSize: 3 });
    await list.pushRight(...Array.from({ length: 10 }, (_, i) => `r${i}`));
    assert.equal(await list.pushLeft('l0', 'l1', 'l2', 'l3'), 14);
    assert.deepEqual(await list.popLeft(5), ['l3', 'l2', 'l1', 'l0', 'r0']);
    assert.deepEqual(await list.popRight(4), ['r9', 'r8', 'r7', 'r6']);
    assert.equal(await list.popRight(), 'r5');
    assert.equal(await list.length(), 4);
    await list.clear();
    assert.equal(await list.popLeft(), undefined);
  });

  test('elements are found by index and by iteration, across shards', async (store, { space, another }) => {
    const list = shardedList(store, space, { shardSize: 3 });
    const model = Array.from({ length: 20 }, (_, i) => `r${i}`);
    await list.pushRight(...model);
    const elsewhere = shardedList(await another(), space, { shardSize: 3 });
    assert.equal(await elsewhere.get(7), 'r7');
    assert.equal(await elsewhere.get(-20), 'r0');
    assert.equal(await elsewhere.get(20), undefined);
    assert.deepEqual(await elsewhere.range(2, 8), model.slice(2, 9));
    assert.deepEqual(await elsewhere.range(-3, -1), model.slice(-3));
    const seen: string[] = [];
    for await (const element of elsewhere) seen.push(element);
    assert.deepEqual(seen, model);
  });

  test('every element is taken once, by takers that wait at both ends', async (store, { space, another }) => {
    const elements = Array.from({ length: 60 }, (_, i) => `e${i}`);
    const taken: string[] = [];
    const takers = await Promise.all(
      ['Left', 'Right', 'Left', 'Right'].map(async (side) => {
        const list = shardedList(await another(), space, { shardSize: 4 });
        return async () => {
          for (let i = 0; i < elements.length / 4; i++) {
            taken.push(await (side === 'Left' ? list.takeLeft() : list.takeRight()));
          }
        };
      }),
    );
    const done = Promise.all(takers.map((take) => take()));
    const list = shardedList(store, space, { shardSize: 4 });
    for (let i = 0; i < elements.length; i += 3) await list.pushRight(...elements.slice(i, i + 3));
    await done;
    assert.deepEqual(taken.sort(), elements.sort());
    assert.equal(await list.length(), 0);
  });

  test('a taker that gives up leaves nothing behind', async (store, { space }) => {
    const list = shardedList(store, space);
    await rejectsWith(list.takeLeft({ wait: 20 }), 'TIMEOUT');
    const controller = new AbortController();
    const wait = rejectsWith(list.takeLeft({ signal: controller.signal }), 'ABORTED');
    await until('the taker waits', async () => {
      return (await store.send('ZCARD', `sharded-list:{${space}}:queue`)) === 1;
    });
    controller.abort();
    await wait;
    await list.pushRight('kept');
    assert.equal(await list.popLeft(), 'kept');
  });
});
