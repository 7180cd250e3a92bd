import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { note, withQueue } from '../../../../tests/support/kit-queue.js';
import { defineTask, type Failure } from '../index.js';

test('a function decides the delay before the next attempt, or that there is none', () =>
  withQueue(async ({ mail, clock }) => {
    const failures: Failure[] = [];
    const fragile = defineTask<string>('fragile', undefined, {
      attempts: 10,
      backoff: (failure) => {
        failures.push(failure);
        return failure.failures < 3 ? failure.failures * 1_000 : undefined;
      },
    });
    const begun: number[] = [];
    await using _worker = mail.work(
      fragile.handle((text) => {
        begun.push(clock.now());
        throw new Error(text);
      }),
    );
    const start = clock.now();
    const task = await mail.add(fragile, 'broken', { id: 'mine' });
    await clock.run(20_000);
    assert.deepEqual(
      begun.map((at) => at - start),
      [0, 1_000, 3_000],
    );
    await assert.rejects(task.result(), { code: 'DEAD', message: /broken/ });
    assert.deepEqual(
      failures.map(({ failures: count, id, data, error }) => [count, id, data, (error as Error).message]),
      [1, 2, 3].map((count) => [count, 'mine', 'broken', 'broken']),
    );
    await mail.add(fragile, 'own', { backoff: { kind: 'fixed', delay: 1 }, attempts: 2 });
    await clock.run(1_000);
    assert.equal(failures.length, 3, 'the back-off of a task goes before that of its definition');
    await assert.rejects(mail.add(fragile, 'x', { backoff: (() => 1) as never }), { code: 'OPTION' });
  }));

test('a function for the delay that fails makes the task dead, and says why', () =>
  withQueue(async ({ mail, clock }) => {
    const kinds = [() => Number.NaN, () => -1, () => 'soon' as never, () => assert.fail('oh dear')].map(
      (backoff, index) => defineTask<null>(`kind ${index}`, undefined, { attempts: 5, backoff }),
    );
    await using _worker = mail.work(
      kinds.map((kind) =>
        kind.handle(() => {
          throw new Error('x');
        }),
      ),
    );
    for (const kind of kinds) await mail.add(kind, null);
    await clock.run(1_000);
    const messages = (await mail.list('dead')).map(({ error }) => error?.message);
    assert.equal(messages.length, 4);
    assert.match(messages[0] ?? '', /`backoff` of task 'kind 0' returned NaN/);
    assert.match(messages[3] ?? '', /oh dear/);
  }));

test('an attempt that takes longer than its time limit has failed, and its signal aborts', () =>
  withQueue(async ({ mail, clock, store }) => {
    const slow = defineTask<number, string>('slow', undefined, { attempts: 2, timeLimit: 1_000 });
    const reasons: unknown[] = [];
    await using worker = mail.work(
      slow.handle(async (ms, { signal }) => {
        signal.addEventListener('abort', () => reasons.push((signal.reason as { code: string }).code));
        await store.time.sleep(ms);
        return 'late';
      }),
    );
    const fast = await mail.add(slow, 999);
    const late = await mail.add(slow, 5_000);
    const patient = await mail.add(slow, 5_000, { timeLimit: 10_000 });
    await clock.run(20_000);
    assert.equal(await fast.result(), 'late');
    await assert.rejects(late.result(), { code: 'DEAD', message: /longer than its `timeLimit` of 1000 ms/ });
    assert.equal(await patient.result(), 'late');
    assert.deepEqual(reasons, ['TIMEOUT', 'TIMEOUT']);
    const dead = await mail.get(late.id);
    assert.deepEqual([dead?.failures, dead?.error?.code], [2, 'TIMEOUT']);
    assert.equal(worker.running, 0);
  }));

