import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, recorder, turn, withQueue } from '../../../tests/support/kit-queue.js';

test('progress is published as an event, and kept', () =>
  withQueue(async ({ mail }) => {
    const finish: ((text: string) => void)[] = [];
    const handler = note.handle(async (_text, task) => {
      await task.progress({ percent: 50 });
      return new Promise<string>((resolve) => finish.push(resolve));
    });
    await using events = mail.events();
    const task = await mail.add(note, 'x');
    await using _worker = mail.work(handler);
    while (finish.length === 0) await turn();
    assert.deepEqual((await mail.get(task.id))?.progress, { percent: 50 });
    finish[0]?.('done');
    await task.result();
    const seen: unknown[] = [];
    for await (const { type, id, detail } of events) {
      assert.equal(id, task.id);
      seen.push(detail === undefined ? type : [type, detail]);
      if (type === 'completed') break;
    }
    assert.deepEqual(seen, ['added', 'started', ['progress', { percent: 50 }], 'completed']);
  }));

test('the stream of events is trimmed, and can be read from a position', () =>
  withQueue(
    async ({ mail, store }) => {
      for (let i = 0; i < 1_000; i++) await mail.add(note, `${i}`);
      const length = Number(await store.send('XLEN', 'queue:{mail}:events'));
      assert.ok(length >= 50 && length <= 250, `${length} entries`);
      const positions: string[] = [];
      for await (const { position } of mail.events({ from: 'start' })) {
        positions.push(position);
        if (positions.length === length) break;
      }
      for await (const { position } of mail.events({ from: positions[10] ?? '' })) {
        assert.equal(position, positions[11]);
        break;
      }
      const over: unknown[] = [];
      for await (const event of mail.events({ signal: AbortSignal.abort() })) over.push(event);
      assert.deepEqual(over, []);
    },
    { keepEvents: 50 },
  ));

test('the last completed tasks are kept with their results, older ones are gone', () =>
  withQueue(
    async ({ mail, store }) => {
      const tasks = await mail.addAll(
        note,
        Array.from({ length: 20 }, (_, i) => [`${i}`]),
      );
      await using _worker = mail.work(recorder([]));
      await tasks[19]?.result();
      assert.deepEqual(
        (await mail.list('completed')).map(({ result }) => result),
        ['19', '18', '17'],
      );
      await assert.rejects(tasks[0]!.result(), { code: 'GONE' });
      assert.equal(await mail.get(tasks[0]!.id), undefined);
      assert.equal(await store.send('HLEN', 'queue:{mail}:tasks'), 3);
      assert.equal(await store.send('HLEN', 'queue:{mail}:outcomes'), 3);
    },
    { keepCompleted: 3 },
  ));

test('a task can be removed in any state; its worker is told', () =>
  withQueue(async ({ mail, clock, store }) => {
    const signals: AbortSignal[] = [];
    const handler = note.handle((_text, task) => {
      signals.push(task.signal);
      return new Promise<string>((resolve) =>
        task.signal.addEventListener('abort', () => resolve('too late')),
      );
    });
    const waiting = await mail.add(note, 'waiting');
    const prioritized = await mail.add(note, 'prioritized', { priority: 1 });
    const delayed = await mail.add(note, 'delayed', { delay: 1_000, key: 'k' });
    for (const { id } of [waiting, prioritized, delayed]) assert.equal(await mail.remove(id), true);
    assert.equal(await mail.remove(delayed.id), false);
    assert.equal((await mail.add(note, 'again', { key: 'k', delay: 1_000_000 })).isNew, true);
    const active = await mail.add(note, 'active');
    const result = assert.rejects(active.result(), { code: 'GONE' });
    await using worker = mail.work(handler, { lease: 900 });
    while (signals.length === 0) await turn();
    assert.equal(await mail.remove(active.id), true);
    await result;
    await clock.run(300);
    assert.equal(signals[0]?.aborted, true);
    await worker.stop();
    assert.deepEqual(await store.send('HKEYS', 'queue:{mail}:tasks'), [(await mail.list('delayed'))[0]?.id]);
  }));

test('events that are requested together arrive one after the other', () =>
  withQueue(async ({ mail }) => {
    await using events = mail.events();
    const asked = Array.from({ length: 6 }, () => events.next());
    for (const text of ['a', 'b', 'c']) await mail.add(note, text);
    const more = await mail.addAll(note, [['d'], ['e'], ['f']]);
    const ids = (await Promise.all(asked)).map(({ value }) => value?.id);
    assert.equal(new Set(ids).size, 6);
    assert.deepEqual(ids, [...ids].sort());
    assert.deepEqual(
      ids.slice(3),
      more.map(({ id }) => id),
    );
  }));
