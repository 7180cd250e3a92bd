import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withQueue } from '../../../../tests/support/kit-queue.js';
import { defineTask, flow, queue, type TaskQueue } from '../index.js';
import { coreOf } from '../internals.js';
import { deliver } from './outbox.js';

const page = defineTask<string, string>('page');
const image = defineTask<string, string>('image');
const text = defineTask<string, string>('text');

const makePage = page.handle(async (name, task) => {
  const { thumbnail, body } = await task.inputs<{ thumbnail: string; body?: string }>();
  return `${name}: ${thumbnail}, ${body}`;
});
const makeImage = image.handle((name) => `image of ${name}`);
const makeText = text.handle((name) => `text of ${name}`);

function messages(mail: TaskQueue): Promise<unknown> {
  const core = coreOf(mail);
  assert.ok(core !== undefined);
  return core.store.send('HVALS', `${core.keys.blocked}:out`);
}

test('children in other queues give their results to their parent by name', () =>
  withQueue(async ({ mail, clock, store }) => {
    const images = queue(store, 'images');
    const texts = queue(store, 'texts');
    await using _pages = mail.work([makePage, makeText]);
    await using _images = images.work(makeImage);
    await using _texts = texts.work(makeText);
    const tree = await mail.addFlow(
      flow(page, 'home', {
        thumbnail: flow(image, 'cat', [flow(text, 'label', [], { queue: texts })], { queue: images }),
        body: flow(text, 'story'),
      }),
    );
    await clock.run(1);
    assert.equal(await tree.result(), 'home: image of cat, text of story');
    const [thumbnail, body] = tree.children;
    assert.equal(await thumbnail?.result(), 'image of cat');
    assert.equal(await body?.result(), 'text of story');
    assert.equal(await thumbnail?.children[0]?.result(), 'text of label');
    assert.equal((await images.counts()).completed, 1);
    assert.equal((await texts.counts()).completed, 1);
    for (const own of [mail, images, texts]) {
      assert.deepEqual(await messages(own), []);
      assert.equal(await store.send('EXISTS', `queue:{${own.name}}:notes`), 0);
    }
  }));

test('what was not delivered, because the program died, is delivered by a worker of the queue', () =>
  withQueue(async ({ mail, clock, store }) => {
    const images = queue(store, 'images');
    const core = coreOf(mail);
    assert.ok(core !== undefined);
    // A program that adds the flow, and dies before it delivers anything.
    const { collect } = core.scripts;
    Object.assign(core.scripts, { collect: () => Promise.reject(new Error('died')) });
    const tree = await mail.addFlow(
      flow(page, 'home', { thumbnail: flow(image, 'cat', [], { queue: images, id: 'cat' }) }),
    );
    Object.assign(core.scripts, { collect });
    assert.equal((await images.counts()).waiting, 0);
    assert.equal((await mail.counts()).blocked, 1);
    // Another program collects the messages, delivers them, and dies before it deletes them; then a worker comes.
    const { delivered } = core.scripts;
    Object.assign(core.scripts, { delivered: () => Promise.reject(new Error('died')) });
    await assert.rejects(deliver(core.scripts, core.keyList), /died/);
    Object.assign(core.scripts, { delivered });
    assert.equal((await images.counts()).waiting, 1);
    await using _pages = mail.work(makePage);
    const worker = images.work(makeImage);
    await clock.run(10_000);
    await worker.stop();
    assert.equal((await images.counts()).completed, 1, 'it arrived twice, and was added once');
    assert.equal(await tree.result(), 'home: image of cat, undefined');
    assert.deepEqual(await messages(mail), []);
    assert.deepEqual(await messages(images), []);
  }));

test('a result that is delivered twice counts once', () =>
  withQueue(async ({ mail, clock, store }) => {
    const images = queue(store, 'images');
    const core = coreOf(images);
    assert.ok(core !== undefined);
    const tree = await mail.addFlow(
      flow(page, 'home', {
        thumbnail: flow(image, 'cat', [], { queue: images }),
        body: flow(image, 'dog', [], { queue: images, delay: 60_000 }),
      }),
    );
    const { delivered } = core.scripts;
    let deaths = 0;
    Object.assign(core.scripts, {
      delivered: () => (deaths++ < 3 ? Promise.reject(new Error('died')) : delivered),
    });
    const errors: unknown[] = [];
    const worker = images.work(makeImage, { onError: (error) => errors.push(error) });
    await clock.run(20_000);
    assert.equal((await mail.counts()).blocked, 1, 'one arrived several times, the other is missing');
    assert.ok(errors.length >= 2);
    Object.assign(core.scripts, { delivered });
    await using _pages = mail.work(makePage);
    await clock.run(60_000);
    assert.equal(await tree.result(), 'home: image of cat, image of dog');
    await worker.stop();
    assert.deepEqual(await messages(images), []);
  }));

