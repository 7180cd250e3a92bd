import assert from 'node:assert/strict';
import { defineTask, flow, queue, type TaskQueue } from '../../../src/kit/queue/index.js';
import type { Store } from '../../../src/store/index.js';
import { isBehindSentinels, onEveryStore, prepareServers, rejectsWith, until } from './support.js';

prepareServers();

const note = defineTask<string, string>('note');
const echo = note.handle((text) => text);

/** So long that a worker which is not woken makes its test run out of time. */
const NEVER = 600_000;

/** Trouble that a test makes on purpose is not worth a warning. */
const quiet = { onError: () => {} };

onEveryStore('Task queues', (test, kind) => {
  test('tasks run in order, and their results can be awaited', async (store, { space, another }) => {
    const mail = queue(store, space);
    const seen: string[] = [];
    const handler = note.handle((text) => {
      seen.push(text);
      return text.toUpperCase();
    });
    await using _worker = queue(await another(), space).work(handler, { lease: NEVER });
    const texts = Array.from({ length: 250 }, (_, i) => `task ${i} äöü`);
    const tasks = await Promise.all(texts.map((text) => mail.add(note, text)));
    const results = await Promise.all(tasks.map((task) => task.result()));
    assert.deepEqual(
      results,
      texts.map((text) => text.toUpperCase()),
    );
    assert.deepEqual(seen, texts);
  });

  test('idle workers are woken for each task, wherever they are', async (store, { space, another }) => {
    const mail = queue(store, space);
    const workers = [];
    for (let i = 0; i < 3; i++) workers.push(queue(await another(), space).work(echo, { lease: NEVER }));
    for (let i = 0; i < 20; i++) assert.equal(await (await mail.add(note, `${i}`)).result(), `${i}`);
    await Promise.all(workers.map((worker) => worker.stop()));
  });

  test('one wake-up is enough for many workers', async (store, { space, another }) => {
    const mail = queue(store, space);
    const hold = defineTask<null>('hold');
    let running = 0;
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const handler = hold.handle(async () => {
      running++;
      await released;
    });
    const workers = [];
    for (let i = 0; i < 4; i++) workers.push(queue(await another(), space).work(handler, { lease: NEVER }));
    await mail.addAll(
      hold,
      Array.from({ length: 4 }, () => [null]),
    );
    await until('each worker has a task', () => running === 4);
    release();
    await Promise.all(workers.map((worker) => worker.stop()));
    assert.equal((await mail.counts()).completed, 4);
  });

  test('workers take only the kinds they handle, others wait for their worker', async (store, {
    space,
    another,
  }) => {
    const mail = queue(store, space);
    const shout = defineTask<string, string>('shout');
    const loud = shout.handle((text) => text.toUpperCase());
    const orphan = await mail.add(defineTask<string>('orphan'), 'x', { attempts: 1, priority: 1 });
    await using _notes = queue(await another(), space).work(echo, { lease: NEVER });
    await using _shouts = queue(await another(), space).work(loud, { lease: NEVER });
    for (let i = 0; i < 10; i++) {
      assert.equal(await (await mail.add(shout, 'ab', i % 2 === 0 ? {} : { delay: 1 })).result(), 'AB');
      assert.equal(await (await mail.add(note, 'ab', { priority: (i % 3) - 1 })).result(), 'ab');
    }
    await until('the orphan was met', async () => (await mail.counts()).setAside === 1);
    const [waiting] = await mail.list('setAside');
    assert.deepEqual([waiting?.id, waiting?.failures], [orphan.id, 0]);
    const late = defineTask<string, string>('orphan').handle((text) => text);
    await using _orphans = queue(await another(), space).work(late, { lease: NEVER });
    assert.equal(await orphan.result(), 'x');
  });

  test('priorities, delays, unique keys and promotion', async (store, { space }) => {
    const mail = queue(store, space);
    await mail.add(note, 'usual');
    await mail.add(note, 'low', { priority: -1 });
    await mail.add(note, 'high', { priority: 1 });
    const late = await mail.add(note, 'late', { delay: NEVER, key: 'once' });
    assert.equal((await mail.add(note, 'again', { key: 'once' })).id, late.id);
    const soon = await mail.add(note, 'soon', { delay: 50 });
    const seen: string[] = [];
    const handler = note.handle((text) => {
      seen.push(text);
      return text;
    });
    await using _worker = mail.work(handler, { lease: NEVER });
    await soon.result();
    assert.deepEqual(
      seen.filter((text) => text !== 'soon'),
      ['high', 'usual', 'low'],
    );
    assert.equal(await mail.promote(late.id), true);
    assert.equal(await late.result(), 'late');
  });

  test('a failing task is retried, dies, is replayed', async (store, { space }) => {
    const mail = queue(store, space);
    let isBroken = true;
    const fragile = defineTask<string, string>('fragile', undefined, {
      attempts: 3,
      backoff: { kind: 'exponential', delay: 5, jitter: 1 },
    });
    let runs = 0;
    const handler = fragile.handle((text, { attempt }) => {
      runs++;
      if (isBroken) throw new Error(`attempt ${attempt}`);
      return text;
    });
    await using _worker = mail.work(handler, { lease: NEVER });
    const task = await mail.add(fragile, 'x');
    await rejectsWith(task.result(), 'DEAD', /is dead: attempt 3$/);
    assert.equal(runs, 3);
    const [dead] = await mail.list('dead');
    assert.deepEqual([dead?.id, dead?.failures, dead?.error?.message], [task.id, 3, 'attempt 3']);
    isBroken = false;
    assert.equal(await mail.replay(), 1);
    assert.equal(await task.result(), 'x');
  });

  test('parents run after their children', async (store, { space }) => {
    const mail = queue(store, space);
    const join = defineTask<null, string>('join');
    const handlers = [echo, join.handle(async (_data, task) => Object.values(await task.inputs()).join(' '))];
    await using _worker = mail.work(handlers, { concurrency: 4, lease: NEVER });
    const tree = await mail.addFlow(
      flow(join, null, [flow(join, null, [flow(note, 'a'), flow(note, 'b')]), flow(note, 'c')]),
    );
    assert.equal(await tree.result(), 'a b c');
  });

  test('a schedule repeats its task', async (store, { space }) => {
    const mail = queue(store, space);
    let runs = 0;
    const handler = note.handle((text) => {
      runs++;
      return text;
    });
    await using _worker = mail.work(handler, { lease: NEVER });
    await mail.schedule('tick', note, 'tick', { every: 20 });
    await mail.schedule('yearly', note, 'happy new year', { cron: '@yearly' });
    await until('three runs', () => runs >= 3);
    assert.deepEqual(
      (await mail.schedules()).map(({ name }) => name),
      ['tick', 'yearly'],
    );
    assert.equal(await mail.unschedule('tick'), true);
  });

  test('a task is taken over from a worker that went away', async (store, { space, another }) => {
    const mail = queue(store, space);
    const doomed = await another();
    let begun = 0;
    const hang = note.handle(() => {
      begun++;
      return new Promise<string>(() => {});
    });
    const lost = queue(doomed, space).work(hang, { lease: 300, ...quiet });
    const task = await mail.add(note, 'precious');
    await until('it was begun', () => begun === 1);
    await doomed.close();
    await lost.ended;
    await using _worker = mail.work(
      note.handle((text, { recoveries }) => `${text} ${recoveries}`),
      { lease: 300 },
    );
    assert.equal(await task.result(), 'precious 1');
  });

  test('many workers complete every task once', async (store, { space, another }) => {
    const mail = queue(store, space, { keepCompleted: 1_000 });
    const runs = new Map<string, number>();
    const handler = note.handle((text) => {
      runs.set(text, (runs.get(text) ?? 0) + 1);
      return text;
    });
    const workers = [];
    for (let i = 0; i < 4; i++) {
      workers.push(queue(await another(), space).work(handler, { concurrency: 1 + i, lease: NEVER }));
    }
    const tasks = await Promise.all(Array.from({ length: 500 }, (_, i) => mail.add(note, `${i}`)));
    await Promise.all(tasks.map((task) => task.result()));
    await Promise.all(workers.map((worker) => worker.stop()));
    assert.equal(runs.size, 500);
    assert.deepEqual(
      [...runs.values()].filter((times) => times !== 1),
      [],
    );
    assert.deepEqual(await settled(mail), [500, 0]);
  });

  test('events, pause, rate limit, removal', async (store, { space }) => {
    const mail = queue(store, space);
    await using events = mail.events();
    await mail.pause();
    const [a, b] = await mail.addAll(note, [['a'], ['b']]);
    assert.ok(a !== undefined && b !== undefined);
    await mail.limit({ tasks: 1, per: 20 });
    await using worker = mail.work(echo, { lease: NEVER });
    assert.equal(await mail.remove(a.id), true);
    await mail.resume();
    assert.equal(await b.result(), 'b');
    await worker.stop();
    const seen: string[] = [];
    for await (const { type, id } of events) {
      seen.push(`${type} ${id === a.id ? 'a' : id === b.id ? 'b' : '-'}`);
      if (type === 'completed') break;
    }
    assert.deepEqual(seen, [
      'paused -',
      'added a',
      'added b',
      'removed a',
      'resumed -',
      'started b',
      'completed b',
    ]);
  });

  if (kind.isEmbedded) return;

  test('cut connections lose no task and complete none twice', async (store, { space, another, site }) => {
    const mail = queue(store, space, { keepCompleted: 2_000 });
    const done = new Map<string, number>();
    const handler = note.handle(async (text) => {
      await new Promise((resolve) => setImmediate(resolve));
      done.set(text, (done.get(text) ?? 0) + 1);
      return text;
    });
    const workers = [];
    for (let i = 0; i < 2; i++) {
      workers.push(queue(await another(), space).work(handler, { concurrency: 3, lease: 2_000, ...quiet }));
    }
    const ids: string[] = [];
    const cutter = isBehindSentinels(kind) ? await another() : undefined;
    for (let round = 0; round < 5; round++) {
      const adding = Array.from({ length: 40 }, (_, i) => addSurely(mail, `${round}:${i}`));
      await until('some are done', () => done.size > round * 40);
      if (cutter === undefined) await site.askAll('CLIENT', 'KILL', 'TYPE', 'normal');
      else await cutter.send('CLIENT', 'KILL', 'TYPE', 'normal').catch(() => {});
      ids.push(...(await Promise.all(adding)));
      await until('all are done', () => done.size === (round + 1) * 40);
    }
    await until('the queue knows', async () => (await settled(mail).catch(() => [0, 1]))[1] === 0);
    await Promise.all(workers.map((worker) => worker.stop()));
    const completed = await allCompleted(mail);
    assert.equal(new Set(completed).size, completed.length, 'none is completed twice');
    assert.deepEqual(
      ids.filter((id) => !completed.includes(id)),
      [],
      'none that was acknowledged is lost',
    );
  });
});

