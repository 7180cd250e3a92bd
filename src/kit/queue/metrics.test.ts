import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withQueue } from '../../../tests/support/kit-queue.js';
import { defineTask } from './index.js';

const job = defineTask<'works' | 'fails', string>('job', undefined, { attempts: 2 });

test('what happened is counted by minute, for as many minutes as are kept', () =>
  withQueue(
    async ({ mail, clock, store }) => {
      await using _worker = mail.work(
        job.handle(async (what) => {
          await store.time.sleep(10);
          if (what === 'fails') throw new Error(what);
          return what;
        }),
      );
      await mail.addAll(job, [['works'], ['works'], ['fails']]);
      await clock.run(60_000);
      await clock.run(60_000);
      await mail.add(job, 'works');
      await clock.run(20);
      const minutes = await mail.metrics({ minutes: 4 });
      const at = (minute: number): Date => new Date(Date.UTC(2024, 0, 1, 0, minute));
      const none = { completed: 0, retried: 0, dead: 0, busyMs: 0, started: 0, waitedMs: 0 };
      assert.deepEqual(minutes, [
        { at: at(-1), ...none },
        { at: at(0), completed: 2, retried: 1, dead: 1, busyMs: 40, started: 3, waitedMs: 20 },
        { at: at(1), ...none },
        { at: at(2), completed: 1, retried: 0, dead: 0, busyMs: 10, started: 1, waitedMs: 0 },
      ]);
      await clock.run(60_000);
      await mail.add(job, 'works');
      await clock.run(20);
      assert.deepEqual(await store.send('HKEYS', 'queue:{mail}:meta:metrics'), [
        String(at(2).getTime() / 60_000),
        String(at(3).getTime() / 60_000),
      ]);
    },
    { keepMetrics: 3 },
  ));

test('a queue that keeps no metrics has none', () =>
  withQueue(async ({ mail, clock, store }) => {
    await using _worker = mail.work(job.handle((what) => what));
    await mail.add(job, 'works');
    await clock.run(1);
    assert.equal((await mail.metrics()).length, 60);
    assert.ok((await mail.metrics()).every(({ completed }) => completed === 0));
    assert.equal(await store.send('EXISTS', 'queue:{mail}:meta:metrics'), 0);
  }));
