import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, withQueue } from '../../../tests/support/kit-queue.js';
import { seededDraw } from '../../../tests/support/seeded-draw.js';
import type { Store } from '../../store/index.js';
import { defineTask, type TaskHandler, type TaskQueue } from './index.js';

/** So long that a worker which has to be woken is not saved by the end of a lease. */
const LONG = { lease: 86_400_000 };

/** Counts what runs at the same time, in all and by group. */
class Gauge {
  readonly order: string[] = [];
  readonly #running = new Map<string, number>();
  readonly #most = new Map<string, number>();
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  handler(ms: number, kind = note): TaskHandler {
    return kind.handle(async (text, { group = '-' }) => {
      this.order.push(group);
      for (const name of [group, 'all']) this.#change(name, 1);
      await this.#store.time.sleep(ms);
      for (const name of [group, 'all']) this.#change(name, -1);
      return text;
    });
  }

  most(name: string): number {
    return this.#most.get(name) ?? 0;
  }

  #change(name: string, by: number): void {
    const running = (this.#running.get(name) ?? 0) + by;
    this.#running.set(name, running);
    this.#most.set(name, Math.max(running, this.most(name)));
  }
}

async function addTo(mail: TaskQueue, group: string, count: number): Promise<void> {
  await mail.addAll(
    note,
    Array.from({ length: count }, (_, i) => [`${group} ${i}`, { group }] as const),
  );
}

test('a group whose last waiting task was postponed or removed takes its next turn after the others', () =>
  withQueue(async ({ mail, clock, store }) => {
    const later = await mail.add(note, 'later', { group: 'postponed' });
    const never = await mail.add(note, 'never', { group: 'removed' });
    await mail.reschedule(later.id, { delay: 60_000 });
    await mail.remove(never.id);
    for (const group of ['first', 'postponed', 'removed']) await addTo(mail, group, 1);
    const gauge = new Gauge(store);
    await using _worker = mail.work(gauge.handler(10), LONG);
    await clock.run(100);
    assert.deepEqual(gauge.order, ['first', 'postponed', 'removed']);
  }));

test('a task with another priority leaves its group the turn that it had', () =>
  withQueue(async ({ mail, clock, store }) => {
    const { id } = await mail.add(note, 'early', { group: 'first' });
    await addTo(mail, 'second', 1);
    await mail.reschedule(id, { priority: -1 });
    const gauge = new Gauge(store);
    await using _worker = mail.work(gauge.handler(10), LONG);
    await clock.run(100);
    assert.deepEqual(gauge.order, ['first', 'second']);
  }));

test('groups take turns, however many tasks one of them has', () =>
  withQueue(async ({ mail, clock, store }) => {
    const gauge = new Gauge(store);
    await addTo(mail, 'large', 50);
    await addTo(mail, 'small', 3);
    await addTo(mail, 'other', 3);
    await mail.addAll(note, [['x'], ['y'], ['z', { priority: 1 }]]);
    assert.equal((await mail.counts()).waiting, 59);
    assert.equal((await mail.list('waiting')).length, 59);
    await using _worker = mail.work(gauge.handler(10), LONG);
    await clock.run(120);
    const first = gauge.order.slice(0, 12);
    for (const group of ['large', 'small', 'other', '-']) {
      assert.equal(first.filter((name) => name === group).length, 3, gauge.order.join());
    }
    await clock.run(2_000);
    assert.equal(gauge.order.length, 59);
    assert.equal((await mail.counts()).completed, 59);
    for (const part of ['waiting:groups', 'active:groups', 'waiting:turns:note']) {
      assert.equal(await store.send('EXISTS', `queue:{mail}:${part}`), 0, part);
    }
  }));

test('within a group tasks keep their order and priority', () =>
  withQueue(async ({ mail, clock }) => {
    const seen: string[] = [];
    for (const [text, priority] of [
      ['c', 0],
      ['e', -1],
      ['a', 9],
      ['b', 9],
      ['d', 0],
    ] as const) {
      await mail.add(note, text, { group: 'g', priority });
    }
    await using _worker = mail.work(
      note.handle((text) => {
        seen.push(text);
        return text;
      }),
    );
    await clock.run(1);
    assert.deepEqual(seen, ['a', 'b', 'c', 'd', 'e']);
  }));