test('a batch handler gets the tasks that wait, and settles each of them', () =>
  withQueue(async ({ mail, clock }) => {
    const row = defineTask('row', z.number(), { result: z.string() });
    const sizes: number[] = [];
    await mail.addAll(
      row,
      Array.from({ length: 25 }, (_, i) => [i] as const),
    );
    await using _worker = mail.work(
      row.handleBatch(
        async (tasks) => {
          sizes.push(tasks.length);
          return tasks.map(({ data, task }) => {
            if (data === 7) return new Error('no seven');
            if (data === 8) return 8 as never;
            return `${data} ${task.attempt}`;
          });
        },
        { size: 10 },
      ),
    );
    await clock.run(1_000);
    assert.deepEqual(sizes, [10, 10, 5]);
    const done = (await mail.list('completed')).map(({ result }) => result);
    assert.equal(done.length, 23);
    assert.ok(done.includes('24 1'));
    const dead = await mail.list('dead');
    assert.deepEqual(
      dead.map(({ data, error }) => [data, error?.code]),
      [
        [7, undefined],
        [8, 'INVALID'],
      ],
    );
  }));

test('a batch handler that throws fails its tasks, and one that returns too few results too', () =>
  withQueue(async ({ mail, clock }) => {
    const row = defineTask<number, number>('row', undefined, { attempts: 2 });
    let calls = 0;
    await mail.addAll(row, [[1], [2], [3]]);
    await using _worker = mail.work(
      row.handleBatch(
        (tasks) => {
          calls++;
          if (calls === 1) throw new Error('the database is away');
          return tasks.slice(1).map(({ data }) => data);
        },
        { size: 10 },
      ),
    );
    await clock.run(1_000);
    assert.equal(calls, 2);
    const dead = await mail.list('dead');
    assert.equal(dead.length, 3);
    assert.match(dead[0]?.error?.message ?? '', /one result for each of its 3 tasks/);
    assert.throws(() => row.handleBatch(() => [], { size: 0 }), { code: 'OPTION' });
    assert.throws(() => row.handleBatch(() => [], {} as never), { code: 'OPTION', message: /size/ });
  }));

test('batches and single handlers share a worker, and concurrency counts handlers', () =>
  withQueue(async ({ mail, clock, store }) => {
    const row = defineTask<number>('row');
    let running = 0;
    let most = 0;
    const busy = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await store.time.sleep(10);
      running--;
    };
    const sizes: number[] = [];
    await using _worker = mail.work(
      [
        row.handleBatch(
          async (tasks) => {
            sizes.push(tasks.length);
            await busy();
            return undefined;
          },
          { size: 5 },
        ),
        note.handle(async (text) => {
          await busy();
          return text;
        }),
      ],
      { concurrency: 2, prefetch: 0 },
    );
    for (let i = 0; i < 20; i++) {
      await mail.add(row, i);
      if (i % 4 === 0) await mail.add(note, `${i}`);
    }
    await clock.run(1_000);
    assert.equal(most, 2);
    assert.equal(
      sizes.reduce((a, b) => a + b, 0),
      20,
    );
    assert.ok(sizes.some((size) => size > 1));
    assert.equal((await mail.counts()).completed, 25);
  }));

test('a task has a log, of the last lines', () =>
  withQueue(
    async ({ mail, clock, store }) => {
      let isBroken = true;
      const chatty = defineTask<null>('chatty', undefined, { attempts: 2 });
      await using _worker = mail.work(
        chatty.handle(async (_data, task) => {
          await task.log(`attempt ${task.attempt}\nbegins äöü`);
          await task.log('works');
          await assert.rejects(task.log(7 as never), { code: 'OPTION' });
          if (isBroken) {
            isBroken = false;
            throw new Error('x');
          }
        }),
      );
      const task = await mail.add(chatty, null, { id: 'mine' });
      const other = await mail.add(chatty, null);
      await clock.run(1);
      assert.deepEqual(await mail.log(task.id), ['works', 'attempt 2\nbegins äöü', 'works']);
      assert.deepEqual(await mail.log(other.id), ['attempt 1\nbegins äöü', 'works']);
      assert.deepEqual(await mail.log('unknown'), []);
      await mail.clean('completed');
      assert.equal(await store.send('EXISTS', 'queue:{mail}:tasks:logs'), 0);
    },
    { keepLog: 3 },
  ));

