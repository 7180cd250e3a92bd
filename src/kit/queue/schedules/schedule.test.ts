import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, recorder, withQueue } from '../../../../tests/support/kit-queue.js';

test('a cron schedule adds its task at each of its times, for weeks', () =>
  withQueue(async ({ mail, clock }) => {
    const times: string[] = [];
    await using _worker = mail.work(
      note.handle(() => {
        times.push(new Date(clock.now()).toISOString().slice(5, 16));
        return '';
      }),
      { lease: 3_600_000 },
    );
    const schedule = await mail.schedule('report', note, 'report', { cron: '30 3 * * MON-FRI' });
    assert.equal(schedule.next.toISOString(), '2024-01-01T03:30:00.000Z');
    await clock.run(14 * 86_400_000);
    const days = ['01', '02', '03', '04', '05', '08', '09', '10', '11', '12'];
    assert.deepEqual(
      times,
      days.map((day) => `01-${day}T03:30`),
    );
    assert.equal(await mail.unschedule('report'), true);
    assert.equal(await mail.unschedule('report'), false);
    await clock.run(14 * 86_400_000);
    assert.equal(times.length, 10);
  }));

test('a schedule keeps its interval, and adds one task for all times missed without a worker', () =>
  withQueue(async ({ mail, clock }) => {
    const begun = clock.now();
    const times: number[] = [];
    const handler = note.handle(() => {
      times.push(clock.now() - begun);
      return '';
    });
    await mail.schedule('tick', note, 'tick', { every: 1_000, until: new Date(begun + 20_000) });
    await clock.run(500);
    assert.equal(
      (
        await mail.schedule('tick', note, 'tick', { every: 1_000, until: new Date(begun + 20_000) })
      ).next.getTime(),
      begun + 1_000,
    );
    const worker = mail.work(handler);
    await clock.run(2_500);
    await worker.stop();
    assert.deepEqual(times, [1_000, 2_000, 3_000]);
    await clock.run(4_300);
    await using _second = mail.work(handler);
    await clock.run(1_700);
    assert.deepEqual(times.slice(3), [7_300, 8_000, 9_000]);
    await clock.run(60_000);
    assert.equal(times.at(-1), 20_000);
    assert.deepEqual(await mail.schedules(), []);
  }));

test('a schedule that cannot be parsed blocks nothing else', () =>
  withQueue(async ({ mail, clock, store }) => {
    await store.send('HSET', 'queue:{mail}:schedules', 'broken', 'no JSON');
    await store.send('ZADD', 'queue:{mail}:occurrences', clock.now(), 'broken');
    const troubles: unknown[] = [];
    const seen: string[] = [];
    await using _worker = mail.work(recorder(seen), { onError: (error) => troubles.push(error) });
    for (const text of ['a', 'b', 'c']) await mail.add(note, text);
    await clock.run(10_000);
    assert.deepEqual(seen, ['a', 'b', 'c']);
    assert.equal((await mail.counts()).active, 0);
    assert.ok(troubles.length >= 1 && troubles.length < 30, `${troubles.length} complaints`);
  }));

test('a schedule with a time zone follows its clock changes', () =>
  withQueue(async ({ mail, clock }) => {
    await clock.run(Date.UTC(2024, 2, 29) - clock.now());
    const begun: string[] = [];
    const handler = note.handle((text) => {
      begun.push(new Date(clock.now()).toISOString().slice(5, 16));
      return text;
    });
    await using _worker = mail.work(handler);
    const made = await mail.schedule('breakfast', note, 'tea', {
      cron: '0 8 * * *',
      timeZone: 'Europe/Berlin',
    });
    assert.deepEqual([made.timeZone, made.next.toISOString()], ['Europe/Berlin', '2024-03-29T07:00:00.000Z']);
    await clock.run(4 * 86_400_000);
    assert.deepEqual(begun, ['03-29T07:00', '03-30T07:00', '03-31T06:00', '04-01T06:00']);
    assert.equal((await mail.schedules())[0]?.timeZone, 'Europe/Berlin');
    await assert.rejects(mail.schedule('x', note, 'x', { every: 5, timeZone: 'UTC' } as never), {
      code: 'OPTION',
      message: /for `cron` only/,
    });
    await assert.rejects(mail.schedule('x', note, 'x', { every: 5, until: new Date(Number.NaN) }), {
      code: 'OPTION',
      message: /`until` must be a valid Date/,
    });
  }));
