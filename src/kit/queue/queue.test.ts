import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { type EmbeddedStore, ManualClock, open } from '../../store/index.js';
import { defineTask, flow, NoRetryError, type QueueOptions, queue, type TaskQueue } from './index.js';

/** A queue on a store of its own whose time stands still until `clock` is moved. */
async function withQueue(
  body: (tools: {
    readonly mail: TaskQueue;
    readonly clock: ManualClock;
    readonly store: EmbeddedStore;
  }) => Promise<void>,
  options: QueueOptions = {},
): Promise<void> {
  const clock = new ManualClock(Date.UTC(2024, 0, 1));
  await using store = await open('memory:', { clock });
  await body({ mail: queue(store, 'mail', options), clock, store });
}

const note = defineTask<string, string>('note');

/** A handler that writes down what it gets. */
function recorder(seen: string[]) {
  return note.handle((text) => {
    seen.push(text);
    return text;
  });
}

test('tasks are worked on in the order in which they were added', () =>
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

test('a delayed task is begun when it is due and not before', () =>
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

test('a task that fails is tried again after its back-off, and dead after its last attempt', () =>
  withQueue(async ({ mail, clock }) => {
    const begun = clock.now();
    const attempts: [number, number][] = [];
    const failing = defineTask<null>('failing', undefined, {
      attempts: 4,
      backoff: { kind: 'exponential', delay: 1_000, max: 3_000, jitter: 0.5 },
    });
    const handler = failing.handle((_data, task) => {
      attempts.push([task.attempt, clock.now() - begun]);
      throw new TypeError(`attempt ${task.attempt}`);
    });
    await using _worker = mail.work(handler, { random: () => 1 });
    const task = await mail.add(failing, null);
    const result = assert.rejects(task.result(), { code: 'DEAD', message: /failed for good: attempt 4$/ });
    await clock.run(60_000);
    await result;
    assert.deepEqual(attempts, [
      [1, 0],
      [2, 500],
      [3, 1_500],
      [4, 3_000],
    ]);
    const [dead] = await mail.list('dead');
    assert.equal(dead?.id, task.id);
    assert.equal(dead?.failures, 4);
    assert.equal(dead?.error?.name, 'TypeError');
    assert.equal(dead?.at?.getTime(), begun + 3_000);
  }));

test('a task that cannot succeed is dead at once, and so is one whose data its schema refuses', () =>
  withQueue(async ({ mail, store }) => {
    const options = { attempts: 5 };
    const hopeless = defineTask<null>('hopeless', undefined, options);
    const loose = defineTask<unknown>('number', undefined, options);
    const strict = defineTask('number', numberSchema, options);
    const handlers = [
      hopeless.handle(() => {
        throw new NoRetryError('never');
      }),
      strict.handle((value) => value.toFixed(1)),
    ];
    await using _worker = mail.work(handlers);
    await assert.rejects((await mail.add(hopeless, null)).result(), { code: 'DEAD', message: /never/ });
    await assert.rejects((await mail.add(loose, 'x')).result(), {
      code: 'DEAD',
      message: /the data of task 'number' is not valid: must be a number/,
    });
    await assert.rejects(mail.add(strict, Number('x')), { code: 'INVALID' });
    assert.equal(await (await mail.add(strict, 2)).result(), '2.0');
    assert.deepEqual(
      (await mail.list('dead')).map((task) => task.failures),
      [1, 1],
    );
    assert.equal(await store.send('HLEN', 'queue:{mail}:holders'), 0);
  }));

test('dead tasks can be replayed, one or all', () =>
  withQueue(async ({ mail, clock }) => {
    let isBroken = true;
    const fragile = defineTask<number, number>('fragile', undefined, { attempts: 2 });
    await using _worker = mail.work(
      fragile.handle((n, task) => {
        if (isBroken) throw new Error('broken');
        return n * 10 + task.attempt;
      }),
    );
    const tasks = await mail.addAll(fragile, [[1], [2], [3]]);
    for (const task of tasks) await assert.rejects(task.result(), { code: 'DEAD' });
    isBroken = false;
    assert.equal(await mail.retry(tasks[1]?.id ?? ''), true);
    assert.equal(await tasks[1]?.result(), 21);
    assert.equal(await mail.retry(tasks[1]?.id ?? ''), false);
    assert.equal(await mail.replay(), 2);
    await clock.run(1);
    assert.deepEqual(await Promise.all(tasks.map((task) => task.result())), [11, 21, 31]);
    assert.equal((await mail.counts()).dead, 0);
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

test('a dead task gives its key up and cannot be replayed while another one has it', () =>
  withQueue(async ({ mail }) => {
    const failing = defineTask<null>('failing');
    const handler = failing.handle(() => {
      throw new Error('broken');
    });
    const first = await mail.add(failing, null, { key: 'k' });
    await using worker = mail.work(handler);
    await assert.rejects(first.result(), { code: 'DEAD' });
    await worker.stop();
    const second = await mail.add(failing, null, { key: 'k' });
    assert.equal(second.isNew, true);
    await assert.rejects(mail.retry(first.id), { code: 'KEY_TAKEN' });
    assert.equal(await mail.replay(), 0);
    await mail.remove(second.id);
    assert.equal(await mail.retry(first.id), true);
  }));

test('a parent begins after its children and gets what they came to', () =>
  withQueue(async ({ mail }) => {
    const order: string[] = [];
    const part = defineTask<number, number>('part', undefined, { attempts: 2 });
    const sum = defineTask<string, number>('sum');
    const handlers = [
      part.handle((n, task) => {
        if (n === 2 && task.attempt === 1) throw new Error('once');
        order.push(`part ${n}`);
        return n;
      }),
      sum.handle(async (text, task) => {
        order.push(text);
        const inputs = [...(await task.inputs()).values()];
        return inputs.map(Number).reduce((a, b) => a + b, 0);
      }),
    ];
    const inner = flow(sum, 'inner', [flow(part, 1), flow(part, 2)]);
    const added = await mail.addFlow(flow(sum, 'outer', [inner, flow(part, 3)]));
    assert.equal((await mail.counts()).blocked, 2);
    await using _worker = mail.work(handlers);
    assert.equal(await added.result(), 6);
    assert.deepEqual(order, ['part 1', 'part 3', 'part 2', 'inner', 'outer']);
    assert.equal(await added.children[0]?.result(), 3);
    const later = await mail.add(sum, 'later', { after: [added.id, added.children[1]?.id ?? ''] });
    assert.equal(await later.result(), 9);
    await assert.rejects(mail.add(sum, 'x', { after: ['9999999999999999'] }), {
      code: 'NOTASK',
      message: /there is no task 9999999999999999/,
    });
  }));

test('a child that dies holds its parent back until it is replayed or removed', () =>
  withQueue(async ({ mail }) => {
    let isBroken = true;
    const child = defineTask<null>('child');
    const parent = defineTask<null, string>('parent');
    const handlers = [
      child.handle(() => {
        if (isBroken) throw new Error('broken');
      }),
      parent.handle(() => 'done'),
    ];
    await using _worker = mail.work(handlers);
    const first = await mail.addFlow(flow(parent, null, [flow(child, null)]));
    const second = await mail.addFlow(flow(parent, null, [flow(child, null)]));
    for (const { children } of [first, second]) await assert.rejects(children[0]!.result(), { code: 'DEAD' });
    assert.equal((await mail.counts()).blocked, 2);
    isBroken = false;
    assert.equal(await mail.retry(first.children[0]!.id), true);
    assert.equal(await first.result(), 'done');
    assert.equal(await mail.remove(second.children[0]!.id), true);
    assert.equal(await second.result(), 'done');
  }));

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

test('an interval keeps its rhythm, and what was missed without a worker is made up for by one task', () =>
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

test('a task that kills its workers is dead after so many recoveries', () =>
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

test('at most so many tasks begin within any window of the rate limit', () =>
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

test('a paused queue takes tasks in and gives none out', () =>
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

test('a worker that is stopped finishes what it has begun and gives back the rest', () =>
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

test('tasks taken ahead are given back when a long one holds them up', () =>
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

test('progress is told to whoever watches, and kept', () =>
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

test('the stream of events is trimmed, and can be read from where one was', () =>
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

test('an idle worker asks nothing', () =>
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

test('options that do not exist or make no sense are refused with what to do', () =>
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

test('a task that no handler is for fails and says so', () =>
  withQueue(async ({ mail }) => {
    await using _worker = mail.work(recorder([]));
    const task = await mail.add(defineTask<null>('other'), null);
    await assert.rejects(task.result(), { code: 'DEAD', message: /no handler for tasks 'other'/ });
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

const numberSchema = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) =>
      typeof value === 'number' && !Number.isNaN(value)
        ? { value }
        : { issues: [{ message: 'must be a number' }] },
  },
} as const;

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
