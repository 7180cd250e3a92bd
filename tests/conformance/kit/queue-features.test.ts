import assert from 'node:assert/strict';
import { trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import {
  type AddedTask,
  defineTask,
  flow,
  PostponeError,
  queue,
  type TaskHandler,
} from '../../../src/kit/queue/index.js';
import { Tracing } from '../../support/telemetry.js';
import { onEveryStore, prepareServers, rejectsWith, until } from './support.js';

prepareServers();

const note = defineTask<string, string>('note');
const echo = note.handle((text) => text);

/** So long that a worker which is not woken makes its test run out of time. */
const NEVER = 600_000;

/** A module for a handler in its own thread or process. */
const HANDLER = new URL('../../support/sandboxed-handler.mjs', import.meta.url);

/** A handler that records what it receives. */
function recorder(seen: string[]): TaskHandler {
  return note.handle((text) => {
    seen.push(text);
    return text;
  });
}

onEveryStore('Features of task queues', (test) => {
  test('own ids, the last in first, logs, new data, a function for the back-off', async (store, {
    space,
  }) => {
    const mail = queue(store, space);
    const chatty = defineTask<number, number>('chatty', undefined, {
      attempts: 3,
      backoff: ({ failures }) => (failures < 2 ? 1 : undefined),
    });
    const first = await mail.add(chatty, 1, { id: 'mine' });
    assert.equal((await mail.add(chatty, 1, { id: 'mine' })).isNew, false);
    await mail.add(note, 'last');
    await mail.add(note, 'first', { lifo: true });
    assert.deepEqual(
      (await mail.list('waiting')).map(({ data }) => data),
      ['first', 1, 'last'],
    );
    assert.equal(await mail.update('mine', chatty, 5), true);
    const handler = chatty.handle(async (n, task) => {
      await task.log(`${task.id} ${n}`);
      await task.update(n + 1);
      throw new Error('always');
    });
    await using _worker = mail.work([handler, echo], { lease: NEVER });
    await rejectsWith(first.result(), 'DEAD', /always/);
    assert.deepEqual(await mail.log('mine'), ['mine 5', 'mine 6']);
    assert.equal((await mail.get('mine'))?.data, 7);
  });

  test('another priority or time for a task that has not started', async (store, { space }) => {
    const mail = queue(store, space);
    const names = ['a', 'b', 'c', 'soon', 'later'];
    const delays = { soon: NEVER, later: NEVER } as Readonly<Record<string, number>>;
    const tasks = new Map<string, AddedTask<string>>();
    for (const name of names)
      tasks.set(name, await mail.add(note, name, { id: `id-${name}`, delay: delays[name] ?? 0 }));
    const order = async (): Promise<unknown[]> => (await mail.list('waiting')).map(({ data }) => data);
    assert.equal(await mail.reschedule('id-c', { priority: 1 }), true);
    assert.deepEqual(await order(), ['c', 'a', 'b']);
    assert.equal(await mail.reschedule('id-c', { priority: -1 }), true);
    assert.deepEqual(await order(), ['a', 'b', 'c']);
    assert.equal(await mail.reschedule('id-a', { delay: NEVER }), true);
    assert.equal(await mail.reschedule('id-later', { at: new Date(0), priority: 2 }), true);
    assert.deepEqual(await order(), ['later', 'b', 'c']);
    const seen: string[] = [];
    await using _worker = mail.work(recorder(seen), { lease: NEVER });
    await tasks.get('c')?.result();
    // The worker waits by now, and must be told.
    assert.equal(await mail.reschedule('id-soon', { delay: 20 }), true);
    await tasks.get('soon')?.result();
    assert.equal(await mail.reschedule('id-a', { delay: 0 }), true);
    await tasks.get('a')?.result();
    assert.deepEqual(seen, ['later', 'b', 'c', 'soon', 'a']);
    assert.equal(await mail.reschedule('id-a', { priority: 1 }), false);
  });

  test('time limits of attempts and of waits, and batches', async (store, { space }) => {
    const mail = queue(store, space);
    const slow = defineTask<null, string>('slow', undefined, { timeLimit: 20 });
    const row = defineTask<number, number>('row');
    const sizes: number[] = [];
    const rows = await mail.addAll(
      row,
      Array.from({ length: 30 }, (_, i) => [i] as const),
    );
    await rejectsWith(rows[0]?.result({ wait: 20 }) as Promise<number>, 'TIMEOUT', /no result after 20 ms/);
    const handlers = [
      slow.handle(() => new Promise<string>(() => {})),
      row.handleBatch(
        (tasks) => {
          sizes.push(tasks.length);
          return tasks.map(({ data }) => (data === 3 ? new Error('three') : data * 2));
        },
        { size: 10 },
      ),
    ];
    await using _worker = mail.work(handlers, { lease: NEVER });
    await rejectsWith((await mail.add(slow, null)).result(), 'DEAD', /`timeLimit` of 20 ms/);
    assert.equal(await rows[29]?.result({ wait: NEVER }), 58);
    await rejectsWith(rows[3]?.result() as Promise<number>, 'DEAD', /three/);
    assert.deepEqual(sizes, [10, 10, 10]);
  });

  test('retention by age and number, clean, drain, obliterate', async (store, { space }) => {
    const mail = queue(store, space, { keepCompleted: { count: 20, age: 60_000 }, keepDead: { age: 1 } });
    const fragile = defineTask<string>('fragile');
    const fails = fragile.handle(() => {
      throw new Error('on purpose');
    });
    const worker = mail.work([echo, fails], { lease: 50 });
    const tasks = await mail.addAll(
      note,
      Array.from({ length: 50 }, (_, i) => [`${i}`, { id: `note-${i}` }] as const),
    );
    await tasks[49]?.result();
    await mail.add(fragile, 'x');
    await until('the dead task is too old', async () => {
      const { dead, waiting, active } = await mail.counts();
      return dead + waiting + active === 0;
    });
    await worker.stop();
    assert.equal((await mail.counts()).completed, 20);
    assert.equal(await mail.get('note-0'), undefined);
    assert.equal(await mail.clean('completed', { olderThan: 60_000 }), 0);
    assert.equal(await mail.clean('completed', { limit: 15 }), 15);
    assert.equal(await mail.get('note-40'), undefined);
    await mail.addAll(note, [['a'], ['b', { priority: 1 }], ['c', { group: 'g' }], ['d', { delay: NEVER }]]);
    assert.equal(await mail.drain(), 3);
    assert.equal((await mail.counts()).delayed, 1);
    await mail.obliterate();
    assert.equal(await store.send('EXISTS', `queue:{${space}}:tasks`), 0);
    assert.deepEqual(await mail.list('completed'), []);
  });

  test('any number of tasks is added and read', async (store, { space }) => {
    const mail = queue(store, space);
    async function* texts(): AsyncGenerator<readonly [string, { priority: number }]> {
      for (let i = 0; i < 2_200; i++) yield [`${i}`, { priority: i % 3 }];
    }
    assert.equal((await mail.addAll(note, texts())).length, 2_200);
    const seen = new Set<unknown>();
    for await (const { data } of mail.iterate('waiting')) seen.add(data);
    assert.equal(seen.size, 2_200);
    assert.equal((await mail.list('waiting', { limit: 1_500, offset: 100 })).length, 1_500);
  });

  test('a limit of active tasks, for all workers and for groups, which take turns', async (store, {
    space,
    another,
  }) => {
    const mail = queue(store, space);
    await mail.limitActive({ tasks: 4 });
    await mail.limitGroups({ tasks: 2 });
    let running = 0;
    let most = 0;
    const groups = new Map<string, number>();
    const order: string[] = [];
    const handler = note.handle(async (text, { group = '' }) => {
      order.push(group);
      most = Math.max(most, ++running);
      groups.set(group, (groups.get(group) ?? 0) + 1);
      assert.ok((groups.get(group) ?? 0) <= 2, 'a group exceeds its limit');
      await new Promise((resolve) => setTimeout(resolve, 2));
      groups.set(group, (groups.get(group) ?? 0) - 1);
      running--;
      return text;
    });
    for (const [group, count] of [
      ['large', 40],
      ['small', 4],
      ['tiny', 4],
    ] as const) {
      await mail.addAll(
        note,
        Array.from({ length: count }, (_, i) => [`${i}`, { group }] as const),
      );
    }
    const workers = [];
    for (let i = 0; i < 3; i++) {
      workers.push(queue(await another(), space).work(handler, { lease: NEVER, concurrency: 3 }));
    }
    await until('all are done', async () => (await mail.counts()).completed === 48);
    assert.ok(most <= 4, `${most} at once`);
    const before = order.slice(0, Math.max(order.lastIndexOf('small'), order.lastIndexOf('tiny')));
    assert.ok(before.length <= 24, `the small groups had to wait: ${order.join()}`);
    await Promise.all(workers.map((worker) => worker.stop()));
  });

  test('throttled and debounced tasks', async (store, { space }) => {
    const mail = queue(store, space);
    const throttle = { key: 'report', per: NEVER };
    const first = await mail.add(note, 'a', { throttle });
    const second = await mail.add(note, 'b', { throttle });
    assert.deepEqual([second.id, second.isNew], [first.id, false]);
    const short = await mail.add(note, 'c', { throttle: { key: 'other', per: 1 } });
    await until('it may be added again', async () => {
      return (await mail.add(note, 'd', { throttle: { key: 'other', per: 1 } })).id !== short.id;
    });
    await mail.drain();
    const seen: string[] = [];
    await mail.pause();
    for (const text of ['x', 'y', 'z']) await mail.add(note, text, { debounce: { key: 'page', wait: 20 } });
    await using _worker = mail.work(recorder(seen), { lease: NEVER });
    await mail.resume();
    await until('it runs', () => seen.length > 0);
    assert.deepEqual(seen, ['z']);
  });

  test('flows across queues, with named children', async (store, { space, another }) => {
    const pages = queue(store, `${space}-pages`);
    const images = queue(store, `${space}-images`);
    const page = defineTask<string, string>('page');
    const elsewhere = await another();
    const handler = page.handle(async (name, task) => {
      const { thumbnail, body } = await task.inputs<{ thumbnail: string; body: string }>();
      return `${name} ${thumbnail} ${body}`;
    });
    await using _pages = queue(elsewhere, `${space}-pages`).work([handler, echo], { lease: NEVER });
    await using _images = queue(elsewhere, `${space}-images`).work(echo, { lease: NEVER, concurrency: 3 });
    const trees = [];
    for (let i = 0; i < 5; i++) {
      trees.push(
        await pages.addFlow(
          flow(page, `page ${i}`, {
            thumbnail: flow(note, `image ${i}`, [], { queue: images }),
            body: flow(note, `body ${i}`),
          }),
        ),
      );
    }
    for (const [i, tree] of trees.entries()) {
      assert.equal(await tree.result(), `page ${i} image ${i} body ${i}`);
      assert.equal(await tree.children[0]?.result(), `image ${i}`);
    }
  });

  test('children that die, in the same and in another queue', async (store, { space, another }) => {
    const pages = queue(store, `${space}-pages`);
    const images = queue(store, `${space}-images`);
    const page = defineTask<string, string>('page');
    const broken = defineTask<string, string>('broken');
    const fails = broken.handle((text) => {
      throw new Error(`no ${text}`);
    });
    const shows = page.handle(async (name, task) => {
      const dead = Object.entries(await task.deadInputs()).map(
        ([child, { message }]) => `${child}: ${message}`,
      );
      return [name, ...dead.toSorted()].join(', ');
    });
    const elsewhere = await another();
    await using _pages = queue(elsewhere, `${space}-pages`).work([fails, shows], { lease: NEVER });
    await using _images = queue(elsewhere, `${space}-images`).work(fails, { lease: NEVER });
    const there = { queue: images };
    const tolerant = await pages.addFlow(
      flow(page, 'page', {
        here: flow(broken, 'text', [], { ifDead: 'continue' }),
        there: flow(broken, 'image', [], { ifDead: 'continue', ...there }),
      }),
    );
    assert.equal(await tolerant.result(), 'page, here: no text, there: no image');
    for (const place of [{}, there]) {
      const strict = await pages.addFlow(
        flow(page, 'top', [
          flow(page, 'page', [flow(broken, 'image', [], { ifDead: 'fail', ...place })], { ifDead: 'fail' }),
        ]),
      );
      await rejectsWith(strict.result(), 'DEAD', /for which it waited, is dead: .*no image/);
    }
    assert.equal((await pages.counts()).blocked, 0);
  });

  test('a handler postpones its task, and the whole queue for a time', async (store, { space, another }) => {
    const mail = queue(store, space);
    const call = defineTask<string, number>('call');
    const seen: string[] = [];
    const handler = call.handle(async (text, task) => {
      seen.push(text);
      if (text !== 'busy' || seen.filter((other) => other === 'busy').length > 1) return task.attempt;
      await mail.pause({ for: 40 });
      throw new PostponeError(20);
    });
    const begun = performance.now();
    await using _worker = queue(await another(), space).work(handler, { lease: NEVER });
    const busy = await mail.add(call, 'busy');
    // On a busy machine the second one may have ended, too.
    await until('the first attempt ends', async () => {
      const { delayed, completed } = await mail.counts();
      return delayed + completed === 1;
    });
    const other = await mail.add(call, 'other');
    assert.deepEqual([await busy.result(), await other.result()], [1, 1]);
    assert.ok(performance.now() - begun >= 39, 'nothing runs during a pause');
    assert.deepEqual(seen.toSorted(), ['busy', 'busy', 'other']);
    assert.equal((await mail.counts()).isPaused, false);
  });

  test('figures of each minute', async (store, { space, another }) => {
    const mail = queue(store, space, { keepMetrics: 60 });
    const fragile = defineTask<string>('fragile', undefined, {
      attempts: 2,
      backoff: { kind: 'fixed', delay: 1 },
    });
    const fails = fragile.handle(() => {
      throw new Error('on purpose');
    });
    await using _worker = queue(await another(), space, { keepMetrics: 60 }).work([echo, fails], {
      lease: NEVER,
    });
    const tasks = await mail.addAll(note, [['a'], ['b'], ['c']]);
    await rejectsWith((await mail.add(fragile, 'x')).result(), 'DEAD', /on purpose/);
    for (const task of tasks) await task.result();
    const minutes = await mail.metrics({ minutes: 60 });
    const sum = (of: 'completed' | 'retried' | 'dead'): number =>
      minutes.reduce((total, minute) => total + minute[of], 0);
    assert.equal(minutes.length, 60);
    assert.deepEqual([sum('completed'), sum('retried'), sum('dead')], [3, 1, 1]);
  });

  for (const kind of ['thread', 'process'] as const) {
    test(`a handler in its own ${kind}`, async (store, { space }) => {
      const mail = queue(store, space);
      const job = defineTask<{ what: string }, unknown>('job');
      await using _worker = mail.work(job.sandbox(HANDLER, { kind }), { lease: NEVER });
      const task = await mail.add(job, { what: 'talk' }, { id: 'mine' });
      assert.deepEqual(await task.result(), { id: 'mine', attempt: 1, inputs: {}, dead: {}, isChild: true });
      assert.deepEqual(await mail.log('mine'), ['hello from the sandbox']);
      assert.deepEqual((await mail.get('mine'))?.data, { what: 'changed' });
      await rejectsWith((await mail.add(job, { what: 'fail' })).result(), 'DEAD', /it fails$/);
    });
  }

  test('a trace that goes on in the worker', async (store, { space, another }) => {
    const tracing = new Tracing();
    tracing.start();
    try {
      const worker = queue(await another(), space).work(echo, { lease: NEVER });
      const task = await trace.getTracer('test').startActiveSpan('request', async (span) => {
        const added = await queue(store, space).add(note, 'hello');
        span.end();
        return added;
      });
      assert.equal(await task.result(), 'hello');
      await worker.stop();
      const [[request], [send], [process]] = ['request', `send ${space}`, `process ${space}`].map((name) =>
        tracing.named(name),
      ) as [ReadableSpan[], ReadableSpan[], ReadableSpan[]];
      assert.equal(send?.parentSpanContext?.spanId, request?.spanContext().spanId);
      assert.equal(process?.parentSpanContext?.spanId, send?.spanContext().spanId);
      assert.ok(process?.spanContext().traceId === request?.spanContext().traceId);
    } finally {
      tracing.stop();
    }
  });
});
