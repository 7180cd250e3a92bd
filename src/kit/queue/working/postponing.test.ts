import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, recorder, withQueue } from '../../../../tests/support/kit-queue.js';
import { defineTask, PostponeError } from '../index.js';

test('a postponed task runs again later, and the attempt does not count', () =>
  withQueue(async ({ mail, clock, store }) => {
    const begun = clock.now();
    const starts: string[] = [];
    const call = defineTask<string, string>('call');
    const handler = call.handle((text, task) => {
      starts.push(`${clock.now() - begun} ${text} ${task.attempt}`);
      if (starts.length < 3) throw new PostponeError(1_000, 'the service is busy');
      return 'done';
    });
    await using worker = mail.work(handler);
    const events: string[] = [];
    const task = await mail.add(call, 'x', { group: 'ann' });
    await clock.run(500);
    const waits = await mail.get(task.id);
    assert.deepEqual([waits?.state, waits?.failures, waits?.error], ['delayed', 0, undefined]);
    assert.equal(waits?.at?.getTime(), begun + 1_000);
    await clock.run(5_000);
    assert.equal(await task.result(), 'done');
    assert.deepEqual(starts, ['0 x 1', '1000 x 1', '2000 x 1']);
    for await (const { type } of mail.events({ from: 'start' })) {
      events.push(type);
      if (type === 'completed') break;
    }
    assert.equal(events.filter((type) => type === 'rescheduled').length, 2);
    await worker.stop();
    assert.equal(await store.send('EXISTS', 'queue:{mail}:notes', 'queue:{mail}:active:groups'), 0);
  }));

test('some tasks of a batch can be postponed', () =>
  withQueue(async ({ mail, clock }) => {
    const call = defineTask<number, number>('call');
    const handler = call.handleBatch(
      (tasks) => tasks.map(({ data }) => (data === 2 ? new PostponeError(10_000) : data)),
      { size: 10 },
    );
    await mail.addAll(call, [[1], [2], [3]]);
    await using _worker = mail.work(handler);
    await clock.run(1);
    const counts = await mail.counts();
    assert.deepEqual([counts.completed, counts.delayed, counts.dead], [2, 1, 0]);
  }));

test('a task that is postponed for longer than a Date can say shows the last one', () =>
  withQueue(async ({ mail, clock }) => {
    const call = defineTask<number, string>('call');
    await using _worker = mail.work([
      call.handle((delay) => {
        throw new PostponeError(delay);
      }),
      recorder([]),
    ]);
    const task = await mail.add(call, 1e300);
    await clock.run(10);
    assert.deepEqual((await mail.get(task.id))?.at, new Date(8.64e15));
    await (await mail.add(note, 'others go on')).result();
  }));

test('a delay that is no time is refused, and none means a moment', () => {
  for (const delay of [Number.NaN, -1, '5' as never])
    assert.throws(() => new PostponeError(delay), { code: 'OPTION' });
  assert.equal(new PostponeError(0).delay, 1);
});

test('a pause can have an end, after which an idle worker goes on', () =>
  withQueue(async ({ mail, clock }) => {
    const seen: string[] = [];
    const begun = clock.now();
    await using _first = mail.work(recorder(seen), { lease: 600_000 });
    await using _second = mail.work(recorder(seen), { lease: 600_000 });
    await clock.run(1);
    assert.equal(await mail.pause({ for: 1_000 }), true);
    assert.equal(await mail.pause({ for: 500 }), false, 'it is paused, and the later end counts');
    await mail.addAll(note, [['a'], ['b']]);
    await clock.run(900);
    assert.deepEqual([seen, (await mail.counts()).isPaused], [[], true]);
    await clock.run(200);
    assert.deepEqual([seen.toSorted(), (await mail.counts()).isPaused], [['a', 'b'], false]);
    assert.ok(clock.now() - begun < 1_200);
    assert.equal(await mail.resume(), false, 'it is over');
    // A pause without end is not shortened by one with an end.
    assert.equal(await mail.pause(), true);
    assert.equal(await mail.pause({ for: 10 }), false);
    await mail.add(note, 'c');
    await clock.run(10_000);
    assert.deepEqual(seen.length, 2);
    assert.equal(await mail.resume(), true);
    await clock.run(1);
    assert.deepEqual(seen.length, 3);
    await assert.rejects(mail.pause({ for: 0 }), { code: 'OPTION' });
  }));

test('a pause that is over does not keep tasks that were added after it', () =>
  withQueue(async ({ mail, clock }) => {
    await mail.pause({ for: 100 });
    await clock.run(101);
    assert.equal((await mail.counts()).isPaused, false);
    assert.equal(await mail.pause({ for: 100 }), true, 'a new one');
    await clock.run(101);
    assert.equal(await mail.resume(), false, 'it is over');
    await mail.pause({ for: 100 });
    await clock.run(101);
    const seen: string[] = [];
    await using _worker = mail.work(recorder(seen));
    await mail.add(note, 'a');
    await clock.run(1);
    assert.deepEqual(seen, ['a']);
  }));
