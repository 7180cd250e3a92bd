import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, recorder, withQueue } from '../../../../tests/support/kit-queue.js';
import { defineTask } from '../index.js';

test('a task with an own id is known by it everywhere', () =>
  withQueue(async ({ mail, clock }) => {
    await using events = mail.events();
    const first = await mail.add(note, 'a', { id: 'invoice=7:x' });
    assert.deepEqual([first.id, first.isNew], ['invoice=7:x', true]);
    const again = await mail.add(note, 'b', { id: 'invoice=7:x', priority: 3 });
    assert.deepEqual([again.id, again.isNew], ['invoice=7:x', false]);
    const after = await mail.add(note, 'c', { after: [first.id], id: 'second' });
    assert.deepEqual((await mail.get('second'))?.after, ['invoice=7:x']);
    const shown = await mail.get(first.id);
    assert.deepEqual([shown?.id, shown?.data, shown?.addedAt.getTime()], ['invoice=7:x', 'a', clock.now()]);
    const contexts: string[] = [];
    await using _worker = mail.work(
      note.handle(async (text, task) => {
        await task.progress(1);
        contexts.push(task.id, ...Object.keys(await task.inputs()));
        return text;
      }),
    );
    assert.deepEqual([await again.result(), await after.result()], ['a', 'c']);
    assert.deepEqual(contexts, ['invoice=7:x', 'second', 'invoice=7:x']);
    const told: string[] = [];
    for await (const { type, id } of events) {
      told.push(`${type} ${id}`);
      if (type === 'completed' && id === 'second') break;
    }
    assert.equal(told.filter((line) => line.endsWith(' invoice=7:x')).length, 4, told.join());
    assert.equal((await mail.add(note, 'd', { id: 'second' })).isNew, false, 'as long as it is kept');
    assert.equal(await mail.remove('second'), true);
    assert.equal((await mail.add(note, 'd', { id: 'second' })).isNew, true);
    await assert.rejects(mail.add(note, 'e', { after: ['unknown'] }), { code: 'NOTASK' });
  }));

test('own ids are free again when their task is no longer kept', () =>
  withQueue(
    async ({ mail, store }) => {
      await using _worker = mail.work(recorder([]));
      for (let i = 0; i < 5; i++) {
        const task = await mail.add(note, `${i}`, { id: 'same' });
        assert.equal(task.isNew, true);
        assert.equal(await task.result(), `${i}`);
        await (await mail.add(note, 'other')).result();
      }
      assert.equal(await store.send('HLEN', 'queue:{mail}:tasks:names'), 0);
    },
    { keepCompleted: 1 },
  ));

test('own ids keep the order of adding, by priority, set aside and put back', () =>
  withQueue(async ({ mail, clock }) => {
    const other = defineTask<string, string>('other');
    const seen: string[] = [];
    for (const id of ['z', 'm', 'a']) await mail.add(other, id, { id: `${id}-1`, priority: 2 });
    for (const id of ['z', 'm', 'a']) await mail.add(other, id, { id: `${id}-2` });
    const first = mail.work(recorder([]));
    await clock.run(1);
    await first.stop();
    assert.equal((await mail.counts()).setAside, 6);
    assert.deepEqual(
      (await mail.list('setAside')).map(({ id }) => id),
      ['z-1', 'm-1', 'a-1', 'z-2', 'm-2', 'a-2'],
    );
    await using _worker = mail.work(
      other.handle((_text, { id }) => {
        seen.push(id);
        return id;
      }),
    );
    await clock.run(1);
    assert.deepEqual(seen, ['z-1', 'm-1', 'a-1', 'z-2', 'm-2', 'a-2']);
  }));

test('own ids that cannot be told from others are refused', () =>
  withQueue(async ({ mail }) => {
    for (const id of ['', 'a b', 'a\nb', 'a\0', '1234567890123456', 'x'.repeat(201), 7 as never]) {
      await assert.rejects(mail.add(note, 'x', { id }), { code: 'OPTION', message: /`id` must/ });
    }
  }));

test('the last in is the first out, if the task says so', () =>
  withQueue(async ({ mail, clock }) => {
    const seen: string[] = [];
    await mail.add(note, 'c');
    await mail.add(note, 'b', { lifo: true });
    await mail.add(note, 'a', { lifo: true });
    await mail.add(note, 'late', { lifo: true, delay: 1_000 });
    await mail.add(note, 'd');
    await clock.run(1_000);
    await using _worker = mail.work(recorder(seen), { prefetch: 0 });
    await clock.run(1);
    assert.deepEqual(seen, ['late', 'a', 'b', 'c', 'd']);
    await assert.rejects(mail.add(note, 'x', { lifo: true, priority: 1 }), { code: 'OPTION' });
    await assert.rejects(mail.add(note, 'x', { lifo: true, group: 'g' }), { code: 'OPTION' });
    assert.throws(() => defineTask('x', undefined, { lifo: true, priority: 1 }), { code: 'OPTION' });
  }));
