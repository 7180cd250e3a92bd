import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withQueue } from '../../../../tests/support/kit-queue.js';
import { defineTask, NoRetryError } from '../index.js';

test('a failed task is retried after its back-off, and is dead after its last attempt', () =>
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
    const result = assert.rejects(task.result(), { code: 'DEAD', message: /is dead: attempt 4$/ });
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

test('whatever a handler throws makes its task dead, and the worker goes on', () =>
  withQueue(async ({ mail }) => {
    const unreadable = {
      get(): never {
        throw new Error('not readable');
      },
    };
    const thrown: readonly (readonly [unknown, name: string, message: string])[] = [
      [Object.create(null), 'Error', 'a value that cannot be shown'],
      [Symbol('s'), 'Error', 'Symbol(s)'],
      [undefined, 'Error', 'undefined'],
      [Object.assign(new Error('no stack'), { stack: null }), 'Error', 'no stack'],
      [Object.assign(new Error('odd name'), { name: 10n, code: 7 }), '10', 'odd name'],
      [
        Object.defineProperty(new RangeError(), 'message', unreadable),
        'RangeError',
        'an error whose message cannot be read',
      ],
      [new Error('half \ud800 of a character'), 'Error', 'half \uFFFD of a character'],
    ];
    const odd = defineTask<number>('odd');
    const handler = odd.handle((at) => {
      throw thrown[at]?.[0];
    });
    await using _worker = mail.work(handler);
    for (const [at, [, name, message]] of thrown.entries()) {
      const task = await mail.add(odd, at);
      await assert.rejects(task.result(), { code: 'DEAD' });
      const error = (await mail.get(task.id))?.error;
      assert.deepEqual([error?.name, error?.message], [name, message]);
    }
  }));

test('a task is dead if the source of randomness of its back-off fails', () =>
  withQueue(async ({ mail }) => {
    const backoff = { kind: 'fixed', delay: 1_000, jitter: 1 } as const;
    const failing = defineTask<null>('failing', undefined, { attempts: 5, backoff });
    const handler = failing.handle(() => {
      throw new Error('busy');
    });
    const random = (): number => {
      throw new Error('no chance');
    };
    await using _worker = mail.work(handler, { random });
    await assert.rejects((await mail.add(failing, null)).result(), { code: 'DEAD', message: /no chance$/ });
  }));
