import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { withQueue } from '../../../../tests/support/kit-queue.js';
import { defineTask } from '../index.js';

const MODULE = new URL('../../../../tests/support/sandboxed-handler.mjs', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'sorrel-sandbox-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Order {
  readonly what: string;
  readonly file?: string;
}

const job = defineTask<Order, unknown>('job', undefined, { attempts: 1, recoveries: 2 });

/** In real time, until something is so: other processes have no clock that can be moved. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
}

function linesOf(file: string): string[] {
  try {
    // The file is created before its first line is written.
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}

for (const kind of ['process', 'thread'] as const) {
  describe(`A handler in a ${kind}`, () => {
    it('gets its data and its task, and gives its result or its error', () =>
      withQueue(async ({ mail }) => {
        await using _worker = mail.work(job.sandbox(MODULE, { kind }));
        await using events = mail.events();
        const task = await mail.add(job, { what: 'talk' }, { id: 'mine' });
        assert.deepEqual(await task.result(), {
          id: 'mine',
          attempt: 1,
          inputs: {},
          dead: {},
          isChild: true,
        });
        assert.deepEqual(await mail.log('mine'), ['hello from the sandbox']);
        assert.deepEqual((await mail.get('mine'))?.data, { what: 'changed' });
        for await (const { type, detail } of events) {
          if (type !== 'progress') continue;
          assert.equal(detail, 50);
          break;
        }
        await assert.rejects((await mail.add(job, { what: 'fail' })).result(), {
          code: 'DEAD',
          message: /it fails$/,
        });
        const hopeless = await mail.add(job, { what: 'hopeless' }, { attempts: 5 });
        await assert.rejects(hopeless.result(), { code: 'DEAD' });
        assert.equal((await mail.get(hopeless.id))?.failures, 1);
        const postponed = await mail.add(job, { what: 'postpone' });
        for (let state = ''; state !== 'delayed'; state = (await mail.get(postponed.id))?.state ?? '')
          await new Promise(setImmediate);
        assert.equal((await mail.get(postponed.id))?.failures, 0);
        for (const [what, message] of [
          ['odd', /is dead: odd$/],
          ['odder', /a value that cannot be shown$/],
        ] as const) {
          const odd = await mail.add(job, { what });
          await assert.rejects(odd.result(), { code: 'DEAD', message });
          assert.equal((await mail.get(odd.id))?.recoveries, 0);
        }
        assert.equal(await (await mail.add(job, { what: 'nothing' })).result(), undefined);
      }));

    it('is killed when its attempt takes too long, even if it never yields', () =>
      withQueue(async ({ mail, clock }) => {
        const file = join(folder, `loop-${kind}`);
        await using worker = mail.work(job.sandbox(MODULE, { kind, grace: 50 }));
        const task = await mail.add(job, { what: 'loop', file }, { timeLimit: 1_000 });
        await until(() => linesOf(file).length > 0);
        await clock.run(1_000);
        await assert.rejects(task.result(), { code: 'DEAD', message: /`timeLimit` of 1000 ms/ });
        assert.equal(worker.running, 0);
        await clock.run(50);
        const pid = pidIn(file);
        if (kind === 'process') await until(() => !isRunning(pid));
        assert.equal(await (await mail.add(job, { what: 'nothing' })).result(), undefined);
      }));

    it('runs its task again when it dies, but not forever', () =>
      withQueue(async ({ mail }) => {
        await using _worker = mail.work(job.sandbox(MODULE, { kind }), { concurrency: 2 });
        const file = join(folder, `die-${kind}`);
        const task = await mail.add(job, { what: 'die once', file });
        const other = await mail.add(job, { what: 'nothing' });
        assert.equal(await task.result(), 'survived');
        assert.equal(linesOf(file).length, 2);
        assert.equal(await other.result(), undefined);
        const poison = await mail.add(job, { what: 'die' });
        await assert.rejects(poison.result(), { code: 'DEAD', message: /died 3 times/ });
        const dead = await mail.get(poison.id);
        assert.deepEqual([dead?.recoveries, dead?.failures], [3, 0]);
      }));

    it('says what is wrong with its module', () =>
      withQueue(async ({ mail }) => {
        const missing = defineTask<null>('missing');
        await using _worker = mail.work([
          job.sandbox(MODULE, { kind, export: 'unknown' }),
          missing.sandbox(new URL('./not-there.mjs', MODULE), { kind }),
        ]);
        await assert.rejects((await mail.add(job, { what: 'x' })).result(), {
          message: /no function unknown/,
        });
        await assert.rejects((await mail.add(missing, null)).result(), { message: /not-there/ });
      }));
  });
}

it('a killed process loses nothing: its task runs again', () =>
  withQueue(async ({ mail }) => {
    const file = join(folder, 'killed');
    await using _worker = mail.work(job.sandbox(MODULE));
    const task = await mail.add(job, { what: 'wait once', file });
    await until(() => linesOf(file).length === 1);
    process.kill(pidIn(file), 'SIGKILL');
    assert.equal(await task.result(), 'survived');
    assert.notEqual(linesOf(file)[0], linesOf(file)[1]);
  }));

it('a worker that has ended leaves no process', () =>
  withQueue(async ({ mail, store, clock }) => {
    const file = join(folder, 'left');
    const worker = mail.work(job.sandbox(MODULE));
    await mail.add(job, { what: 'wait once', file });
    await until(() => linesOf(file).length === 1);
    const ended = worker.ended;
    await store.close();
    // It learns of it when it renews its lease.
    await clock.run(10_000);
    await ended;
    await until(() => !isRunning(pidIn(file)));
  }));

it('a module must be a URL or an absolute path', () => {
  assert.throws(() => job.sandbox('./handler.js'), { code: 'OPTION', message: /absolute path/ });
  assert.throws(() => job.sandbox(MODULE, { kind: 'fork' as never }), { code: 'OPTION' });
});

/** The process that wrote the first line. */
function pidIn(file: string): number {
  const pid = Number(linesOf(file)[0]?.split(' ')[0]);
  assert.ok(pid > 0);
  return pid;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
