import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ManualClock, open } from '../../store/index.js';
import { shardedList } from './index.js';

async function all<Element>(elements: AsyncIterable<Element>): Promise<Element[]> {
  const found: Element[] = [];
  for await (const element of elements) found.push(element);
  return found;
}

describe('A sharded list', () => {
  it('runs the example of its documentation', async () => {
    await using store = await open();
    const events = shardedList(store, 'events');
    assert.equal(await events.pushRight('a', 'b', 'c'), 3);
    assert.equal(await events.popLeft(), 'a');
    assert.equal(await events.takeRight({ wait: 1000 }), 'c');
    assert.equal(await events.length(), 1);
  });

  it('behaves like one list, whatever is done at its ends', async () => {
    await using store = await open();
    let round = 0;
    const side = fc.constantFrom('Left', 'Right');
    const step = fc.oneof(
      fc.record({ side, push: fc.array(fc.string({ maxLength: 3 }), { maxLength: 9 }) }),
      fc.record({ side, pop: fc.integer({ min: 0, max: 9 }) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { maxLength: 30 }),
        async (shardSize, steps) => {
          const list = shardedList(store, `r${round++}`, { shardSize });
          const model: string[] = [];
          for (const { side, ...what } of steps) {
            if ('push' in what) {
              if (side === 'Left') for (const value of what.push) model.unshift(value);
              else model.push(...what.push);
              assert.equal(await list[`push${side}`](...what.push), model.length);
            } else {
              const count = Math.min(what.pop, model.length);
              const expected =
                side === 'Left' ? model.splice(0, count) : model.splice(model.length - count).reverse();
              assert.deepEqual(await list[`pop${side}`](what.pop), expected);
            }
            assert.equal(await list.length(), model.length);
          }
          assert.deepEqual(await list.popLeft(1000), model);
          const left: string[] = [];
          for await (const key of store.scan({ match: `*{r${round - 1}}*` })) left.push(key);
          assert.deepEqual(left, []);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('returns elements by index, and all of them, whatever the sizes of its shards', async () => {
    await using store = await open();
    let round = 0;
    const side = fc.constantFrom('Left', 'Right');
    const size = fc.integer({ min: 1, max: 4 });
    const step = fc.oneof(
      fc.record({ side, size, push: fc.integer({ min: 0, max: 9 }) }),
      fc.record({ side, size, pop: fc.integer({ min: 0, max: 5 }) }),
    );
    const index = fc.integer({ min: -30, max: 30 });
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(step, { maxLength: 20 }),
        fc.array(fc.tuple(index, index), { minLength: 5, maxLength: 5 }),
        async (isEven, steps, ranges) => {
          const name = `i${round++}`;
          let list = shardedList(store, name, { shardSize: 3 });
          const model: string[] = [];
          let next = 0;
          for (const { side, size, ...what } of steps) {
            if (!isEven) list = shardedList(store, name, { shardSize: size });
            if ('push' in what) {
              const values = Array.from({ length: what.push }, () => `${next++}`);
              if (side === 'Left') for (const value of values) model.unshift(value);
              else model.push(...values);
              await list[`push${side}`](...values);
            } else {
              const count = Math.min(what.pop, model.length);
              model.splice(side === 'Left' ? 0 : model.length - count, count);
              await list[`pop${side}`](what.pop);
            }
          }
          await store.del('model');
          if (model.length > 0) await store.rpush('model', model);
          for (const [first, last] of ranges) {
            assert.equal(await list.get(first), model.at(first));
            assert.deepEqual(await list.range(first, last), await store.lrange('model', first, last));
          }
          assert.deepEqual(await all(list), model);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('finds elements of lists that were made without a size in their meta data', async () => {
    await using store = await open();
    const list = shardedList(store, 'old', { shardSize: 2 });
    await list.pushRight('a', 'b', 'c', 'd', 'e');
    await store.hdel('sharded-list:{old}:meta', 'size');
    assert.equal(await list.get(4), 'e');
    await list.pushRight('f');
    assert.equal(await list.get(5), 'f');
  });

  it('returns every element that stays in the list exactly once, whatever happens at the ends', async () => {
    await using store = await open();
    const list = shardedList(store, 'walk', { shardSize: 100 });
    await list.pushRight(...Array.from({ length: 5_000 }, (_, i) => i));
    const seen: number[] = [];
    for await (const element of list) {
      const n = Number(element);
      seen.push(n);
      if (n % 50 === 0) {
        await list.popLeft(10);
        await list.popRight(7);
        await list.pushLeft('-1');
      }
      if (n === 3_000) await list.pushRight('10000');
    }
    const stayed = Array.from({ length: 2_000 }, (_, i) => i + 1_500);
    assert.deepEqual(
      seen.filter((n) => n >= 1_500 && n < 3_500),
      stayed,
    );
    assert.equal(
      new Set(seen.filter((n) => n >= 0)).size,
      seen.filter((n) => n >= 0).length,
      'none came twice',
    );
  });

  it('iterates over an empty list, and returns bytes by index', async () => {
    await using store = await open();
    assert.deepEqual(await all(shardedList(store, 'none')), []);
    const list = shardedList(store, 'raw', { bytes: true });
    await list.pushRight(Buffer.from([255]));
    assert.deepEqual(await list.get(0), Buffer.from([255]));
    assert.deepEqual(await list.range(0, -1), [Buffer.from([255])]);
    for await (const element of list) assert.deepEqual(element, Buffer.from([255]));
    assert.equal(await list.get(1), undefined);
  });

  it('keeps its shards within `shardSize`', async () => {
    await using store = await open();
    const list = shardedList(store, 'short', { shardSize: 10 });
    await list.pushRight(...Array.from({ length: 95 }, (_, i) => i));
    await list.pushLeft(...Array.from({ length: 7 }, (_, i) => i));
    let shards = 0;
    for await (const key of store.scan({ match: '*shard:*' })) {
      assert.ok(Number(await store.send('LLEN', key)) <= 10);
      shards++;
    }
    assert.equal(shards, 11);
    await list.clear();
    assert.equal(await list.length(), 0);
    assert.equal(await store.send('DBSIZE'), 0);
  });

  it('returns bytes unchanged', async () => {
    await using store = await open();
    const list = shardedList(store, 'bytes', { bytes: true });
    await list.pushRight(Buffer.from([0, 255, 128]));
    assert.deepEqual(await list.popLeft(), Buffer.from([0, 255, 128]));
    assert.equal(await list.popLeft(), undefined);
  });

  it('serves waiters in order of arrival', async () => {
    await using store = await open();
    const list = shardedList(store, 'line', { shardSize: 2 });
    const taken: string[] = [];
    const waits = [];
    for (const who of ['first', 'second', 'third']) {
      waits.push(list.takeLeft().then((value) => taken.push(`${who} ${value}`)));
      while (Number(await store.send('ZCARD', 'sharded-list:{line}:queue')) < waits.length);
    }
    await list.pushRight('a', 'b');
    await list.pushRight('c');
    await Promise.all(waits);
    assert.deepEqual(taken.sort(), ['first a', 'second b', 'third c']);
  });

  it('ends a wait at its timeout, and when its signal aborts', async () => {
    const clock = new ManualClock();
    await using store = await open('memory:', { clock });
    const list = shardedList(store, 'slow');
    const late = assert.rejects(list.takeLeft({ wait: 3_600_000 }), { code: 'TIMEOUT' });
    const controller = new AbortController();
    const aborted = assert.rejects(list.takeRight({ signal: controller.signal }), { code: 'ABORTED' });
    controller.abort();
    await aborted;
    let isOver = false;
    void late.then(() => {
      isOver = true;
    });
    while (!isOver) {
      clock.advance(60_000);
      await new Promise(setImmediate);
    }
    await late;
    assert.equal(await store.send('ZCARD', 'sharded-list:{slow}:queue'), 0);
  });

  it('refuses invalid options and counts', async () => {
    await using store = await open();
    assert.throws(() => shardedList(store, 'x', { shards: 5 } as object), { code: 'OPTION' });
    assert.throws(() => shardedList(store, ''), { code: 'OPTION' });
    await assert.rejects(shardedList(store, 'x').popLeft(-1), { code: 'OPTION' });
  });
});
