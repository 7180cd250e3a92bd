import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { note, recorder, turn, withQueue } from '../../../tests/support/kit-queue.js';
import { defineTask, queue } from './index.js';

test('tasks run in the order in which they were added', () =>
  withQueue(async ({ mail }) => {
    const texts = Array.from({ length: 300 }, (_, i) => `task ${i}`);
    const added = await Promise.all(texts.map((text) => mail.add(note, text)));
    const seen: string[] = [];
    await using _worker = mail.work(recorder(seen));
    assert.deepEqual(await Promise.all(added.map((task) => task.result())), texts);
    assert.deepEqual(seen, texts);
  }));

test('tasks of higher priority come first, equal ones in order', () =>
  withQueue(async ({ mail }) => {
    const wanted: readonly [string, number][] = [
      ['low 1', -5],
      ['usual 1', 0],
      ['high 1', 7],
      ['low 2', -5],
      ['highest', 9],
      ['usual 2', 0],
      ['high 2', 7],
      ['lowest', -6],
    ];
    for (const [text, priority] of wanted) await mail.add(note, text, { priority });
    const order = ['highest', 'high 1', 'high 2', 'usual 1', 'usual 2', 'low 1', 'low 2', 'lowest'];
    assert.deepEqual(
      (await mail.list('waiting')).map((task) => task.data),
      order,
    );
    assert.deepEqual(
      (await mail.list('waiting', { offset: 2, limit: 4 })).map((task) => task.data),
      order.slice(2, 6),
    );
    assert.deepEqual(
      (await mail.list('waiting', { offset: 6 })).map((task) => task.data),
      order.slice(6),
    );
    const seen: string[] = [];
    await using worker = mail.work(recorder(seen));
    while (seen.length < order.length) await turn();
    assert.deepEqual(seen, order);
    await worker.stop();
  }));

test('a delayed task starts when it is due and not before', () =>
  withQueue(async ({ mail, clock }) => {
    const seen: string[] = [];
    await using _worker = mail.work(recorder(seen));
    await mail.add(note, 'in a day', { delay: 86_400_000 });
    await mail.add(note, 'in an hour', { at: new Date(clock.now() + 3_600_000) });
    await mail.add(note, 'now', { at: new Date(clock.now() - 1) });
    await clock.run(3_599_999);
    assert.deepEqual(seen, ['now']);
    await clock.run(1);
    assert.deepEqual(seen, ['now', 'in an hour']);
    await clock.run(86_400_000 - 3_600_001);
    assert.equal(seen.length, 2);
    await clock.run(1);
    assert.deepEqual(seen, ['now', 'in an hour', 'in a day']);
  }));

test('a unique key is taken until its task is over', () =>
  withQueue(async ({ mail }) => {
    const first = await mail.add(note, 'a', { key: 'invoice 7', delay: 1_000 });
    const second = await mail.add(note, 'b', { key: 'invoice 7' });
    assert.deepEqual([first.isNew, second.isNew, second.id], [true, false, first.id]);
    assert.equal((await mail.add(note, 'c', { key: 'invoice 8' })).isNew, true);
    await mail.promote(first.id);
    const seen: string[] = [];
    await using _worker = mail.work(recorder(seen));
    await second.result();
    assert.deepEqual(seen, ['c', 'a']);
    assert.equal((await mail.add(note, 'd', { key: 'invoice 7' })).isNew, true);
  }));

test('a task keeps its name, data and options when its priority changes, whatever they look like', () =>
  withQueue(async ({ mail }) => {
    const odd = defineTask<string>('a "quoted",\\"p":5\\ /é name');
    const { id } = await mail.add(odd, ',"p":7', { attempts: 3, key: ',"p":1' });
    for (const priority of [5, -1_000_000, 1_000_000, 0, 3]) {
      assert.equal(await mail.reschedule(id, { priority }), true);
      const task = await mail.get(id);
      assert.deepEqual(
        [task?.name, task?.data, task?.attempts, task?.priority, task?.key],
        [odd.name, ',"p":7', 3, priority, ',"p":1'],
      );
    }
    assert.deepEqual((await mail.counts()).waiting, 1);
  }));

test('a task that was set aside stays there when its priority changes, and is taken by it', () =>
  withQueue(async ({ mail, clock }) => {
    const other = defineTask<string, string>('other');
    const tasks = await mail.addAll(other, [['a'], ['b'], ['c']]);
    const stranger = mail.work(note.handle((text) => text));
    await clock.run(10);
    await stranger.stop();
    assert.equal((await mail.counts()).setAside, 3);
    assert.equal(await mail.reschedule(tasks[2]?.id ?? '', { priority: 1 }), true);
    assert.equal(await mail.reschedule(tasks[0]?.id ?? '', { delay: 100 }), true);
    assert.deepEqual([(await mail.counts()).setAside, (await mail.counts()).delayed], [2, 1]);
    const seen: string[] = [];
    await using _worker = mail.work(
      other.handle((text) => {
        seen.push(text);
        return text;
      }),
    );
    await clock.run(200);
    assert.deepEqual(seen, ['c', 'b', 'a']);
  }));

