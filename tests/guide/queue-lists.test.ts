/** The simple queues of docs/guide/06-queues.md, and how they lose tasks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineTask, queue } from '../../src/kit/queue/index.js';
import { ManualClock, open, type Store } from '../../src/store/index.js';

type Callbacks = Readonly<Record<string, (...args: unknown[]) => Promise<void>>>;

async function pushTask(store: Store, list: string, name: string, ...args: unknown[]): Promise<void> {
  await store.send('RPUSH', list, JSON.stringify([name, args]));
}

/** Takes one task and runs it; false if none arrived in time. */
async function workOnList(
  store: Store,
  lists: readonly string[],
  callbacks: Callbacks,
  timeout: number,
): Promise<boolean> {
  const reply = await store.send('BLPOP', ...lists, timeout);
  if (reply === null) return false;
  const [, packed] = reply as [string, string];
  const [name, args] = JSON.parse(packed) as [string, unknown[]];
  const callback = callbacks[name];
  if (callback === undefined) return true;
  await callback(...args);
  return true;
}

/** Moves the first delayed task that is due to its list. `betweenSteps` runs where a process can die. */
async function moveDue(store: Store, now: number, betweenSteps: () => void = () => {}): Promise<boolean> {
  const [packed] = (await store.send('ZRANGEBYSCORE', 'delayed:', '-inf', now, 'LIMIT', 0, 1)) as string[];
  if (packed === undefined || (await store.send('ZREM', 'delayed:', packed)) !== 1) return false;
  betweenSteps();
  await store.send('RPUSH', 'queue:email', packed);
  return true;
}

/** Simulates a killed process: nothing runs after this. */
class Killed extends Error {}

test('a list is a queue: first in, first out, and the first list that is not empty is served first', async () => {
  await using store = await open();
  const seen: unknown[] = [];
  const callbacks = { sold: async (item: unknown) => void seen.push(item) };
  await pushTask(store, 'queue:low', 'sold', 'c');
  await pushTask(store, 'queue:high', 'sold', 'a');
  await pushTask(store, 'queue:high', 'sold', 'b');
  while (await workOnList(store, ['queue:high', 'queue:low'], callbacks, 0.01));
  assert.deepEqual(seen, ['a', 'b', 'c']);
});

test('a worker that dies loses its task from a list', async () => {
  await using store = await open();
  const done: unknown[] = [];
  await pushTask(store, 'queue:email', 'sold', 'item 7');
  const dying = {
    sold: async () => {
      throw new Killed();
    },
  };
  await assert.rejects(workOnList(store, ['queue:email'], dying, 0.01), Killed);
  const healthy = { sold: async (item: unknown) => void done.push(item) };
  assert.equal(await workOnList(store, ['queue:email'], healthy, 0.01), false);
  assert.deepEqual(done, []);
  assert.equal(await store.send('DBSIZE'), 0, 'there is no trace of it');
});

test('a task of an unknown name is dropped by the first worker that takes it', async () => {
  await using store = await open();
  const done: unknown[] = [];
  await pushTask(store, 'queue:email', 'new kind', 'item 7');
  assert.equal(await workOnList(store, ['queue:email'], {}, 0.01), true);
  const newWorker = { 'new kind': async (item: unknown) => void done.push(item) };
  assert.equal(await workOnList(store, ['queue:email'], newWorker, 0.01), false);
  assert.deepEqual(done, []);
});

test('a mover that dies between its two commands loses a delayed task', async () => {
  await using store = await open();
  await store.send('ZADD', 'delayed:', 1_000, JSON.stringify(['sold', ['item 7']]));
  const kill = (): void => {
    throw new Killed();
  };
  await assert.rejects(moveDue(store, 1_000, kill), Killed);
  assert.equal(await moveDue(store, 1_000), false);
  assert.equal(await store.send('DBSIZE'), 0);
});

test('a mover whose clock is fast runs a delayed task early', async () => {
  await using store = await open();
  await store.send('ZADD', 'delayed:', 61_000, JSON.stringify(['sold', ['item 7']]));
  const [rightClock, fastClock] = [1_000, 61_000];
  assert.equal(await moveDue(store, rightClock), false);
  assert.equal(await moveDue(store, fastClock), true);
});

test('the queue of the kit keeps a task whose worker dies, and one whose handler fails', async () => {
  const clock = new ManualClock();
  await using store = await open('memory:', { clock });
  const sold = defineTask<string, string>('sold', undefined, {
    attempts: 2,
    backoff: { kind: 'fixed', delay: 1_000 },
  });
  const mail = queue(store, 'mail');
  const task = await mail.add(sold, 'item 7');
  const doomed = await store.duplicate();
  const dying = queue(doomed, 'mail').work(
    sold.handle(() => new Promise<string>(() => {})),
    { lease: 30_000 },
  );
  while ((await mail.counts()).active === 0) await new Promise((resolve) => setImmediate(resolve));
  await doomed.close();
  await clock.run(30_000);
  await dying.ended;
  const handler = sold.handle((item, { attempt }) => {
    if (attempt === 1) throw new Error('the mail server is away');
    return `${item} was sold`;
  });
  await using _worker = mail.work(handler);
  await clock.run(1_000);
  assert.equal(await task.result(), 'item 7 was sold');
});