test('a dead child blocks its parent in another queue until it is replayed, a removed one does not', () =>
  withQueue(async ({ mail, clock, store }) => {
    const images = queue(store, 'images');
    let isBroken = true;
    await using _pages = mail.work(makePage);
    await using _images = images.work(
      image.handle((name) => {
        if (isBroken) throw new Error('no camera');
        return name;
      }),
    );
    const child = (name: string): ReturnType<typeof flow> =>
      flow(image, name, [], { queue: images, id: name });
    const one = await mail.addFlow(flow(page, 'one', { thumbnail: child('cat') }));
    const two = await mail.addFlow(flow(page, 'two', { thumbnail: child('dog') }));
    const three = await mail.addFlow(flow(page, 'three', { thumbnail: child('cow') }));
    await clock.run(10);
    assert.equal((await mail.counts()).blocked, 3);
    isBroken = false;
    assert.equal(await images.retry('cat'), true);
    assert.equal(await images.remove('dog'), true);
    assert.equal(await images.clean('dead'), 1);
    await clock.run(10);
    assert.equal(await one.result(), 'one: cat, undefined');
    assert.equal(await two.result(), 'two: undefined, undefined');
    assert.equal(await three.result(), 'three: undefined, undefined');
    // An existing task can be the child of a second parent, also when it is completed.
    const four = await mail.addFlow(flow(page, 'four', { thumbnail: child('cat') }));
    await clock.run(10);
    assert.equal(await four.result(), 'four: cat, undefined');
  }));

test('a parent that was removed is not missed by its children', () =>
  withQueue(async ({ mail, clock, store }) => {
    const images = queue(store, 'images');
    const tree = await mail.addFlow(
      flow(page, 'home', { thumbnail: flow(image, 'cat', [], { queue: images }) }),
    );
    assert.equal(await mail.remove(tree.id), true);
    await using _images = images.work(makeImage);
    await clock.run(10);
    assert.equal(await tree.children[0]?.result(), 'image of cat');
    assert.deepEqual(await messages(images), []);
    assert.equal(await store.send('EXISTS', 'queue:{mail}:notes'), 0);
    assert.equal((await mail.counts()).blocked, 0);
  }));

test('a flow can go back and forth between queues, and its messages stay small', () =>
  withQueue(async ({ mail, clock, store }) => {
    const images = queue(store, 'images');
    const level = defineTask<number, number>('level');
    const handler = level.handle(async (n, task) => {
      const { below = 0 } = await task.inputs<{ below?: number }>();
      return below + n;
    });
    const DEPTH = 40;
    let tree = flow(level, DEPTH, [], { queue: mail });
    for (let n = DEPTH - 1; n > 0; n--) {
      tree = flow(level, n, { below: tree }, { queue: n % 2 === 1 ? mail : images, key: `"level" ${n}` });
    }
    const added = await mail.addFlow(tree);
    await using _mails = mail.work(handler);
    await using _images = images.work(handler);
    await clock.run(100);
    assert.equal(await added.result(), (DEPTH * (DEPTH + 1)) / 2);
    assert.deepEqual(await messages(mail), []);
  }));

test('flows that cannot be are refused', () =>
  withQueue(async ({ mail, store }) => {
    const images = queue(store, 'images');
    const child = flow(image, 'cat', [], { queue: images });
    await assert.rejects(mail.addFlow(child), { code: 'OPTION', message: /call it on the queue/ });
    await assert.rejects(mail.addFlow(flow(page, 'x', [flow(image, 'y', [], { queue: {} as never })])), {
      code: 'OPTION',
      message: /`queue` must be a queue/,
    });
    const elsewhere = await store.duplicate();
    await assert.rejects(
      mail.addFlow(flow(page, 'x', [flow(image, 'y', [], { queue: queue(elsewhere, 'images') })])),
      { code: 'OPTION', message: /same store/ },
    );
    const loop = flow(page, 'loop', [child]);
    (loop.children as unknown[]).push(loop);
    await assert.rejects(mail.addFlow(loop), { code: 'OPTION', message: /own child/ });
    await assert.rejects(mail.addFlow(flow(page, 'x', [child], { debounce: { key: 'k', wait: 1 } })), {
      code: 'OPTION',
    });
    await elsewhere.close();
  }));

test('messages of older programs are delivered, and one that its queue refuses does not keep the others', () =>
  withQueue(async ({ mail, clock, store }) => {
    const [images, texts] = [queue(store, 'images'), queue(store, 'texts')];
    const core = coreOf(mail);
    assert.ok(core !== undefined);
    const { collect } = core.scripts;
    Object.assign(core.scripts, { collect: () => Promise.reject(new Error('died')) });
    const tree = await mail.addFlow(
      flow(page, 'home', {
        body: flow(text, 'story', [], { queue: texts }),
        thumbnail: flow(image, 'cat', [], { queue: images }),
      }),
    );
    Object.assign(core.scripts, { collect });
    // They named a queue without the number of its dead tasks.
    const outbox = (await store.send('HGETALL', 'queue:{mail}:blocked:out')) as string[];
    for (let i = 0; i < outbox.length; i += 2) {
      const older = (outbox[i + 1] as string).replaceAll(/,?"d":10000/g, '').replaceAll('{,', '{');
      assert.notEqual(older, outbox[i + 1]);
      await store.send('HSET', 'queue:{mail}:blocked:out', outbox[i] as string, older);
    }
    await store.send('SET', 'queue:{texts}:tasks', 'not a hash');
    const troubles: unknown[] = [];
    await using _pages = mail.work(makePage, { onError: (error) => troubles.push(error) });
    await using _images = images.work(makeImage);
    await clock.run(100);
    assert.equal((await images.counts()).completed, 1);
    assert.match(String(troubles[0]), /WRONGTYPE/);
    await store.send('DEL', 'queue:{texts}:tasks');
    await using _texts = texts.work(makeText);
    await clock.run(10_000);
    assert.equal(await tree.result(), 'home: image of cat, text of story');
    assert.deepEqual(await messages(mail), []);
  }));
