import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, recorder, withQueue } from '../../../../tests/support/kit-queue.js';
import { defineTask } from '../index.js';

test('a throttled task is added once in its time, even if it is over', () =>
  withQueue(async ({ mail, clock, store }) => {
    const seen: string[] = [];
    await using _worker = mail.work(recorder(seen));
    const throttle = { key: 'report', per: 1_000 };
    const first = await mail.add(note, 'a', { throttle });
    await clock.run(500);
    const second = await mail.add(note, 'b', { throttle });
    assert.deepEqual([first.isNew, second.isNew, second.id], [true, false, first.id]);
    assert.equal((await mail.add(note, 'c', { throttle: { key: 'other', per: 1_000 } })).isNew, true);
    await clock.run(499);
    assert.equal((await mail.add(note, 'd', { throttle })).isNew, false);
    await clock.run(1);
    assert.equal((await mail.add(note, 'e', { throttle })).isNew, true);
    await clock.run(1);
    assert.deepEqual(seen, ['a', 'c', 'e']);
    await clock.run(10_000);
    for (let i = 0; i < 30; i++) {
      await mail.add(note, 'x', { throttle: { key: `${i}`, per: 100 } });
      await clock.run(200);
    }
    assert.equal(await store.send('HLEN', 'queue:{mail}:unique:ids'), 1, 'what is over is removed');
    assert.equal(await store.send('ZCARD', 'queue:{mail}:unique:until'), 1);
  }));

test('a debounced task runs once, with the last data, after a quiet time', () =>
  withQueue(async ({ mail, clock, store }) => {
    const seen: string[] = [];
    await using _worker = mail.work(recorder(seen));
    const debounce = { key: 'page 7', wait: 1_000 };
    const first = await mail.add(note, 'a', { debounce });
    for (const text of ['b', 'c', 'd']) {
      await clock.run(900);
      const again = await mail.add(note, text, { debounce });
      assert.deepEqual([again.id, again.isNew], [first.id, false]);
    }
    assert.deepEqual(seen, []);
    const shown = await mail.get(first.id);
    assert.deepEqual([shown?.data, shown?.key, shown?.state], ['d', 'page 7', 'delayed']);
    await clock.run(1_000);
    assert.deepEqual(seen, ['d']);
    assert.equal((await mail.add(note, 'e', { debounce })).isNew, true);
    await clock.run(1_000);
    assert.deepEqual(seen, ['d', 'e']);
    assert.equal(await store.send('EXISTS', 'queue:{mail}:unique'), 0);
  }));

test('a debounced task waits no longer than its max', () =>
  withQueue(async ({ mail, clock }) => {
    const seen: string[] = [];
    await using _worker = mail.work(recorder(seen));
    const debounce = { key: 'k', wait: 1_000, max: 2_500 };
    for (let i = 0; i < 6; i++) {
      await mail.add(note, `${i}`, { debounce });
      await clock.run(600);
    }
    assert.deepEqual(seen, ['4']);
    await clock.run(2_000);
    assert.deepEqual(seen, ['4', '5']);
  }));

test('a debounced task that has started is not changed; the next one is new', () =>
  withQueue(async ({ mail, clock, store }) => {
    const seen: string[] = [];
    const slow = note.handle(async (text) => {
      await store.time.sleep(5_000);
      seen.push(text);
      return text;
    });
    await using _worker = mail.work(slow, { concurrency: 2 });
    const debounce = { key: 'k', wait: 100 };
    const first = await mail.add(note, 'a', { debounce });
    await clock.run(200);
    const second = await mail.add(note, 'b', { debounce });
    assert.notEqual(second.id, first.id);
    await clock.run(10_000);
    assert.deepEqual(seen, ['a', 'b']);
    assert.equal((await mail.add(note, 'c', { debounce })).isNew, true);
  }));

test('debounce goes by the kind too, and contradictions are refused', () =>
  withQueue(async ({ mail }) => {
    const other = defineTask<string>('other');
    const debounce = { key: 'k', wait: 100 };
    const one = await mail.add(note, 'a', { debounce });
    const two = await mail.add(other, 'a', { debounce });
    assert.notEqual(one.id, two.id);
    assert.equal((await mail.add(note, 'a', { key: 'k' })).isNew, true);
    for (const options of [
      { debounce, delay: 5 },
      { debounce, key: 'k' },
      { debounce, throttle: { key: 'k', per: 5 } },
      { debounce: { key: 'k' } },
      { debounce: { key: 'k', wait: 0 } },
      { throttle: { key: '', per: 5 } },
      { throttle: 5 },
    ]) {
      await assert.rejects(mail.add(note, 'x', options as never), { code: 'OPTION' });
    }
  }));