test('within a group tasks of several kinds keep their order and priority, also under a limit', () =>
  withQueue(async ({ mail, clock }) => {
    const letter = defineTask<string, string>('letter');
    const seen: string[] = [];
    await mail.limitGroups({ tasks: 1 });
    for (const [kind, text, priority] of [
      [note, 'b', 0],
      [letter, 'c', 0],
      [note, 'd', 0],
      [letter, 'a', 9],
      [letter, 'e', 0],
      [note, 'f', 0],
    ] as const) {
      await mail.add(kind, text, { group: 'g', priority });
    }
    const see = (text: string): string => {
      seen.push(text);
      return text;
    };
    await using _worker = mail.work([note.handle(see), letter.handle(see)]);
    await clock.run(1);
    assert.deepEqual(seen, ['a', 'b', 'c', 'd', 'e', 'f']);
  }));

test('no more tasks of a group are active than its limit allows, and all get done', () =>
  withQueue(async ({ mail, clock, store }) => {
    const gauge = new Gauge(store);
    await mail.limitGroups({ tasks: 2 });
    await mail.limitGroups({ tasks: 3 }, 'large');
    const workers = Array.from({ length: 3 }, () =>
      mail.work(gauge.handler(10), { ...LONG, concurrency: 5 }),
    );
    for (const [group, count] of [
      ['large', 30],
      ['a', 10],
      ['b', 10],
    ] as const) {
      await addTo(mail, group, count);
    }
    await clock.run(45);
    assert.deepEqual(
      ['large', 'a', 'b', 'all'].map((name) => gauge.most(name)),
      [3, 2, 2, 7],
    );
    await mail.limitGroups(undefined, 'large');
    await mail.limitGroups({ tasks: 5 });
    await clock.run(200);
    assert.equal(gauge.most('large'), 5, 'a raised limit counts at once');
    assert.equal((await mail.counts()).completed, 50);
    await Promise.all(workers.map((worker) => worker.stop()));
  }));

test('idle workers are woken when a group may start a task again', () =>
  withQueue(async ({ mail, clock, store }) => {
    const gauge = new Gauge(store);
    await mail.limitGroups({ tasks: 1 });
    const one = mail.work(gauge.handler(10), LONG);
    await addTo(mail, 'g', 3);
    await clock.run(1);
    const [active] = await mail.list('active');
    await using _other = mail.work(gauge.handler(10), LONG);
    await clock.run(1);
    // It is stopped, so it takes no other task: the second worker has to be told.
    const stopping = one.stop();
    await clock.run(100);
    await stopping;
    assert.equal((await mail.counts()).completed, 3);
    await addTo(mail, 'g', 2);
    await clock.run(1);
    assert.notEqual((await mail.list('active'))[0]?.id, active?.id);
    await mail.remove((await mail.list('active'))[0]?.id ?? '');
    await clock.run(30);
    assert.equal((await mail.counts()).completed, 4, 'a removed task makes room');
  }));

test('a limit of active tasks holds for all workers together', () =>
  withQueue(async ({ mail, clock, store }) => {
    const gauge = new Gauge(store);
    await mail.limitActive({ tasks: 3 });
    const workers = Array.from({ length: 4 }, () =>
      mail.work(gauge.handler(10), { ...LONG, concurrency: 4 }),
    );
    await mail.addAll(
      note,
      Array.from({ length: 40 }, (_, i) => [`${i}`, i % 4 === 0 ? { group: `g${i % 3}` } : {}] as const),
    );
    await clock.run(50);
    assert.equal(gauge.most('all'), 3);
    await clock.run(500);
    assert.deepEqual([gauge.most('all'), (await mail.counts()).completed], [3, 40]);
    await mail.addAll(
      note,
      Array.from({ length: 40 }, (_, i) => [`${i}`] as const),
    );
    await clock.run(1);
    await mail.limitActive(undefined);
    await clock.run(200);
    assert.equal(gauge.most('all'), 16);
    assert.equal((await mail.counts()).completed, 80);
    await Promise.all(workers.map((worker) => worker.stop()));
    await assert.rejects(mail.limitActive({ tasks: 0 }), { code: 'OPTION' });
    await assert.rejects(mail.limitGroups({ task: 1 } as never), { code: 'OPTION', message: /'tasks'/ });
  }));

