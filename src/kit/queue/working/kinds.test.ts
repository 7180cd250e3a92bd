import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turn, withQueue } from '../../../../tests/support/kit-queue.js';
import { seededDraw } from '../../../../tests/support/seeded-draw.js';
import { defineTask, flow, type TaskHandler } from '../index.js';

/** So long that a worker which has to be woken is not saved by the end of a lease. */
const LONG = { lease: 86_400_000 };

const old = defineTask<string, string>('old');
const fresh = defineTask<string, string>('fresh');

function recorder(definition: typeof old, seen: string[]): TaskHandler {
  return definition.handle((text) => {
    seen.push(text);
    return text;
  });
}

test('a kind that no worker handles waits, visibly, until a worker handles it', () =>
  withQueue(async ({ mail, clock }) => {
    const seen: string[] = [];
    await using events = mail.events();
    await using _first = mail.work(recorder(old, seen), LONG);
    await clock.run(1);
    const added = await mail.add(fresh, 'new', { attempts: 1 });
    await mail.add(old, 'known');
    await clock.run(3_600_000);
    assert.deepEqual(seen, ['known']);
    const { waiting, setAside, dead } = await mail.counts();
    assert.deepEqual({ waiting, setAside, dead }, { waiting: 1, setAside: 1, dead: 0 });
    for (const state of ['waiting', 'setAside'] as const) {
      const [task] = await mail.list(state);
      assert.deepEqual(
        [task?.id, task?.name, task?.state, task?.failures],
        [added.id, 'fresh', 'waiting', 0],
      );
    }
    for await (const { type, id, detail } of events) {
      if (type !== 'setAside') continue;
      assert.deepEqual([id, detail], [added.id, 'fresh']);
      break;
    }
    await using _second = mail.work(recorder(fresh, seen), LONG);
    await clock.run(1);
    assert.deepEqual(seen, ['known', 'new']);
    assert.equal(await added.result(), 'new');
    assert.equal((await mail.counts()).setAside, 0);
  }));

test('a worker is woken for its kind when another worker has set the task aside', () =>
  withQueue(async ({ mail, clock }) => {
    const seen: string[] = [];
    await using _one = mail.work(recorder(old, seen), LONG);
    await clock.run(1);
    await using _other = mail.work(recorder(fresh, seen), LONG);
    await clock.run(1);
    for (const [index, definition] of [fresh, old, fresh, fresh, old, old].entries()) {
      await mail.add(definition, `${index}`);
      await turn();
    }
    await clock.run(1);
    assert.deepEqual(seen.sort(), ['0', '1', '2', '3', '4', '5']);
  }));

test('delayed tasks, retries, schedules and flows reach the workers of their kinds', () =>
  withQueue(async ({ mail, clock }) => {
    const seen: string[] = [];
    const failing = fresh.handle((text, task) => {
      if (text === 'fails' && task.attempt === 1) throw new Error('once');
      seen.push(`${text} ${task.attempt}`);
      return text;
    });
    await using _one = mail.work(recorder(old, seen), LONG);
    await using _two = mail.work(failing, LONG);
    await clock.run(1);
    await mail.add(fresh, 'later', { delay: 1_000 });
    await mail.add(fresh, 'fails', { attempts: 2, backoff: { kind: 'fixed', delay: 2_000 } });
    await mail.addFlow(flow(old, 'parent', [flow(fresh, 'child'), flow(old, 'other child')]));
    await mail.schedule('tick', fresh, 'tick', { every: 5_000 });
    await clock.run(5_000);
    assert.deepEqual(
      [...seen].sort(),
      ['child 1', 'fails 2', 'later 1', 'other child', 'parent', 'tick 1'].sort(),
    );
    assert.ok(seen.indexOf('parent') > seen.indexOf('child 1'));
  }));

test('tasks that were set aside keep their order, by priority and by adding', () =>
  withQueue(async ({ mail, clock }) => {
    const seen: string[] = [];
    await mail.addAll(fresh, [['c'], ['e', { priority: -1 }], ['a', { priority: 9 }], ['d']]);
    await mail.addAll(old, [['known'], ['known, last', { priority: -5 }]]);
    const first = mail.work(recorder(old, seen), LONG);
    await clock.run(1);
    await first.stop();
    assert.deepEqual(seen.splice(0), ['known', 'known, last']);
    assert.equal((await mail.counts()).setAside, 4);
    await mail.addAll(old, [
      ['b', { priority: 5 }],
      ['d, old'],
      ['f', { priority: -1 }],
      ['g', { priority: -2 }],
    ]);
    await using _both = mail.work([recorder(fresh, seen), recorder(old, seen)], { ...LONG, prefetch: 0 });
    await clock.run(1);
    assert.deepEqual(seen, ['a', 'b', 'c', 'd', 'd, old', 'e', 'f', 'g']);
  }));