onEveryStore(
  'Task queues in a failover',
  (test) => {
    test('every task is completed when the master changes in the middle', async (store, {
      space,
      another,
      failover,
    }) => {
      const mail = queue(store, space, { keepCompleted: 1_000 });
      const done = new Set<string>();
      const handler = note.handle(async (text) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        done.add(text);
        return text;
      });
      await mail.addAll(
        note,
        Array.from({ length: 200 }, (_, i) => [`before ${i}`]),
      );
      await replicated(store);
      const workers = [];
      for (let i = 0; i < 2; i++) {
        workers.push(queue(await another(), space).work(handler, { concurrency: 2, lease: 3_000, ...quiet }));
      }
      await until('some are done', () => done.size >= 20);
      await failover();
      for (let i = 0; i < 50; i++) await addSurely(mail, `after ${i}`);
      await until('all are done', () => done.size === 250);
      await until('the queue knows', async () => {
        const counts = await mail.counts().catch(() => undefined);
        return counts !== undefined && counts.completed >= 250 && counts.active + counts.waiting === 0;
      });
      await Promise.all(workers.map((worker) => worker.stop()));
    });
  },
  isBehindSentinels,
);

/** How many tasks are completed, and how many are not over. */
async function settled(mail: TaskQueue): Promise<number[]> {
  const { completed, waiting, delayed, active, dead } = await mail.counts();
  return [completed, waiting + delayed + active + dead];
}

async function allCompleted(mail: TaskQueue): Promise<string[]> {
  const ids: string[] = [];
  for (let page = await mail.list('completed'); page.length > 0; ) {
    ids.push(...page.map(({ id }) => id));
    page = await mail.list('completed', { offset: ids.length });
  }
  return ids;
}

/**
 * Tries until it was acknowledged. When the client has given up in between, it is not known whether the task was added: then
 * there are two.
 */
async function addSurely(mail: TaskQueue, text: string): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    try {
      return (await mail.add(note, text)).id;
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** What was written is on the replica too. */
async function replicated(store: Store): Promise<void> {
  assert.equal(await store.send('WAIT', 1, 60_000), 1);
}