test('a freed place goes to another worker, if the one that freed it takes nothing', () =>
  withQueue(async ({ mail, clock, store }) => {
    const gauge = new Gauge(store);
    const other = defineTask<string, string>('other');
    await mail.limitActive({ tasks: 1 });
    await using _notes = mail.work(gauge.handler(10), LONG);
    await using _others = mail.work(gauge.handler(10, other), LONG);
    await clock.run(1);
    for (let i = 0; i < 4; i++) {
      await mail.add(note, 'x');
      await mail.add(other, 'y');
    }
    await clock.run(200);
    assert.deepEqual([gauge.most('all'), (await mail.counts()).completed], [1, 8]);
  }));

test('tasks of groups reach the workers of their kinds, and idle workers send nothing', () =>
  withQueue(async ({ mail, clock, store }) => {
    const gauge = new Gauge(store);
    const other = defineTask<string, string>('other');
    await mail.limitGroups({ tasks: 1 });
    await using _notes = mail.work(gauge.handler(5), LONG);
    await using _others = mail.work(gauge.handler(5, other), LONG);
    await clock.run(1);
    for (let i = 0; i < 10; i++) {
      await mail.add(i % 2 === 0 ? note : other, `${i}`, { group: 'g' });
      await mail.add(i % 2 === 0 ? note : other, `${i}`, { group: 'h', delay: 10 });
    }
    await clock.run(500);
    assert.deepEqual([gauge.most('g'), gauge.most('h'), (await mail.counts()).completed], [1, 1, 20]);
    assert.equal((await mail.counts()).setAside, 0);
    const calls = async (): Promise<number> => {
      const info = String(await store.send('INFO', 'commandstats'));
      return [...info.matchAll(/calls=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const idle = await calls();
    await clock.run(3_600_000);
    assert.ok((await calls()) - idle <= 1);
  }));

test('pause, rate limit, retries, workers that leave and groups together lose nothing', () =>
  withQueue(
    async ({ mail, clock, store }) => {
      const draw = seededDraw(11);
      const groups = ['a', 'b', 'c', undefined];
      const fragile = defineTask<number, number>('fragile', undefined, { attempts: 3 });
      const running = new Map<string, number>();
      const handler = fragile.handle(async (n, { group = '-', attempt, signal }) => {
        running.set(group, (running.get(group) ?? 0) + 1);
        if (group !== '-') assert.ok((running.get(group) ?? 0) <= 2, `${group} exceeds its limit`);
        await store.time.sleep(n % 7, { signal }).catch(() => {});
        running.set(group, (running.get(group) ?? 0) - 1);
        if (n % 5 === 0 && attempt === 1) throw new Error('once');
        return n;
      });
      await mail.limitGroups({ tasks: 2 });
      await mail.limitActive({ tasks: 5 });
      const { queue } = await import('./index.js');
      const workers: { stop(): Promise<void> }[] = [];
      const start = async (): Promise<void> => {
        const own = await store.duplicate();
        workers.push(
          queue(own, 'mail', { keepCompleted: 1_000 }).work(handler, { lease: 1_000, concurrency: 3 }),
        );
      };
      await start();
      for (let i = 0; i < 300; i++) {
        const group = groups[Math.floor(draw() * groups.length)];
        await mail.add(fragile, i, {
          ...(group === undefined ? {} : { group }),
          ...(draw() < 0.2 ? { delay: Math.floor(draw() * 50) } : {}),
          ...(draw() < 0.2 ? { priority: Math.floor(draw() * 3) } : {}),
        });
        if (draw() < 0.1) await (draw() < 0.5 ? mail.pause() : mail.resume());
        if (draw() < 0.1) await mail.limit(draw() < 0.5 ? { tasks: 5, per: 20 } : undefined);
        if (draw() < 0.05) await start();
        if (draw() < 0.05) void workers.shift()?.stop();
        if (draw() < 0.3) await clock.run(Math.floor(draw() * 10));
      }
      await mail.resume();
      await mail.limit(undefined);
      await start();
      for (let i = 0; i < 100 && (await mail.counts()).completed < 300; i++) await clock.run(100);
      assert.equal((await mail.counts()).completed, 300);
      const stopping = Promise.all(workers.map((worker) => worker.stop()));
      await clock.run(100);
      await stopping;
      assert.equal(await store.send('EXISTS', 'queue:{mail}:active:groups'), 0);
    },
    { keepCompleted: 1_000 },
  ));
