import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, recorder, withQueue } from '../../../../tests/support/kit-queue.js';

/** So long that a worker which has to be woken is not saved by the end of a lease. */
const LONG = { lease: 86_400_000 };

/** A handler of which each task hangs until it is told to go on. */
function hanging(begun: string[]) {
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const handler = note.handle(async (text) => {
    begun.push(text);
    await released;
    return text;
  });
  return { handler, release: () => release() };
}

test('a worker that becomes busy leaves the next delayed task to an idle one', () =>
  withQueue(async ({ mail, clock }) => {
    const begun: string[] = [];
    const { handler, release } = hanging(begun);
    await using _first = mail.work(handler, LONG);
    await using _second = mail.work(handler, LONG);
    await clock.run(1);
    // One of the two learns of the first; no worker need be told of the others, which are due later.
    await mail.addAll(note, [
      ['soon', { delay: 1_000 }],
      ['later', { delay: 2_000 }],
    ]);
    await clock.run(1_000);
    const first = [...begun];
    await clock.run(1_000);
    release();
    assert.deepEqual(first, ['soon']);
    assert.deepEqual(begun, ['soon', 'later']);
  }));

test('a stopped worker leaves the next delayed task to an idle one', async () => {
  // One of the two has the moment in mind: it is stopped in one of the two rounds.
  for (const stopped of [0, 1]) {
    await withQueue(async ({ mail, clock }) => {
      const seen: string[] = [];
      const workers = [mail.work(recorder(seen), LONG), mail.work(recorder(seen), LONG)];
      await clock.run(1);
      await mail.add(note, 'later', { delay: 2_000 });
      await clock.run(1);
      await workers[stopped]?.stop();
      await clock.run(2_000);
      assert.deepEqual(seen, ['later']);
      await Promise.all(workers.map((worker) => worker.stop()));
    });
  }
});

test('a schedule continues while the worker that saw it last is busy', () =>
  withQueue(async ({ mail, clock }) => {
    const begun: string[] = [];
    const { handler, release } = hanging(begun);
    await using _first = mail.work(handler, LONG);
    await using _second = mail.work(handler, LONG);
    await using _third = mail.work(handler, LONG);
    await clock.run(1);
    await mail.schedule('tick', note, 'tick', { every: 1_000 });
    await clock.run(3_000);
    release();
    assert.deepEqual(begun, ['tick', 'tick', 'tick']);
  }));