test('a task of a dead worker comes before those of its kind that were set aside', () =>
  withQueue(async ({ mail, clock, store }) => {
    const seen: string[] = [];
    const own = await store.duplicate();
    const hanging = fresh.handle(() => new Promise<string>(() => {}));
    const { queue } = await import('../index.js');
    await mail.addAll(fresh, [['first'], ['second'], ['third']]);
    queue(own, 'mail').work(hanging, { lease: 1_000 });
    await clock.run(1);
    await own.close();
    await using _old = mail.work(recorder(old, seen), LONG);
    await clock.run(1);
    assert.equal((await mail.counts()).setAside, 2);
    await clock.run(1_000);
    await using _fresh = mail.work(recorder(fresh, seen), LONG);
    await clock.run(1);
    assert.deepEqual(seen, ['first', 'second', 'third']);
  }));

test('each task is skipped once, however many tasks a worker does not handle', () =>
  withQueue(async ({ mail, clock, store }) => {
    const seen: string[] = [];
    for (let wave = 0; wave < 3; wave++) {
      await mail.addAll(
        fresh,
        Array.from({ length: 1_500 }, (_, i) => [`${i}`] as const),
      );
    }
    await using _old = mail.work(recorder(old, seen), LONG);
    await clock.run(1);
    assert.equal((await mail.counts()).setAside, 4_500);
    const calls = async (): Promise<number> => {
      const info = String(await store.send('INFO', 'commandstats'));
      return [...info.matchAll(/calls=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const before = await calls();
    await mail.add(old, 'one');
    await clock.run(1);
    assert.deepEqual(seen, ['one']);
    assert.ok((await calls()) - before < 100, 'nothing is scanned');
    const idle = await calls();
    await clock.run(3_600_000);
    assert.ok((await calls()) - idle <= 1, 'an idle worker sends nothing');
  }));

test('a task that was set aside can be removed', () =>
  withQueue(async ({ mail, clock }) => {
    await using _old = mail.work(recorder(old, []), LONG);
    const { id } = await mail.add(fresh, 'x', { priority: 3 });
    await clock.run(1);
    assert.equal((await mail.counts()).setAside, 1);
    assert.equal(await mail.remove(id), true);
    const { waiting, setAside } = await mail.counts();
    assert.deepEqual({ waiting, setAside }, { waiting: 0, setAside: 0 });
  }));

test('a pause and a rate limit apply to tasks that were set aside', () =>
  withQueue(async ({ mail, clock }) => {
    const seen: string[] = [];
    await using _old = mail.work(recorder(old, seen), LONG);
    await mail.addAll(fresh, [['a'], ['b'], ['c']]);
    await clock.run(1);
    await mail.pause();
    await using _fresh = mail.work(recorder(fresh, seen), LONG);
    await clock.run(1_000);
    assert.deepEqual(seen, []);
    await mail.limit({ tasks: 1, per: 1_000 });
    await mail.resume();
    await clock.run(1);
    assert.deepEqual(seen, ['a']);
    await clock.run(2_000);
    assert.deepEqual(seen, ['a', 'b', 'c']);
  }));

test('several workers share the tasks set aside for their kinds', () =>
  withQueue(async ({ mail, clock, store }) => {
    const draw = seededDraw(7);
    const kinds = Array.from({ length: 6 }, (_, i) => defineTask<string, string>(`kind ${i}`));
    const done: string[] = [];
    const workers = Array.from({ length: 6 }, (_, i) =>
      mail.work(
        [kinds[i], kinds[(i + 1) % 6]].map((kind) =>
          (kind as typeof old).handle(async (text, task) => {
            await store.time.sleep(10);
            done.push(`${task.name} ${text}`);
            return text;
          }),
        ),
        LONG,
      ),
    );
    for (let i = 0; i < 300; i++) {
      const kind = kinds[Math.floor(draw() * 6)] as typeof old;
      await mail.add(kind, `${i}`, draw() < 0.3 ? { priority: Math.floor(draw() * 5) - 2 } : {});
      if (draw() < 0.2) await clock.run(7);
    }
    await clock.run(2_000);
    assert.equal(new Set(done).size, 300);
    await Promise.all(workers.map((worker) => worker.stop()));
  }));