test('a task that waits for others can get a priority, but no time; an active one neither', () =>
  withQueue(async ({ mail, clock, store }) => {
    const first = await mail.add(note, 'first');
    const second = await mail.add(note, 'second', { after: [first.id] });
    assert.equal(await mail.reschedule(second.id, { priority: 2 }), true);
    assert.equal(await mail.reschedule(second.id, { delay: 1 }), false);
    assert.equal((await mail.get(second.id))?.state, 'blocked');
    await using _worker = mail.work(note.handle(() => store.time.sleep(1_000).then(() => '')));
    await clock.run(10);
    assert.equal(await mail.reschedule(first.id, { priority: 2 }), false);
    assert.equal(await mail.reschedule('no-such-task', { priority: 2 }), false);
    await clock.run(3_000);
    assert.equal((await mail.counts()).completed, 2);
    const events: string[] = [];
    for await (const { type, id } of mail.events({ from: 'start' })) {
      events.push(type);
      if (type === 'started') break;
      if (type === 'rescheduled') assert.equal(id, second.id);
    }
    assert.deepEqual(events, ['added', 'added', 'blocked', 'rescheduled', 'started']);
  }));

test('unknown and invalid options are refused with advice', () =>
  withQueue(async ({ mail, store }) => {
    const refused = (code: string, message: RegExp) => ({ code, message });
    await assert.rejects(
      mail.add(note, 'x', { dealy: 5 } as object),
      refused('OPTION', /did you mean 'delay'/),
    );
    await assert.rejects(mail.add(note, 'x', { delay: -1 }), refused('OPTION', /`delay` must be/));
    await assert.rejects(
      mail.add(note, 'x', { delay: 1, after: ['1'] }),
      refused('OPTION', /cannot have `delay`/),
    );
    await assert.rejects(
      mail.add(note, 'x', { backoff: { kind: 'linear', delay: 1 } as never }),
      refused('OPTION', /fixed, exponential/),
    );
    assert.throws(
      () => queue(store, 'x', { keepComplete: 3 } as object),
      refused('OPTION', /did you mean 'keepCompleted'/),
    );
    assert.throws(() => mail.work([]), refused('OPTION', /at least one handler/));
    assert.throws(() => mail.work([recorder([]), recorder([])]), refused('OPTION', /two handlers/));
    assert.throws(
      () => mail.work(recorder([]), { concurrency: 0 }),
      refused('OPTION', /`concurrency` must be/),
    );
    assert.throws(() => defineTask(''), refused('OPTION', /needs a name/));
    assert.throws(() => defineTask('x', {} as never), refused('OPTION', /Standard Schema/));
    await assert.rejects(
      mail.schedule('x', note, 'x', { cron: '* *' }),
      refused('OPTION', /no cron expression/),
    );
    await assert.rejects(mail.schedule('x', note, 'x', {} as never), refused('OPTION', /either `cron`/));
  }));

test('definitions give data and results their types, and schemas may convert', () =>
  withQueue(async ({ mail }) => {
    const double = defineTask('double', z.object({ n: z.string().transform(Number) }), {
      result: z.number(),
    });
    await using _worker = mail.work(double.handle(({ n }) => n * 2));
    const result: number = await (await mail.add(double, { n: '21' })).result();
    assert.equal(result, 42);
    // @ts-expect-error: `n` is text before it is converted
    await assert.rejects(mail.add(double, { n: 21 }), {
      code: 'INVALID',
      message: /data of task 'double' is not valid: n: /,
    });
    // @ts-expect-error: a handler must return what the definition promises
    double.handle(({ n }) => `${n}`);
  }));

test('a queue can keep neither results nor events', () =>
  withQueue(
    async ({ mail, store }) => {
      const seen: string[] = [];
      const [task] = await mail.addAll(note, [['a'], ['b']]);
      await using worker = mail.work(recorder(seen));
      while (seen.length < 2) await turn();
      await worker.stop();
      await store.send('DEL', 'queue:{mail}:wake');
      assert.deepEqual(await store.send('KEYS', '*'), ['queue:{mail}:meta']);
      await assert.rejects(task!.result(), { code: 'OPTION', message: /keepEvents/ });
    },
    { keepCompleted: 0, keepEvents: 0 },
  ));
