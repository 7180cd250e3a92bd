import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, recorder, turn, withQueue } from '../../../../tests/support/kit-queue.js';
import { queue } from '../index.js';

test('a task whose worker is gone is taken over when its lease ends, by another worker and in its place', () =>
  withQueue(async ({ mail, clock, store }) => {
    const seen: string[] = [];
    await mail.addAll(note, [['a'], ['b'], ['c']]);
    // A worker that hangs from the beginning: it never renews, as if its process had been killed.
    const dying = await store.duplicate();
    const hung = queue(dying, 'mail').work(
      note.handle(() => new Promise<string>(() => {})),
      { lease: 5_000, prefetch: 0 },
    );
    while ((await mail.counts()).active === 0) await turn();
    await dying.close();
    await clock.run(2_000);
    await hung.ended;
    await using _worker = mail.work(recorder(seen), { lease: 5_000 });
    await clock.run(2_999);
    assert.deepEqual(seen, ['b', 'c']);
    await clock.run(1);
    assert.deepEqual(seen, ['b', 'c', 'a']);
    const [task] = (await mail.list('completed')).filter(({ data }) => data === 'a');
    assert.equal(task?.recoveries, 0, 'what is over has no notes');
  }));

test('a long task is renewed and runs once', () =>
  withQueue(async ({ mail, clock, store }) => {
    let runs = 0;
    const long = note.handle(async (text, task) => {
      runs++;
      await store.time.sleep(100_000, { signal: task.signal });
      return text;
    });
    await using _first = mail.work(long, { lease: 3_000 });
    await using _second = mail.work(long, { lease: 3_000 });
    const task = await mail.add(note, 'long');
    await clock.run(100_000);
    assert.equal(await task.result(), 'long');
    assert.equal(runs, 1);
  }));

test('a worker that was paused for too long is told so, and its result is refused', () =>
  withQueue(async ({ mail, clock, store }) => {
    const lost: string[] = [];
    const reasons: unknown[] = [];
    const finish = new Map<string, (text: string) => void>();
    const slow = note.handle((_text, task) => {
      task.signal.addEventListener('abort', () => reasons.push(task.signal.reason));
      return new Promise<string>((resolve) => finish.set(`${task.recoveries}`, resolve));
    });
    const task = await mail.add(note, 'x');
    await using worker = mail.work(slow, {
      lease: 3_000,
      onLost: ({ id }, error) => lost.push(`${id} ${error.code}`),
    });
    while (finish.size === 0) await turn();
    // What the process of the first worker would find when it goes on: the lease has ended and been given away.
    const [lease = ''] = (await store.send('ZRANGE', 'queue:{mail}:active', 0, -1)) as string[];
    await store.send('ZADD', 'queue:{mail}:active', clock.now(), lease);
    await using _second = mail.work(slow, { lease: 3_000 });
    while (finish.size < 2) await turn();
    await clock.run(1_000);
    assert.deepEqual(lost, [`${task.id} LOST`]);
    assert.equal((reasons[0] as { code?: string }).code, 'LOST');
    finish.get('0')?.('from the first');
    await worker.stop();
    assert.equal((await mail.get(task.id))?.state, 'active');
    finish.get('1')?.('from the second');
    assert.equal(await task.result(), 'from the second');
    assert.equal(lost.length, 1);
  }));

test('a task that kills its workers is dead after the number of recoveries allowed', () =>
  withQueue(
    async ({ mail, clock, store }) => {
      const task = await mail.add(note, 'deadly');
      const result = assert.rejects(task.result(), { code: 'DEAD', message: /lease ended 3 times/ });
      for (let i = 0; i < 3; i++) {
        const dying = await store.duplicate();
        const worker = queue(dying, 'mail', { recoveries: 2 }).work(
          note.handle(() => new Promise<string>(() => {})),
          { lease: 1_000 },
        );
        while ((await mail.counts()).active === 0) await turn();
        await dying.close();
        await clock.run(1_000);
        await worker.ended;
      }
      await using _worker = mail.work(recorder([]), { lease: 1_000 });
      await clock.run(1);
      await result;
      assert.equal((await mail.get(task.id))?.recoveries, 3);
    },
    { recoveries: 2 },
  ));
