import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, recorder, withQueue } from '../../../tests/support/kit-queue.js';
import { defineTask, queue, type TaskQueue } from './index.js';

const fragile = defineTask<string>('fragile');
const fails = fragile.handle((text) => {
  throw new Error(text);
});

async function datasOf(mail: TaskQueue, state: 'completed' | 'dead' | 'waiting'): Promise<unknown[]> {
  return (await mail.list(state)).map(({ data }) => data);
}

test('completed and dead tasks are kept for a time, and up to a number', () =>
  withQueue(
    async ({ mail, clock, store }) => {
      await using _worker = mail.work([recorder([]), fails], { lease: 1_000 });
      for (let i = 0; i < 6; i++) {
        await mail.add(note, `${i}`, { id: `note-${i}` });
        await mail.add(fragile, `${i}`);
        await clock.run(1_000);
      }
      assert.deepEqual(await datasOf(mail, 'completed'), ['5', '4', '3', '2']);
      assert.deepEqual(await datasOf(mail, 'dead'), ['3', '4', '5']);
      await clock.run(7_500);
      assert.deepEqual(await datasOf(mail, 'completed'), ['5', '4', '3']);
      assert.deepEqual(await datasOf(mail, 'dead'), ['3', '4', '5']);
      await clock.run(5_000);
      assert.deepEqual(await datasOf(mail, 'completed'), [], 'an idle worker removes what is too old');
      await clock.run(30_000);
      assert.deepEqual(await datasOf(mail, 'dead'), []);
      for (const part of ['tasks', 'outcomes', 'tasks:names', 'notes']) {
        assert.equal(await store.send('EXISTS', `queue:{mail}:${part}`), 0, part);
      }
    },
    { keepCompleted: { count: 4, age: 10_000 }, keepDead: { count: 3, age: 20_000 } },
  ));

test('more old tasks than one step removes are removed by several', () =>
  withQueue(
    async ({ mail, clock }) => {
      const worker = mail.work(recorder([]));
      await mail.addAll(
        note,
        Array.from({ length: 950 }, (_, i) => [`${i}`] as const),
      );
      while ((await mail.counts()).completed < 950) await clock.run(1);
      await worker.stop();
      await clock.run(60_000);
      await using _again = mail.work(recorder([]), { lease: 600_000 });
      for (let i = 0; i < 20; i++) await clock.run(1);
      assert.equal((await mail.counts()).completed, 0);
    },
    { keepCompleted: { age: 5_000 } },
  ));

test('clean removes tasks of a state by their age, in parts', () =>
  withQueue(async ({ mail, clock, store }) => {
    const worker = mail.work([recorder([]), fails]);
    await mail.addAll(
      note,
      Array.from({ length: 500 }, (_, i) => [`old ${i}`] as const),
    );
    await mail.add(fragile, 'old');
    await clock.run(10_000);
    await mail.add(note, 'new');
    await mail.add(fragile, 'new');
    await clock.run(100);
    await worker.stop();
    assert.equal(await mail.clean('completed', { olderThan: 5_000, limit: 300 }), 300);
    assert.equal(await mail.clean('completed', { olderThan: 5_000 }), 200);
    assert.equal(await mail.clean('dead', { olderThan: 5_000 }), 1);
    assert.deepEqual(await datasOf(mail, 'completed'), ['new']);
    assert.deepEqual(await datasOf(mail, 'dead'), ['new']);
    await mail.add(note, 'old', { lifo: true });
    await mail.add(note, 'old', { priority: 3, key: 'k' });
    await mail.add(note, 'old', { group: 'g' });
    await mail.add(note, 'old', { delay: 60_000 });
    await clock.run(10_000);
    await mail.add(note, 'new', { priority: 9 });
    await mail.add(note, 'new', { group: 'g' });
    await mail.add(note, 'new');
    assert.equal(await mail.clean('waiting', { olderThan: 5_000 }), 3);
    assert.deepEqual(await datasOf(mail, 'waiting'), ['new', 'new', 'new']);
    assert.equal(await mail.clean('delayed', { olderThan: 20_000 }), 0);
    assert.equal(await mail.clean('delayed'), 1);
    assert.equal(await store.send('EXISTS', 'queue:{mail}:unique'), 0);
    await assert.rejects(mail.clean('active' as never), { code: 'OPTION', message: /one of waiting/ });
  }));

test('drain removes what waits, and leaves active tasks alone', () =>
  withQueue(async ({ mail, clock, store }) => {
    let finish: () => void = () => {};
    const hold = defineTask<null, string>('hold');
    const worker = mail.work(
      hold.handle(() => new Promise((resolve) => (finish = () => resolve('done')))),
      { lease: 60_000 },
    );
    const active = await mail.add(hold, null);
    await clock.run(1);
    await mail.addAll(
      note,
      Array.from({ length: 450 }, (_, i) => [`${i}`, i % 3 === 0 ? { priority: i } : {}] as const),
    );
    const parent = await mail.add(note, 'after another', {
      after: [(await mail.add(note, 'before', { group: 'g' })).id],
    });
    await mail.add(note, 'later', { delay: 60_000 });
    assert.equal(await mail.drain(), 452, 'a task that waited for a drained one is drained too');
    assert.equal(await mail.get(parent.id), undefined);
    assert.deepEqual(
      { ...(await mail.counts()) },
      {
        ...{ waiting: 0, setAside: 0, delayed: 1, active: 1, blocked: 0, completed: 0, dead: 0 },
        ...{ schedules: 0, isPaused: false },
      },
    );
    assert.equal(await mail.drain({ delayed: true }), 1);
    finish();
    assert.equal(await active.result(), 'done');
    await worker.stop();
    assert.equal(await store.send('HLEN', 'queue:{mail}:tasks'), 1);
  }));

test('obliterate deletes everything, and refuses to while tasks are active', () =>
  withQueue(async ({ mail, clock, store }) => {
    const lost: string[] = [];
    const hold = defineTask<null>('hold');
    const worker = mail.work(
      hold.handle((_data, { signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve))),
      { lease: 1_000, onLost: ({ id }) => lost.push(id) },
    );
    const { id } = await mail.add(hold, null);
    await clock.run(1);
    await mail.addAll(note, [
      ['a', { group: 'g' }],
      ['b', { key: 'k' }],
      ['c', { delay: 1 }],
      ['d', { id: 'd' }],
      ['e', { throttle: { key: 't', per: 1_000_000 } }],
    ]);
    await mail.schedule('tick', note, 'tick', { every: 1_000_000 });
    await assert.rejects(mail.obliterate(), { code: 'ACTIVE', message: /'mail' has active tasks/ });
    await mail.obliterate({ force: true });
    assert.deepEqual(await store.send('KEYS', '*'), []);
    await clock.run(1_000);
    assert.deepEqual(lost, [id]);
    assert.equal((await mail.add(note, 'again', { throttle: { key: 't', per: 1 } })).isNew, true);
    await worker.stop();
    await queue(store, 'mail').obliterate();
    await store.send('DEL', 'queue:{mail}:wake');
    assert.deepEqual(await store.send('KEYS', '*'), []);
  }));
