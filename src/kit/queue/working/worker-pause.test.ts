import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, recorder, withQueue } from '../../../../tests/support/kit-queue.js';

const LONG = { lease: 600_000 };

test('a paused worker takes no tasks until it is resumed, and leaves them to others', () =>
  withQueue(async ({ mail, clock }) => {
    const [here, there]: [string[], string[]] = [[], []];
    await using first = mail.work(recorder(here), LONG);
    await clock.run(1);
    await first.pause();
    await first.pause();
    assert.equal(first.isPaused, true);
    await mail.add(note, 'a');
    await clock.run(1_000);
    assert.deepEqual([here, (await mail.counts()).waiting], [[], 1]);
    await using second = mail.work(recorder(there), LONG);
    await mail.add(note, 'b');
    await clock.run(1);
    assert.deepEqual([here, there], [[], ['a', 'b']]);
    await second.pause();
    await mail.add(note, 'c');
    first.resume();
    await clock.run(1);
    assert.deepEqual([here, first.isPaused], [['c'], false]);
  }));

test('a pause waits for running tasks, and returns those taken ahead', () =>
  withQueue(async ({ mail, clock, store }) => {
    const slow = note.handle(async (text) => {
      await store.time.sleep(1_000);
      return text;
    });
    await mail.addAll(note, [['a'], ['b'], ['c']]);
    await using worker = mail.work(slow, { ...LONG, prefetch: 1 });
    await clock.run(1);
    assert.equal((await mail.counts()).active, 2);
    let isPaused = false;
    const paused = worker.pause().then(() => {
      isPaused = true;
    });
    await clock.run(500);
    const counts = await mail.counts();
    assert.deepEqual([isPaused, counts.active, counts.waiting], [false, 1, 2]);
    await clock.run(600);
    await paused;
    const after = await mail.counts();
    assert.deepEqual([after.completed, after.waiting, worker.running], [1, 2, 0]);
    worker.resume();
    await clock.run(2_100);
    assert.equal((await mail.counts()).completed, 3);
  }));

test('a worker passes its timer for the next due task on when it is paused', () =>
  withQueue(async ({ mail, clock }) => {
    const [here, there]: [string[], string[]] = [[], []];
    await using first = mail.work(recorder(here), LONG);
    await clock.run(1);
    await mail.add(note, 'later', { delay: 5_000 });
    await clock.run(1);
    await using _second = mail.work(recorder(there), LONG);
    await clock.run(1);
    await first.pause();
    await clock.run(5_000);
    assert.deepEqual([here, there], [[], ['later']]);
  }));

test('a paused worker can be stopped, and a stopped one paused', () =>
  withQueue(async ({ mail, clock }) => {
    const worker = mail.work(recorder([]), LONG);
    await clock.run(1);
    const both = Promise.all([worker.pause(), worker.stop()]);
    await clock.run(1);
    await both;
    await worker.pause();
    worker.resume();
    assert.equal(worker.isStopped, true);
  }));

test('a pause can have a time limit, after which the worker is paused, too', () =>
  withQueue(async ({ mail, clock, store }) => {
    const slow = note.handle(async (text) => {
      await store.time.sleep(1_000);
      return text;
    });
    await mail.addAll(note, [['a'], ['b']]);
    await using worker = mail.work(slow, LONG);
    await clock.run(1);
    const late = assert.rejects(worker.pause({ within: 500 }), { code: 'TIMEOUT', message: /within 500 ms/ });
    const inTime = worker.pause({ within: 5_000 });
    await clock.run(500);
    await late;
    assert.equal(worker.isPaused, true);
    await clock.run(500);
    await inTime;
    await clock.run(5_000);
    assert.deepEqual([(await mail.counts()).completed, (await mail.counts()).waiting], [1, 1]);
    await assert.rejects(worker.pause({ whithin: 5 } as never), { code: 'OPTION', message: /within/ });
    worker.resume();
    await clock.run(1_000);
  }));
