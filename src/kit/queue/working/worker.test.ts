import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, recorder, withQueue } from '../../../../tests/support/kit-queue.js';

test('no more tasks start within any window than the rate limit allows', () =>
  withQueue(async ({ mail, clock }) => {
    const begun = clock.now();
    const times: number[] = [];
    await mail.limit({ tasks: 3, per: 1_000 });
    await mail.addAll(
      note,
      Array.from({ length: 8 }, (_, i) => [`${i}`]),
    );
    const handler = note.handle(() => {
      times.push(clock.now() - begun);
      return '';
    });
    await using _first = mail.work(handler, { concurrency: 2 });
    await using _second = mail.work(handler, { concurrency: 2 });
    await clock.run(10_000);
    assert.deepEqual(times, [0, 0, 0, 1_000, 1_000, 1_000, 2_000, 2_000]);
    await mail.limit(undefined);
    await mail.addAll(
      note,
      Array.from({ length: 8 }, (_, i) => [`${i}`]),
    );
    await clock.run(1);
    assert.equal(times.length, 16);
  }));

test('a paused queue accepts tasks and starts none', () =>
  withQueue(async ({ mail, clock }) => {
    const seen: string[] = [];
    await using _worker = mail.work(recorder(seen));
    assert.deepEqual([await mail.pause(), await mail.pause()], [true, false]);
    await mail.add(note, 'a');
    await mail.add(note, 'b', { delay: 1_000 });
    await clock.run(100_000);
    assert.deepEqual(seen, []);
    assert.deepEqual(await mail.counts(), {
      waiting: 2,
      setAside: 0,
      delayed: 0,
      active: 0,
      blocked: 0,
      completed: 0,
      dead: 0,
      schedules: 0,
      isPaused: true,
    });
    assert.deepEqual([await mail.resume(), await mail.resume()], [true, false]);
    await clock.run(1);
    assert.deepEqual(seen, ['a', 'b']);
  }));

test('a stopped worker finishes its running tasks and returns the rest', () =>
  withQueue(async ({ mail, clock, store }) => {
    const done: string[] = [];
    const slow = note.handle(async (text) => {
      await store.time.sleep(1_000);
      done.push(text);
      return text;
    });
    await mail.addAll(note, [['a'], ['b'], ['c'], ['d']]);
    const worker = mail.work(slow, { concurrency: 2, prefetch: 1 });
    await clock.run(1);
    assert.deepEqual(
      (await mail.list('waiting')).map((task) => task.data),
      ['d'],
    );
    const stopped = worker.stop();
    await clock.run(1);
    assert.deepEqual(
      (await mail.list('waiting')).map((task) => task.data),
      ['c', 'd'],
    );
    await clock.run(2_000);
    await stopped;
    assert.deepEqual(done, ['a', 'b']);
    assert.equal((await mail.counts()).completed, 2);
    // One that has no time left gives back what it is at.
    const hasty = mail.work(slow);
    await clock.run(1);
    const over = hasty.stop({ within: 100 });
    await clock.run(100);
    await over;
    assert.deepEqual(
      (await mail.list('waiting')).map((task) => task.data),
      ['c', 'd'],
    );
  }));

test('tasks taken ahead are returned when a long one delays them', () =>
  withQueue(async ({ mail, clock, store }) => {
    const seen: string[] = [];
    const handler = note.handle(async (text, task) => {
      if (text === 'long') await store.time.sleep(3_600_000, { signal: task.signal });
      seen.push(text);
      return text;
    });
    await mail.addAll(note, [['a'], ['b'], ['long'], ['c'], ['d']]);
    const first = mail.work(handler);
    await clock.run(50);
    assert.deepEqual(seen, ['a', 'b']);
    assert.equal((await mail.counts()).active, 3, 'the long one and two taken ahead');
    await using _second = mail.work(handler);
    await clock.run(100);
    assert.deepEqual(seen, ['a', 'b', 'c', 'd']);
    const stopped = first.stop({ within: 0 });
    await clock.run(1);
    await stopped;
    await clock.run(3_600_000);
    assert.equal(seen.at(-1), 'long');
  }));

test('an idle worker sends nothing', () =>
  withQueue(async ({ mail, clock, store }) => {
    await using _worker = mail.work(recorder([]), { lease: 3_600_000 });
    await clock.run(1);
    const calls = async (): Promise<number> => {
      const info = String(await store.send('INFO', 'stats'));
      return Number(/total_commands_processed:(\d+)/.exec(info)?.[1]);
    };
    const before = await calls();
    await clock.run(3_599_000);
    assert.equal((await calls()) - before, 1, 'only the INFO itself');
  }));
