import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withQueue } from '../../../../tests/support/kit-queue.js';
import { defineTask, flow, queue } from '../index.js';

const part = defineTask<string, string>('part');
const optional = defineTask<string, string>('optional', undefined, { ifDead: 'continue' });
const needed = defineTask<string, string>('needed', undefined, { ifDead: 'fail' });
const whole = defineTask<string, string>('whole', undefined, { ifDead: 'fail' });

function work(text: string): string {
  if (text.startsWith('bad')) throw new Error(`${text} is broken`);
  return `done ${text}`;
}

const handlers = [
  part.handle(work),
  optional.handle(work),
  needed.handle(work),
  whole.handle(async (text, task) => {
    const dead = Object.entries(await task.deadInputs()).map(([name, { message }]) => `${name}: ${message}`);
    return JSON.stringify([text, await task.inputs(), dead]);
  }),
];

test('a parent continues without a dead child that was optional, and learns why it is dead', () =>
  withQueue(async ({ mail, store }) => {
    const tree = await mail.addFlow(
      flow(whole, 'page', { text: flow(part, 'text'), image: flow(optional, 'bad image') }),
    );
    await using worker = mail.work(handlers);
    assert.deepEqual(JSON.parse(await (tree.result() as Promise<string>)), [
      'page',
      { text: 'done text' },
      ['image: bad image is broken'],
    ]);
    const child = tree.children[1];
    await assert.rejects(child!.result(), { code: 'DEAD' });
    assert.equal((await mail.get(child!.id))?.ifDead, 'continue');
    await worker.stop();
    assert.deepEqual(await store.send('HKEYS', 'queue:{mail}:notes'), [`failures:${child!.id}`]);
  }));