test('the data of a task can be replaced, by its handler and by others', () =>
  withQueue(async ({ mail, clock }) => {
    const counter = defineTask('counter', z.object({ from: z.number() }), { attempts: 3 });
    const seen: number[] = [];
    await using _worker = mail.work(
      counter.handle(async ({ from }, task) => {
        seen.push(from);
        await assert.rejects(task.update({ from: 'x' }), { code: 'INVALID' });
        await task.update({ from: from + 10 });
        if (task.attempt < 3) throw new Error('again');
      }),
    );
    const task = await mail.add(counter, { from: 1 });
    await clock.run(1);
    assert.deepEqual(seen, [1, 11, 21]);
    assert.equal(await mail.update(task.id, counter, { from: 5 }), false, 'it is completed');
    const later = await mail.add(counter, { from: 1 }, { delay: 1_000, id: 'mine' });
    assert.equal(await mail.update('mine', counter, { from: 100 }), true);
    await assert.rejects(mail.update('mine', counter, { from: 'x' } as never), { code: 'INVALID' });
    await assert.rejects(mail.update('mine', note, 'x'), { code: 'OPTION', message: /kind 'counter'/ });
    assert.equal(await mail.update('unknown', counter, { from: 1 }), false);
    await clock.run(1_000);
    await later.result();
    assert.deepEqual(seen.slice(3), [100, 110, 120]);
  }));

test('a wait for a result can have a time limit', () =>
  withQueue(async ({ mail, clock }) => {
    const task = await mail.add(note, 'x', { id: 'slow' });
    const waits = assert.rejects(task.result({ wait: 500 }), {
      code: 'TIMEOUT',
      message: /task slow has no result after 500 ms/,
    });
    await clock.run(499);
    await clock.run(1);
    await waits;
    const patient = task.result({ wait: 5_000 });
    await using _worker = mail.work(note.handle((text) => text));
    await clock.run(1);
    assert.equal(await patient, 'x');
    await assert.rejects(task.result({ wait: -1 }), { code: 'OPTION' });
  }));

test('tasks of one state can be read one after the other, however many there are', () =>
  withQueue(async ({ mail, clock }) => {
    async function* texts(): AsyncGenerator<readonly [string]> {
      for (let i = 0; i < 2_500; i++) yield [`${i}`];
    }
    const added = await mail.addAll(note, texts());
    assert.equal(added.length, 2_500);
    assert.equal(new Set(added.map(({ id }) => id)).size, 2_500);
    const seen: unknown[] = [];
    // Tasks are taken from the front while the others are read.
    await using worker = mail.work(
      note.handle((text) => text),
      { concurrency: 3, prefetch: 0 },
    );
    const stops = mail.pause();
    for await (const { data } of mail.iterate('waiting')) {
      seen.push(data);
      if (seen.length === 450) {
        await stops;
        await mail.resume();
        while ((await mail.counts()).waiting > 1_800) await clock.run(1);
        await mail.pause();
      }
    }
    const begun = 2_500 - (await mail.counts()).waiting;
    assert.equal(new Set(seen).size, seen.length, 'none twice');
    const missing = added.slice(begun).filter((_, i) => !seen.includes(`${begun + i}`));
    assert.deepEqual(missing, [], 'all that stayed');
    await mail.resume();
    while ((await mail.counts()).completed < 1_000) await clock.run(10);
    await worker.stop();
    assert.equal((await mail.list('completed', { limit: 5_000 })).length, (await mail.counts()).completed);
    assert.throws(() => mail.iterate('wating' as never), { code: 'OPTION' });
  }));
