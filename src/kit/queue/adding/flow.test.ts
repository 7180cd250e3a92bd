import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, recorder, withQueue } from '../../../../tests/support/kit-queue.js';
import { defineTask, flow, queue } from '../index.js';

test('a parent starts after its children and gets their results', () =>
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
        const inputs = Object.values(await task.inputs());
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

test('a dead child blocks its parent until it is replayed or removed', () =>
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

test('the children of a removed parent leave nothing behind', () =>
  withQueue(async ({ mail, store }) => {
    const child = await mail.add(note, 'child');
    const parent = await mail.add(note, 'parent', { after: [child.id] });
    assert.equal(await mail.remove(parent.id), true);
    await using worker = mail.work(recorder([]));
    assert.equal(await child.result(), 'child');
    await worker.stop();
    assert.deepEqual(await store.send('HGETALL', 'queue:{mail}:notes'), []);
    assert.equal((await mail.counts()).blocked, 0);
  }));

test('a task can have many parents, and a flow that is too large or too deep is refused', () =>
  withQueue(async ({ mail, store }) => {
    // Each level has two tasks, and both have those of the level below as children: there are 2^201 ways from the top.
    let level = [flow(note, 'low'), flow(note, 'low')];
    for (let i = 0; i < 200; i++) level = [flow(note, 'left', level), flow(note, 'right', level)];
    await mail.addFlow(flow(note, 'top', level));
    assert.equal((await mail.counts()).blocked, 401);
    const refused = (message: RegExp) => ({ code: 'OPTION', message });
    let deep = flow(note, 'low');
    for (let i = 0; i < 50_000; i++) deep = flow(note, 'more', [deep]);
    await assert.rejects(mail.addFlow(deep), refused(/2000 tasks, and this one has more/));
    const other = queue(store, 'other');
    let crossing = flow(note, 'low');
    for (let i = 0; i < 201; i++)
      crossing = flow(note, 'more', [crossing], { queue: i % 2 === 0 ? other : mail });
    await assert.rejects(mail.addFlow(flow(note, 'top', [crossing])), refused(/another queue 200 times/));
    await assert.rejects(mail.addFlow(flow(note, 'top', { '\ud800': deep })), refused(/half a character/));
    const own = flow(note, 'own');
    (own.children as unknown[]).push(flow(note, 'child', [own]));
    await assert.rejects(mail.addFlow(own), refused(/its own child/));
    assert.equal((await mail.counts()).blocked, 401);
  }));