test('a dead child that is needed makes its parents dead at once, and their parents', () =>
  withQueue(async ({ mail, clock, store }) => {
    const inner = flow(whole, 'inner', [flow(needed, 'bad one'), flow(part, 'slow', [], { delay: 5_000 })]);
    const tree = await mail.addFlow(flow(part, 'outermost', [flow(whole, 'outer', { inner })]));
    const outer = tree.children[0]!;
    await using _worker = mail.work(handlers);
    const results = [tree.result({ wait: 60_000 }), outer.result(), outer.children[0]!.result()];
    const ends = Promise.allSettled(results);
    await clock.run(1_000);
    const ids = outer.children[0]!.children.map(({ id }) => id);
    const messages = (await mail.list('dead')).map(({ error }) => error?.message);
    assert.deepEqual(
      messages.toSorted(),
      [
        'bad one is broken',
        `task ${ids[0]}, for which it waited, is dead: bad one is broken`,
        `task ${ids[0]}, for which it waited, is dead: bad one is broken`,
        `task ${ids[0]}, for which it waited, is dead: bad one is broken`,
      ].toSorted(),
    );
    assert.equal((await mail.get(tree.id))?.error?.code, 'CHILD_DEAD');
    assert.equal((await mail.counts()).blocked, 0);
    await clock.run(60_000);
    assert.deepEqual(
      (await ends).map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
    const counts = await mail.counts();
    assert.deepEqual(
      [counts.waiting, counts.completed, counts.dead],
      [0, 1, 4],
      'the slow child runs, its parent does not',
    );
    // A replayed parent runs with the results that have come.
    assert.equal(await mail.retry(outer.children[0]!.id), true);
    await clock.run(1);
    const notes = (await store.send('HGETALL', 'queue:{mail}:notes')) as string[];
    assert.deepEqual(
      notes.filter((name) => name.startsWith('input:') || name.startsWith('died:')),
      [],
      'nothing is left of its children',
    );
    const [text, inputs] = JSON.parse((await mail.get(outer.children[0]!.id))?.result as string);
    assert.deepEqual([text, inputs], ['inner', { [ids[1]!]: 'done slow' }]);
    assert.equal(await mail.replay(), 3);
    await mail.obliterate({ force: true });
    assert.deepEqual(await store.send('KEYS', '*'), []);
  }));

test('children in other queues decide in the same way', () =>
  withQueue(async ({ mail, clock, store }) => {
    const images = queue(store, 'images');
    const there = { queue: images };
    await using _mails = mail.work(handlers);
    await using _images = images.work(handlers);
    const tolerant = await mail.addFlow(
      flow(whole, 'page', {
        image: flow(optional, 'bad image', [], there),
        text: flow(part, 'text', [], there),
      }),
    );
    const strict = await mail.addFlow(
      flow(whole, 'top', {
        middle: flow(whole, 'middle', { low: flow(needed, 'bad low', [], { queue: mail }) }, there),
      }),
    );
    await clock.run(10);
    assert.deepEqual(JSON.parse(await (tolerant.result() as Promise<string>)), [
      'page',
      { text: 'done text' },
      ['image: bad image is broken'],
    ]);
    await assert.rejects(strict.result(), {
      code: 'DEAD',
      message: `task ${strict.id} is dead: task ${strict.children[0]!.children[0]!.id}, for which it waited, is dead: bad low is broken`,
    });
    assert.equal((await images.get(strict.children[0]!.id))?.error?.code, 'CHILD_DEAD');
    for (const own of [mail, images]) {
      assert.deepEqual(await store.send('HVALS', `queue:{${own.name}}:blocked:out`), []);
      assert.equal((await own.counts()).blocked, 0);
    }
  }));

test('a task that waits for one that is dead already is told the same', () =>
  withQueue(async ({ mail, store }) => {
    await using worker = mail.work(handlers);
    const tolerated = await mail.add(optional, 'bad a', { id: 'a' });
    const fatal = await mail.add(needed, 'bad b', { id: 'b' });
    for (const task of [tolerated, fatal]) await assert.rejects(task.result(), { code: 'DEAD' });
    const going = await mail.add(whole, 'on', { after: ['a'] });
    assert.deepEqual(JSON.parse(await going.result()), ['on', {}, ['a: bad a is broken']]);
    const failing = await mail.add(whole, 'off', { after: ['a', 'b'] });
    await assert.rejects(failing.result(), {
      code: 'DEAD',
      message: /task b, for which it waited, is dead: bad b/,
    });
    const next = await mail.add(part, 'next', { after: [failing.id] });
    await assert.rejects(next.result(), { code: 'DEAD' });
    await worker.stop();
    assert.equal(await store.send('EXISTS', 'queue:{mail}:blocked'), 0);
  }));

test('tasks that are dead because of others are not kept without limit', () =>
  withQueue(
    async ({ mail }) => {
      await using worker = mail.work(handlers);
      const fatal = await mail.add(needed, 'bad b');
      await assert.rejects(fatal.result(), { code: 'DEAD' });
      await worker.stop();
      // What waits for a task that is no longer kept runs: so not more than are kept.
      for (let i = 0; i < 4; i++) await mail.add(part, 'x', { after: [fatal.id] });
      assert.equal((await mail.counts()).dead, 5);
      await mail.add(part, 'x', { after: [fatal.id] });
      assert.equal((await mail.counts()).dead, 5);
    },
    { keepDead: 5 },
  ));

test('what becomes of a parent is a word that is known', () =>
  withQueue(async ({ mail }) => {
    await assert.rejects(mail.add(part, 'x', { ifDead: 'ignore' as never }), {
      code: 'OPTION',
      message: /ifDead/,
    });
    assert.throws(() => defineTask('x', undefined, { ifDead: 'ignore' as never }), { code: 'OPTION' });
  }));

test('a result that comes when its parent was replayed and is completed is not kept', () =>
  withQueue(async ({ mail, clock, store }) => {
    const tree = await mail.addFlow(
      flow(whole, 'page', [flow(needed, 'bad one'), flow(part, 'slow', [], { delay: 5_000 })]),
    );
    await using worker = mail.work(handlers);
    await clock.run(1_000);
    assert.equal(await mail.retry(tree.id), true);
    await clock.run(1_000);
    assert.equal((await mail.get(tree.id))?.state, 'completed');
    await clock.run(5_000);
    assert.equal((await mail.get(tree.children[1]!.id))?.state, 'completed');
    await worker.stop();
    assert.deepEqual(await store.send('HKEYS', 'queue:{mail}:notes'), [`failures:${tree.children[0]!.id}`]);
  }));

test('the errors of a long chain of tasks stay short', () =>
  withQueue(async ({ mail }) => {
    const first = await mail.add(needed, 'bad first');
    let last = first;
    for (let i = 0; i < 300; i++) last = await mail.add(needed, 'next', { after: [last.id] });
    await using _worker = mail.work(handlers);
    await assert.rejects(last.result(), {
      message: `task ${last.id} is dead: task ${first.id}, for which it waited, is dead: bad first is broken`,
    });
  }));

test('an error with half a character in it does not keep the worker from going on', () =>
  withQueue(async ({ mail }) => {
    const tree = await mail.addFlow(flow(part, 'page', [flow(needed, 'bad \ud800')]));
    await using _worker = mail.work(handlers);
    await assert.rejects(tree.result(), { code: 'DEAD', message: /bad \uFFFD is broken$/ });
  }));
